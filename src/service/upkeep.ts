import { recordingOf } from '../../events/facts/recording.ts';
import type { LoggedFact } from '../../events/facts/catalogue.ts';
import { isIn } from '../../machines/states.ts';
import { failedRecordings } from '../../projections/recordings.ts';
import type { Ports } from './ports.ts';
import type { LateBrowserAudio } from '../capture/browser/late-audio.ts';
import type { DocumentsRefreshing } from '../order/refresh-documents.ts';
import type { OpenRecordingService } from '../recordings/service.ts';
import { audioAtOneNode } from '../recordings/control/at-one-node.ts';
import { onAbort } from '../shared/abort.ts';
import { mayPass } from '../recordings/control/retry-failed.ts';
import { systemClock } from '../shared/retry.ts';

/**
 * What one process does for all that have the log: what others left undone when they died, and recordings whose engines
 * were away are tried again. First when it becomes the one, then from time to time.
 */
export type Upkeep = {
  /** From now on; until then another process is the one, if there is any. @param also done last at each look */
  begin(parts: Looked, also: () => Promise<void>): void;
  /** Whether it is this process. */
  isHere(): boolean;
  /** Resolves when nothing is done any more, after the signal's abort. */
  settled(): Promise<void>;
};

/** What has been left undone is theirs. */
type Looked = {
  recordingService: OpenRecordingService;
  lateAudio: LateBrowserAudio;
  refreshing: DocumentsRefreshing;
};

/** Between two looks for what others left undone, in milliseconds. */
const lookEveryMs = 60_000;

export function openUpkeep(ports: Ports): Upkeep {
  const { projections, signal } = ports;
  let isHere = (): boolean => false;
  let working = Promise.resolve();
  return {
    isHere: () => isHere(),
    settled: () => working,
    begin(parts, also) {
      const stop = projections.onApplied((facts) => {
        const failures = facts.filter(
          ({ from = '', to = '' }) => isIn(from, 'error') || isIn(to, 'error'),
        );
        if (failures.length > 0 && isHere())
          void attempt(() => followFailures(failures, parts), ports);
      });
      onAbort(signal, stop);
      isHere = audioAtOneNode(
        ports,
        'upkeep',
        signal,
        (held) => (working = keepLooking({ ...ports, signal: held }, parts, also)),
      );
    },
  };
}

async function keepLooking(
  ports: Ports,
  { recordingService, lateAudio, refreshing }: Looked,
  also: () => Promise<void>,
): Promise<void> {
  const { storage, signal, browserLimits } = ports;
  const everyMs = Math.min(lookEveryMs, browserLimits.graceMs ?? Infinity);
  const again = () => recordingService.eraseAgain();
  const failed = () => recordingService.awaitEngines(waitingForEngines(storage));
  const todo = new Set([
    again,
    () => recordingService.finishPending(),
    () => lateAudio.takeUp(),
    () => refreshing.look(),
    failed,
    also,
  ]);
  while (!signal.aborted) {
    for (const step of todo) {
      if (signal.aborted) return;
      const isDone = await attempt(step, ports);
      if (isDone && (step === again || step === failed)) todo.delete(step);
    }
    await systemClock.wait(everyMs, signal).catch(() => undefined);
  }
}

async function* waitingForEngines(storage: Ports['storage']): AsyncGenerator<string> {
  for await (const { recordingId, error } of failedRecordings(storage))
    if (mayPass(error)) yield recordingId;
}

/** What fails is tried again with the next look. @returns whether it succeeded */
async function attempt(
  work: () => Promise<void>,
  { log, signal }: Pick<Ports, 'log' | 'signal'>,
): Promise<boolean> {
  return await work().then(
    () => true,
    (error: unknown) => {
      if (!signal.aborted)
        log.warn({ err: error }, 'taking over unfinished work of other nodes failed; trying again');
      return false;
    },
  );
}

/** Another process may have worked on it: here it is not heard of in another way. */
async function followFailures(
  facts: readonly LoggedFact[],
  { recordingService }: Looked,
): Promise<void> {
  for (const { stream, to = '' } of facts) {
    const recordingId = recordingOf(stream);
    if (recordingId === undefined) continue;
    if (isIn(to, 'error')) await recordingService.awaitEngines([recordingId]);
    else recordingService.leaveEngines([recordingId]);
  }
}
