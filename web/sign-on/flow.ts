/** What this tab has begun at the sign-on provider: a callback without it is somebody else's. */
type Kept = { flow: string; purpose: 'login' | 'link'; next: string };

const key = 'mitschrift.sign-on';

/** Goes to the provider, which sends the browser back to `/login`. */
export function goToProvider(begun: { url: string; flow: string }, kept: Omit<Kept, 'flow'>): void {
  sessionStorage.setItem(key, JSON.stringify({ ...kept, flow: begun.flow }));
  location.assign(begun.url);
}

const goneKey = 'mitschrift.sign-on-gone';
/** Sooner than this after it went there, a browser does not go by itself again, in milliseconds: no session lasts so short. */
const againMs = 60_000;

/** Whether this tab may go to the provider without being asked to: then it has. */
export function mayGoByItself(): boolean {
  const gone = Number(sessionStorage.getItem(goneKey) ?? 0);
  if (Date.now() - gone < againMs) return false;
  sessionStorage.setItem(goneKey, String(Date.now()));
  return true;
}

/**
 * What the provider sent this browser back with, once: it leaves the address, so that no history has it.
 * @returns undefined: nobody comes back; `flow` null: this tab has begun nothing
 */
export function cameBack():
  | (Omit<Kept, 'flow'> & { flow: string | null; query: string })
  | undefined {
  const { search } = location;
  const query = new URLSearchParams(search);
  if (!query.has('state') || (!query.has('code') && !query.has('error'))) return undefined;
  history.replaceState(history.state, '', '/login');
  const text = sessionStorage.getItem(key);
  sessionStorage.removeItem(key);
  const kept = text === null ? null : (JSON.parse(text) as Kept);
  return { purpose: 'login', next: '/', ...kept, flow: kept?.flow ?? null, query: search };
}
