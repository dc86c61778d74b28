import { recordingOf } from '../../events/facts/recording.ts';
import type { LoggedFact } from '../../events/facts/catalogue.ts';
import { isIn } from '../../machines/states.ts';
import { failedRecordings } from '../../projections/recordings.ts';
import type { ProjectionRunner } from '../../projections/runner/runner.ts';
import type { LateBrowserAudio } from '../capture/browser/late-audio.ts';
import type { OpenedLog } from './event-log.ts';
import { audioAtOneNode } from '../recordings/at-one-node.ts';
import type { OpenRecordingService } from '../recordings/service.ts';
import type { Log } from '../shared/log.ts';
import { systemClock } from '../shared/retry.ts';

/**
 * What one node does for all where several share the log: what others left undone when they died, and recordings whose
 * engines were away are tried again. A process that is alone does that at its start (`take-up.ts`), and when it comes up.
 */
export type Upkeep = {
  /** From now on. @param also done each time this node becomes the one; at once where it is alone */
  begin(also: () => Promise<void>): void;
  /** Whether it is this node. */
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
  let also: (() => Promise<void>) | undefined;
  let tenure = new AbortController();
  let round = Promise.resolve();
  const look = (): void => {
    if (also === undefined || !isHere()) return;
    tenure.abort();
    tenure = new AbortController();
    const ends = AbortSignal.any([signal, tenure.signal]);
    const [before, first] = [round, also];
    round = before.then(() => keepLooking(opened, { ...parts, signal: ends }, first, isHere));
  };
  const isHere = audioAtOneNode(opened, 'upkeep', signal, look);
  return {
    isHere,
    begin(each) {
      if (opened.standing.isAlone) {
        void attempt(each, parts);
        return;
      }
      also = each;
      const stop = projections.onApplied((facts) => {
        if (isHere()) void attempt(() => followFailures(facts, parts), parts);
      });
      signal.addEventListener('abort', stop, { once: true });
      look();
    },
    settled: () => round,
  };
}

async function keepLooking(
  { rows }: OpenedLog,
  parts: UpkeepParts,
  also: () => Promise<void>,
  isHere: () => boolean,
): Promise<void> {
  const { recordingService, lateAudio, everyMs, signal } = parts;
  const steps = [() => recordingService.finishPending(), () => lateAudio.takeUp()];
  const failed = () => recordingService.awaitEngines(failedRecordings(rows.storage));
  const again = () => recordingService.eraseAgain();
  for (let todo = [failed, ...steps, again, also]; isHere() && !signal.aborted; todo = steps) {
    for (const step of todo) await attempt(step, parts);
    await systemClock.wait(everyMs, signal).catch(() => undefined);
  }
}

/** What fails is tried again with the next look. */
async function attempt(
  work: () => Promise<void>,
  { log, signal }: Pick<UpkeepParts, 'log' | 'signal'>,
): Promise<void> {
  await work().catch((error: unknown) => {
    if (!signal.aborted) log.warn({ err: error }, 'what was left undone is not done yet');
  });
}

/** Another node worked on it, so here it is not heard of in another way. */
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
