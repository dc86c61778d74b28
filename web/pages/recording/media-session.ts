/**
 * What a lock screen, headphones and media keys show and do while a recording is played:
 * https://w3c.github.io/mediasession/.
 */
import { type Player, speed } from './player.ts';

export type Heard = {
  title: string;
  /** Names of those who speak. */
  people: readonly string[];
  /** Where passages begin, seconds, ascending. */
  starts: readonly number[];
};

/** Where the system does not say how far, seconds. */
const skipSeconds = 10;
/** Who goes back later than this into a passage wants its beginning, seconds. */
const beginningSeconds = 3;

/**
 * From the first moment that is played on, until `signal` ends it.
 * @param heard asked whenever something is shown or pressed
 */
export function offerToSystem(player: Player, heard: () => Heard, signal: AbortSignal): void {
  const session = 'mediaSession' in navigator ? navigator.mediaSession : undefined;
  if (session === undefined) return;
  const { audio } = player;
  const by = (seconds: number) => player.seek(audio.currentTime + seconds);
  const acts: Partial<Record<MediaSessionAction, MediaSessionActionHandler>> = {
    play: () => player.play(),
    pause: () => player.pause(),
    seekbackward: ({ seekOffset }) => by(-(seekOffset ?? skipSeconds)),
    seekforward: ({ seekOffset }) => by(seekOffset ?? skipSeconds),
    seekto: ({ seekTime }) => player.seek(seekTime ?? audio.currentTime),
    previoustrack: () => player.seek(passageBefore(heard().starts, audio.currentTime)),
    nexttrack() {
      const next = heard().starts.find((start) => start > audio.currentTime);
      if (next !== undefined) player.seek(next);
    },
  };
  const show = () => {
    const { title, people } = heard();
    session.metadata = new MediaMetadata({ title, artist: people.join(', '), artwork });
    for (const [action, act] of entriesOf(acts)) setHandler(session, action, act);
  };
  const place = () => {
    const { duration, currentTime: position } = audio;
    session.playbackState = audio.paused ? 'paused' : 'playing';
    if (!Number.isFinite(duration) || position > duration) return;
    session.setPositionState({ duration, position, playbackRate: speed.get() });
  };
  audio.addEventListener('play', show, { signal });
  for (const event of ['play', 'pause', 'seeked', 'ratechange', 'durationchange'])
    audio.addEventListener(event, place, { signal });
  signal.addEventListener('abort', () => {
    session.metadata = null;
    session.playbackState = 'none';
    for (const [action] of entriesOf(acts)) setHandler(session, action, null);
  });
}

const artwork = [192, 512].map((size) => ({
  src: `/icon-${size}.png`,
  sizes: `${size}x${size}`,
  type: 'image/png',
}));

/** The beginning of a passage; just behind it, that of the one before. */
function passageBefore(starts: readonly number[], time: number): number {
  return starts.findLast((start) => start < time - beginningSeconds) ?? 0;
}

const entriesOf = (acts: Partial<Record<MediaSessionAction, MediaSessionActionHandler>>) =>
  Object.entries(acts) as [MediaSessionAction, MediaSessionActionHandler][];

function setHandler(
  session: MediaSession,
  action: MediaSessionAction,
  act: MediaSessionActionHandler | null,
): void {
  try {
    session.setActionHandler(action, act);
  } catch (error) {
    // So says a browser that does not know the action: it is offered nowhere there.
    if (!(error instanceof TypeError)) throw error;
  }
}
