import type { StageNow } from '../../recordings/stages/stage-progress.ts';
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
 * Publishes what is in no log: how far a stage is (`progress`), how loud a capture is
 * (`level`) and what is wrong with it (`warning`).
 * @param ownerOf the user a recording belongs to; undefined for one that is not there.
 * @returns how to stop.
 */
export function followEphemeral(
  { recordingService, captures, log }: Pick<HttpServices, 'recordingService' | 'captures' | 'log'>,
  ownerOf: (recordingId: string) => Promise<string | undefined>,
  { followed, tell, touch }: Audience,
): () => void {
  const progress = throttledProgress((recordingId, frame) => {
    void ofOwner(recordingId, (owner) => tell(owner, [frame]));
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
    const frame = JSON.stringify({ type: 'level', recording_id: recordingId, ...level });
    void ofOwner(recordingId, (owner) => tell(owner, [frame]));
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
    stopLevels();
    stopWarnings();
    progress.stop();
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

/** `progress` frames, the newest of each recording, at most so often. */
function throttledProgress(send: (recordingId: string, frame: string) => void) {
  const newest = new Map<string, StageNow>();
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    timer = undefined;
    for (const [
      recordingId,
      { stage, fraction, seconds_left, attempt, waiting, behind },
    ] of newest) {
      send(
        recordingId,
        JSON.stringify({
          type: 'progress',
          recording_id: recordingId,
          stage,
          fraction,
          seconds_left,
          attempt,
          waiting,
          ...(behind === undefined ? {} : { behind }),
        }),
      );
    }
    newest.clear();
  };
  return {
    add(recordingId: string, activity: StageNow): void {
      newest.set(recordingId, activity);
      timer ??= setTimeout(flush, limits.progressEveryMs);
    },
    stop(): void {
      clearTimeout(timer);
    },
  };
}
