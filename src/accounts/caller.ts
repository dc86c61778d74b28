/** Where a request comes from. */
export type Peer = {
  /** Address of the socket's other end, for limits. */
  address: string;
  /**
   * A process of the service's own user on this host, which asked for a localhost Host and forwards for
   * no other. `src/http/peer.ts` finds it out.
   */
  local: boolean;
  /** What the client calls itself (`User-Agent`), for the list of sessions. */
  agent?: string | undefined;
};

/** What a user gets at login; snake case: it is what HTTP answers. */
export type Session = {
  /** Given once; only its SHA-256 is kept. */
  token: string;
  /** RFC 3339 UTC; slides with use, to 90 days after the login at most. */
  expires_at: string;
  /** Another's where the name was used before. */
  user_id: string;
  username: string;
  is_admin: boolean;
  /** Another password has to be chosen, or two-step login set up: until then the session opens nothing else. */
  limited?: 'password' | 'totp';
};

/** Who a token belongs to. */
export type Caller = {
  userId: string;
  username: string;
  isAdmin: boolean;
  /** Names the session without giving the token away; see `onSessionEnded`. */
  sessionId: string;
  /** When the session began with a password; null: without one. */
  passwordAt: Date | null;
  expiresAt: Date;
  /** What has to be done before anything else is answered; null: nothing. */
  limited: 'password' | 'totp' | null;
  /** Who reads one recording by a link, and is no user. */
  link?: { recordingId: string; link: string };
};

/** Who reads by a link: no user, and in no session. */
export const linkCaller = (recordingId: string, link: string): Caller => ({
  userId: `l-${link}`,
  username: '',
  isAdmin: false,
  sessionId: '',
  passwordAt: null,
  expiresAt: new Date(0),
  limited: null,
  link: { recordingId, link },
});
