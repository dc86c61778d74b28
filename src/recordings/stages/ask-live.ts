import type { Stretch } from '../../../events/facts/transcript.ts';
import { StageError } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import { waitingSign, retry } from '../../shared/retry.ts';
import type { Lease } from '../../shared/shared-resource.ts';
import type { Recognised, SpeechEngine } from '../../speech/engine.ts';
import { failure } from '../../words/failures.ts';
import { shiftSegments } from '../../speech/parse-transcript.ts';
import type { TermsOf } from '../terms.ts';
import { type Following, liveQueue } from './followings.ts';
import type { Job } from './run-stage.ts';

type Ask = {
  job: Job;
  language: string | null;
  /** @throws {StageError} `no-engine` */
  leaseEngine(): Promise<Lease<SpeechEngine>>;
  termsOf: TermsOf;
  log: Log;
  /** What is heard so far, of an engine that streams. */
  onPartial(text: string): void;
};

/** Between two tries of an engine that is missing, away or fails, in milliseconds. */
const pauses = { first: 5_000, max: 300_000 };

/**
 * Asks the engine for a stretch of a recording that goes on, again until it answers: an engine that is missing or away
 * is waited for as long as people talk. What it answers counts for the recording's time.
 * @throws the reason of `following.stop`
 */
export async function askUntilAnswered(
  following: Following,
  stretch: Stretch,
  ask: Ask,
): Promise<Recognised> {
  const { job, log } = ask;
  const sign = waitingSign((waiting) => job.waiting(waiting));
  let isReported = false;
  const recognised = await retry(() => askOnce(following, stretch, ask), {
    pauses,
    signal: following.stop.signal,
    isTransient: () => true,
    onRetry(error) {
      // Once: it may be away for as long as people talk.
      if (!isReported)
        log.warn(
          { err: error, recordingId: job.recordingId },
          'live transcription of a passage failed',
        );
      isReported = true;
      following.isWaiting = true;
      sign.show(error instanceof StageError ? error.sentence : failure('unexpected-error'));
    },
  });
  sign.clear();
  return recognised;
}

async function askOnce(
  following: Following,
  [start, end]: Stretch,
  { job, language, leaseEngine, termsOf, onPartial }: Ask,
): Promise<Recognised> {
  const { follower, stop } = following;
  const { signal } = stop;
  following.isWaiting = true;
  const { value: engine, release } = await leaseEngine();
  try {
    const slot = await job.turn(liveQueue(engine), signal);
    following.isWaiting = false;
    const piece = await follower.piece([start, end]);
    try {
      const { segments, ...heard } = await engine.recognise(piece, [0, piece.duration], {
        language,
        terms: await termsOf(await job.recording(), job.owner),
        signal,
        onPartial,
        onWaiting(waiting) {
          following.isWaiting = waiting !== null;
          job.waiting(waiting);
        },
      });
      return { ...heard, segments: shiftSegments(segments, start, end) };
    } finally {
      slot.release();
      await piece.close();
    }
  } finally {
    release();
  }
}
