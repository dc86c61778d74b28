import type { PartialUtterance, StageNow } from '../../recordings/stages/stage-progress.ts';
import { limits } from '../limits.ts';
import type { HttpServices } from '../services.ts';

/** The clients that ephemeral events go to. */
type Audience = {
  /** Whether a client follows. */
  followed(): boolean;
  /** To those who may know what the owner's recordings say. */
  tell(owner: string, frames: readonly string[]): void;
  /** The status object of the owner looks different now. */
  touch(owner: string): void;
};

/**
 * Publishes what is in no log: how far a stage is (`progress`), what may have been said (`utterance`, not `final`), how
 * loud a capture is (`level`) and what is wrong with it (`warning`).
 * @param ownerOf the user a recording belongs to; undefined for one that is not there.
 * @returns how to stop.
 */
export function followEphemeral(
  { recordingService, captures, log }: Pick<HttpServices, 'recordingService' | 'captures' | 'log'>,
  ownerOf: (recordingId: string) => Promise<string | undefined>,
  { followed, tell, touch }: Audience,
): () => void {
  const toOwner = (recordingId: string, frame: object): void =>
    void ofOwner(recordingId, (owner) => tell(owner, [JSON.stringify(frame)]));
  const progress = newestOfEach((recordingId: string, activity: StageNow) =>
    toOwner(recordingId, progressFrame(recordingId, activity)),
  );
  const guesses = newestOfEach((recordingId: string, heard: PartialUtterance) =>
    toOwner(recordingId, { type: 'utterance', recording_id: recordingId, ...heard, final: false }),
  );
  const stopHearing = recordingService.onHeard((recordingId, heard) => {
    if (heard === null) guesses.forget(recordingId);
    else if (followed()) guesses.add(recordingId, heard);
  });
  const stopWatching = recordingService.onActivity((recordingId, activity) => {
    if (!followed()) return;
    progress.add(recordingId, activity);
    if (activity.waiting) {
      // A wait is part of the status object, and no fact.
      void ofOwner(recordingId, touch);
    }
  });
  const stopLevels = captures.onNow(({ recordingId, level }) => {
    if (!followed() || !level) return;
    toOwner(recordingId, { type: 'level', recording_id: recordingId, ...level });
  });
  const stopWarnings = captures.onWarnings(({ recordingId, warnings }) => {
    const frames = warnings.map((warning) =>
      JSON.stringify({
        type: 'warning',
        recording_id: recordingId,
        ...warning,
        detail: warning.message,
      }),
    );
    void ofOwner(recordingId, (owner) => {
      tell(owner, frames);
      // Warnings are part of the status object, and no facts.
      touch(owner);
    });
  });

  return () => {
    stopWatching();
    stopHearing();
    stopLevels();
    stopWarnings();
    progress.stop();
    guesses.stop();
  };

  async function ofOwner(recordingId: string, use: (owner: string) => void): Promise<void> {
    try {
      const owner = await ownerOf(recordingId);
      if (owner !== undefined) use(owner);
    } catch (error) {
      log.warn({ err: error, recordingId }, 'an ephemeral event could not be published');
    }
  }
}

const progressFrame = (
  recordingId: string,
  { stage, fraction, seconds_left, attempt, waiting, behind }: StageNow,
) => ({
  type: 'progress',
  recording_id: recordingId,
  stage,
  fraction,
  seconds_left,
  attempt,
  waiting,
  ...(behind === undefined ? {} : { behind }),
});

/** Sends the newest of each recording, at most so often. */
function newestOfEach<Value>(send: (recordingId: string, value: Value) => void) {
  const newest = new Map<string, Value>();
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    timer = undefined;
    for (const [recordingId, value] of newest) send(recordingId, value);
    newest.clear();
  };
  return {
    add(recordingId: string, value: Value): void {
      newest.set(recordingId, value);
      timer ??= setTimeout(flush, limits.progressEveryMs);
    },
    forget: (recordingId: string) => newest.delete(recordingId),
    stop(): void {
      clearTimeout(timer);
    },
  };
}
