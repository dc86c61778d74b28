import { recordingOf } from '../../events/facts/recording.ts';
import type { LoggedFact } from '../../events/facts/catalogue.ts';
import { isIn } from '../../machines/states.ts';
import { failedRecordings } from '../../projections/recordings.ts';
import type { ProjectionRunner } from '../../projections/runner/runner.ts';
import type { LateBrowserAudio } from '../capture/browser/late-audio.ts';
import type { OpenedLog } from './event-log.ts';
import { audioAtOneNode } from '../recordings/control/at-one-node.ts';
import type { OpenRecordingService } from '../recordings/service.ts';
import type { Log } from '../shared/log.ts';
import { onAbort, untilAborted } from '../shared/abort.ts';
import { systemClock } from '../shared/retry.ts';

/**
 * What one process does for all that have the log: what others left undone when they died, and recordings whose engines
 * were away are tried again. First when it becomes the one, then from time to time.
 */
export type Upkeep = {
  /** From now on. @param also done each time this process becomes the one */
  begin(also: () => Promise<void>): void;
  /** Whether it is this process. */
  isHere(): boolean;
  /** Resolves when nothing is done any more, after the signal's abort. */
  settled(): Promise<void>;
};

type UpkeepParts = {
  projections: Pick<ProjectionRunner, 'onApplied'>;
  recordingService: OpenRecordingService;
  lateAudio: Pick<LateBrowserAudio, 'takeUp'>;
  /** Between two looks, in milliseconds. */
  everyMs: number;
  log: Log;
  /** Ends it. */
  signal: AbortSignal;
};

export function openUpkeep(opened: OpenedLog, parts: UpkeepParts): Upkeep {
  const { projections, signal } = parts;
  let begin = (_also: () => Promise<void>): void => {};
  const begun = new Promise<() => Promise<void>>((resolve) => (begin = resolve));
  let working = Promise.resolve();
  const work = async (held: AbortSignal): Promise<void> => {
    const also = await untilAborted(begun, held).catch(() => undefined);
    if (also) await keepLooking(opened, { ...parts, signal: held }, also);
  };
  const isHere = audioAtOneNode(opened, 'upkeep', signal, (held) => (working = work(held)));
  return {
    isHere,
    settled: () => working,
    begin(also) {
      const stop = projections.onApplied((facts) => {
        if (isHere()) void attempt(() => followFailures(facts, parts), parts);
      });
      onAbort(signal, stop);
      begin(also);
    },
  };
}

async function keepLooking(
  { rows }: OpenedLog,
  parts: UpkeepParts,
  also: () => Promise<void>,
): Promise<void> {
  const { recordingService, lateAudio, everyMs, signal } = parts;
  const steps = [() => recordingService.finishPending(), () => lateAudio.takeUp()];
  const again = () => recordingService.eraseAgain();
  const failed = () => recordingService.awaitEngines(failedRecordings(rows.storage));
  for (let todo = [again, ...steps, failed, also]; !signal.aborted; todo = steps) {
    for (const step of todo) if (!signal.aborted) await attempt(step, parts);
    await systemClock.wait(everyMs, signal).catch(() => undefined);
  }
}

/** What fails is tried again with the next look. */
async function attempt(
  work: () => Promise<void>,
  { log, signal }: Pick<UpkeepParts, 'log' | 'signal'>,
): Promise<void> {
  await work().catch((error: unknown) => {
    if (!signal.aborted) log.warn({ err: error }, 'cleanup after other processes failed; retrying');
  });
}

/** Another process may have worked on it: here it is not heard of in another way. */
async function followFailures(
  facts: readonly LoggedFact[],
  { recordingService }: UpkeepParts,
): Promise<void> {
  for (const { stream, from = '', to = '' } of facts) {
    const recordingId = recordingOf(stream);
    if (recordingId === undefined) continue;
    if (isIn(to, 'error')) await recordingService.awaitEngines([recordingId]);
    else if (isIn(from, 'error')) recordingService.leaveEngines([recordingId]);
  }
}
