import type { Stretch } from '../../../events/facts/transcript.ts';
import { type AudioWarning, loudnessOf } from '../../audio/decode.ts';
import type { Log } from '../../shared/log.ts';
import type { Recognised, SpeechEngine } from '../../speech/engine.ts';
import type { AudioFollower } from '../../speech/live/follower.ts';

/** A recording that is followed: what the stage `follow` leaves for `transcribe`, so that nothing is done twice. */
export type Following = {
  follower: AudioFollower;
  /** What the engine was asked and has not answered yet. */
  asked: { index: number; result: Promise<Recognised> } | null;
  /** Nothing comes of what was asked for now: a server is away, or others have their turn. */
  isWaiting: boolean;
  /** Ends what was asked. */
  stop: AbortController;
};

/** Which recordings are followed in this process. */
export interface Followings {
  /** @param over resolves when the stage has ended, with what it leaves; never rejects */
  add(recordingId: string, over: Promise<Following | null>): void;
  /** Hands over what was left, once; null where there is nothing. */
  take(recordingId: string): Promise<Following | null>;
}

/** What nobody takes (the processing was cancelled at once) is let go after so long, milliseconds. */
const leftMs = 600_000;

export function openFollowings(log: Pick<Log, 'warn'>): Followings {
  const left = new Map<string, Promise<Following | null>>();
  return {
    add(recordingId, over) {
      left.set(recordingId, over);
      const forget = () => {
        if (left.get(recordingId) !== over) return;
        left.delete(recordingId);
        void over
          .then((following) => following && letGo(following))
          .catch((error: unknown) => {
            log.warn(
              { err: error, recordingId },
              'work files of live transcription failed to close',
            );
          });
      };
      void over.then((following) => {
        if (following) setTimeout(forget, leftMs).unref();
        else forget();
      });
    },
    async take(recordingId) {
      const over = left.get(recordingId);
      left.delete(recordingId);
      return (await over) ?? null;
    },
  };
}

/** Ends what is asked, and frees the files. */
export async function letGo({ follower, stop }: Following): Promise<void> {
  stop.abort();
  await follower.close();
}

/** Requests of recordings that are followed take turns of their own: none waits for a long file to end. */
export const liveQueue = ({ queue }: Pick<SpeechEngine, 'queue'>) => ({
  name: `${queue} live`,
  concurrency: 1,
});

/** The audio of a recording that was followed to its end. */
export type FollowedAudio = {
  duration: number;
  warnings: AudioWarning[];
  /** So quiet that the working copy has to be made again, amplified. */
  isQuiet: boolean;
  /** Stretches that are not in the plan yet, as long as the engine takes. */
  rest(secondsMax: number): Stretch[];
  /** What the engine was asked last, unless nothing would come of it. */
  asked: Following['asked'];
  /** Makes the working copy of the audio of what was followed. False when it could not be written: it is made anew. */
  keep(): Promise<boolean>;
  close(): Promise<void>;
};

/** The two lengths may differ by what a resampler rounds, seconds. */
const differenceMax = 0.1;

/**
 * Takes in the rest of the audio. Null where it is not the audio that the log has, or could not be read: it is then
 * looked through from its beginning.
 */
export async function endedAudio(
  following: Following,
  audioSeconds: number | null,
): Promise<FollowedAudio | null> {
  const { follower, stop, isWaiting } = following;
  if (isWaiting) stop.abort();
  const ended = await follower.end().catch(() => null); // the caller reads the file itself, and fails as that does
  if (!ended || Math.abs(ended.duration - (audioSeconds ?? 0)) > differenceMax) {
    await letGo(following);
    return null;
  }
  const { warnings, gainDb, isQuiet } = loudnessOf(ended.level);
  return {
    duration: ended.duration,
    warnings,
    isQuiet: gainDb > 0 || (ended.isStereo && isQuiet),
    rest: (secondsMax) => follower.rest(secondsMax),
    asked: isWaiting ? null : following.asked,
    keep: () =>
      follower.keep().then(
        () => true,
        () => false, // the caller decodes the file itself, and fails as that does
      ),
    close: () => letGo(following),
  };
}
