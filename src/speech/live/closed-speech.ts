import type { Stretch } from '../../../events/facts/transcript.ts';
import type { ClosedStretch } from '../../../projections/recording/utterances.ts';
import { cutZone, paddingSeconds, pauseMax, spanMin } from '../detection/speech-segments.ts';
import { milliseconds } from '../../shared/time.ts';

/** The name that the plan has for what finds speech while it is still coming (`follower.ts`). */
export const liveDetectorName = 'webrtc';

/** Groups speech that is still coming into stretches, each closed as soon as that helps a reader. */
export interface ClosedSpeech {
  /** A span of speech, or how far the one has come that goes on; in order. */
  grow(span: Stretch): Promise<void>;
  /** Nobody has spoken up to then. */
  quiet(until: number): void;
  /** No more comes: closes what is open. @param duration of the audio, seconds */
  end(duration: number): void;
  /** Where the speech begins that goes on and is not closed; null: nobody speaks. */
  openSince(): number | null;
  /** Takes those that were closed since. */
  closed(): ClosedStretch[];
}

/** Only a cut leads from one stretch straight into the next. */
const apartSeconds = 0.001;
/** Longest stretch that is followed, seconds: what any engine takes, with the overlap at cuts. */
export const liveSecondsMax = 25;

/**
 * The pause that closes a stretch, by how long that is: a word or two are worth waiting for what follows, since engines
 * need context; a long one is closed at the next breath. The detector takes 0.45 s more for speech; who reads is to
 * have a sentence 1.5 s after its end.
 */
const pauses = [
  { upTo: 1.5, seconds: 0.8 },
  { upTo: 8, seconds: 0.6 },
  { upTo: 15, seconds: 0.3 },
  { upTo: Infinity, seconds: 0.06 },
];

/**
 * @param options.from what was followed before ends there, in seconds, `isCut` in speech
 * @param options.cutBetween where best to cut speech without a pause
 */
export function closedSpeech({
  from,
  isCut,
  cutBetween,
}: {
  from: number;
  isCut: boolean;
  cutBetween(from: number, to: number): Promise<number>;
}): ClosedSpeech {
  let done: ClosedStretch[] = [];
  let last = { end: from, isCut };
  type Open = { start: number; end: number };
  let open: Open | null = null;

  const push = (start: number, end: number, cut: boolean) => {
    const earliest = last.isCut || last.end === 0 ? last.end : last.end + apartSeconds;
    const begin = Math.max(earliest, start - paddingSeconds);
    const stretch: Stretch = [milliseconds(begin), milliseconds(end)];
    done.push({ stretch, cut });
    last = { end: stretch[1], isCut: cut };
  };
  /** @param next where the next speech begins, or the audio ends: what is kept of the pause stays before it */
  const close = ({ start, end }: Open, next: number) => {
    const isClick = end - start < spanMin && !last.isCut;
    if (!isClick) push(start, Math.min(end + paddingSeconds, (end + next) / 2), false);
    open = null;
  };
  return {
    async grow([start, end]) {
      if (end <= last.end) return;
      const begin = Math.max(start, last.end);
      if (open && begin - open.end >= pauseAfter(open)) close(open, begin);
      // It would become too long, and there is a pause to cut it in.
      if (open && begin > open.end && end - open.start > liveSecondsMax) close(open, begin);
      open = { start: open?.start ?? Math.max(start, last.end), end };
      while (open.end - open.start > liveSecondsMax) {
        const latest = Math.min(open.start + liveSecondsMax, open.end - 1);
        const at = await cutBetween(open.start + liveSecondsMax * (1 - cutZone), latest);
        push(open.start, at, true);
        open = { start: last.end, end: open.end };
      }
    },
    quiet(until) {
      if (open && until - open.end >= pauseAfter(open)) close(open, until);
    },
    end(duration) {
      if (open) close(open, 2 * duration - open.end);
    },
    openSince: () => (open ? Math.max(last.end, open.start - paddingSeconds) : null),
    closed() {
      const taken = done;
      done = [];
      return taken;
    },
  };
}

/** One that waits to be recognised. `voice`: the label of who speaks in it, once that was looked for; undefined: too short to tell. */
export type WaitingStretch = ClosedStretch & { voice?: string | undefined };

/**
 * As long ones as an engine takes of those that wait, pauses of up to two seconds included: how many, and what. Those
 * of different voices stay apart: each has one label.
 */
export function joinedStretch(
  waiting: readonly WaitingStretch[],
  secondsMax: number,
): WaitingStretch & { count: number } {
  const [first] = waiting;
  let joined = { ...first!, count: 1 };
  for (const next of waiting.slice(1)) {
    const [start, end] = next.stretch;
    const isNear = start - joined.stretch[1] <= pauseMax;
    if (joined.cut || next.cut || !isNear || end - joined.stretch[0] > secondsMax) break;
    if ('voice' in joined && 'voice' in next && joined.voice !== next.voice) break;
    joined = { ...joined, stretch: [joined.stretch[0], end], count: joined.count + 1 };
  }
  return joined;
}

/** The rest of the plan of the whole audio, after the part that was followed; without a gap where that part was cut. */
export function goingOn(followed: readonly ClosedStretch[], whole: readonly Stretch[]): Stretch[] {
  const last = followed.at(-1);
  if (!last) return [...whole];
  const [, upTo] = last.stretch;
  const begin = last.cut ? upTo : milliseconds(upTo + apartSeconds);
  const rest = whole
    .filter(([, end]) => end > begin)
    .map(([start, end]): Stretch => [Math.max(start, begin), end]);
  const after = rest[0]?.[0] ?? begin + pauseMax;
  const gap: Stretch[] =
    last.cut && after > begin ? [[begin, Math.min(after, begin + pauseMax)]] : [];
  return [...followed.map(({ stretch }) => stretch), ...gap, ...rest];
}

const pauseAfter = ({ start, end }: { start: number; end: number }): number =>
  pauses.find(({ upTo }) => end - start < upTo)!.seconds;
