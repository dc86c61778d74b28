/** What is in progress, from the status object: failed, waiting for the person, at work. */
import type { Frame, Status } from '../../../client/feed.ts';
import type { Stage } from '../../../client/stages.ts';

type Processing = Status['processing'][number];
type Progress = Extract<Frame, { type: 'progress' }>;

/** One of the stages that run; of two voices are told apart while speech is recognised. */
export type Work = {
  stage: Stage | null;
  fraction: number | null;
  secondsLeft: number | null;
  /** `what`, `cause`: in the reader's language, as the status object has them; null until it does. */
  waiting: { ahead: number; since: string; what: string | null; cause: string | null } | null;
};

type Named = { id: string; title: string | null; startedAt: string | null };
export type Job = Named &
  (
    | {
        kind: 'failed';
        stage: Stage;
        code: string;
        message: string | null;
        retriable: boolean;
        waits: boolean;
      }
    | { kind: 'names'; speakers: number }
    | { kind: 'works'; works: Work[] }
  );

/** Failed first, then what waits for the person, then what goes on by itself. */
export function jobsOf(status: Status, progress: ReadonlyMap<string, Progress>): Job[] {
  const failed = status.errors.map((error): Job => ({
    ...named(error),
    kind: 'failed',
    stage: error.stage,
    code: error.code,
    message: error.message,
    retriable: error.retriable,
    waits: error.waiting !== null,
  }));
  const unnamed = status.speakers_pending.map((pending): Job => ({
    ...named(pending),
    kind: 'names',
    speakers: pending.speakers.length,
  }));
  const atWork = new Map<string, Job & { kind: 'works' }>();
  for (const line of status.processing) {
    const job = atWork.get(line.recording_id) ?? { ...named(line), kind: 'works', works: [] };
    job.works.push(workOf(line, progress.get(progressKey(line))));
    atWork.set(line.recording_id, job);
  }
  return [...failed, ...unnamed, ...atWork.values()];
}

/** Whose progress a frame tells. */
export const progressKey = (of: { recording_id: string; stage: string | null }): string =>
  `${of.recording_id} ${of.stage}`;

function workOf(line: Processing, newer: Progress | undefined): Work {
  const fraction = newer?.fraction ?? line.fraction;
  return {
    stage: line.stage,
    fraction,
    // Before a tenth is done it would be a guess.
    secondsLeft: fraction !== null && fraction >= 0.1 ? secondsLeft(newer ?? line) : null,
    waiting: waitingOf(line, newer),
  };
}

function waitingOf({ waiting: told }: Processing, newer: Progress | undefined): Work['waiting'] {
  const now = newer === undefined ? told : newer.waiting;
  if (now === null) return null;
  const { ahead, since } = now;
  return { ahead, since, what: told?.for ?? null, cause: told?.cause ?? null };
}

const secondsLeft = (of: object): number | null =>
  'seconds_left' in of && typeof of.seconds_left === 'number' ? of.seconds_left : null;

/** Fields that an older service does not send are absent. */
function named(of: {
  recording_id: string;
  title?: string | null;
  source?: string | null;
  started_at?: string;
}): Named {
  return {
    id: of.recording_id,
    title: of.title ?? of.source ?? null,
    startedAt: of.started_at ?? null,
  };
}
