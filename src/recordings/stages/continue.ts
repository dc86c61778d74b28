import type { apartReasons } from '../../../events/facts/assembly.ts';
import { recordingStream } from '../../../events/facts/recording.ts';
import type { EventStore } from '../../../events/store.ts';
import { joinRecording } from '../../../projections/recording/assembling.ts';
import type { Recording } from '../../../projections/recording/recording.ts';
import type { PendingJobs } from '../../storage/pending-jobs.ts';
import { waitsFor } from '../../words/waiting.ts';
import { hasLateAudio } from '../late-audio-first.ts';
import { absorbedBy } from '../made-of-others.ts';
import { CommandRefused, NotAccepted, UnknownRecording } from '../refusals.ts';
import type { OpenRecordingService } from '../service.ts';
import { looked } from './look-until.ts';
import type { Job, StageActivity } from './run-stage.ts';

/*
 * What was recorded behind an ended recording goes into that one. It was a recording of its own until now, so nothing that
 * was acknowledged depends on the other. From here: it waits until the other can be joined; it begins, and from then on
 * nothing can be said of it that the other would not have (`leaving` of `events/facts/sources.ts`); the other is asked to
 * join it, puts both together, and erases this one before it writes its documents. A process that dies in between leaves
 * both as they are: the next finds whether the other was asked, by its log. Where the other will not have it, it stays a
 * recording of its own.
 */

export type ContinueDeps = {
  store: Pick<EventStore, 'read'>;
  jobs: Pick<PendingJobs, 'list'>;
  service: Pick<OpenRecordingService, 'read' | 'assemble' | 'rest'>;
};

export function continueStage(deps: ContinueDeps): StageActivity {
  return async (job) => {
    const goOn = deps.service.rest(job.recordingId);
    try {
      await continued(job, deps);
    } finally {
      goOn();
    }
  };
}

async function continued(job: Job, deps: ContinueDeps): Promise<void> {
  const mine = await job.recording();
  const wanted = continuedBy(mine);
  if (wanted === null) throw new Error('nothing says what it continues');
  // A process before this one had begun.
  const wasLeaving = mine.sources.assembly === 'leaving';
  const { other, apart, wasAsked } = await untilJoinable(job, { wanted, wasLeaving }, deps);
  if (!wasLeaving) await job.begin();
  const end = async (reason: Apart): Promise<void> => {
    if (wasLeaving) await job.begin();
    await job.append({ type: 'recording.kept_apart', data: { reason } });
  };
  if (apart !== null) return await end(apart);
  if (!wasAsked) {
    // What a browser still holds of it comes first. It says so before it looks whether it may.
    if (await hasLateAudio(job.recordingId, deps.jobs)) return await end('late-audio');
    await ask(job, other, deps);
  }
  await end(await untilGivenUp(job, other, deps));
}

type Apart = (typeof apartReasons)[number];
/** The recording that is to take it, or why there is none; whether it was asked already. */
type Standing = { other: string; apart: Apart | null; wasAsked: boolean };

function continuedBy({ facts }: Recording): string | null {
  const said = facts.findLast((fact) => fact.type === 'recording.continued');
  return said?.data.into ?? null;
}

/** Waits until it can be joined, or never will be: shown as waiting, and without having begun. */
async function untilJoinable(
  job: Job,
  { wanted, wasLeaving }: { wanted: string; wasLeaving: boolean },
  deps: ContinueDeps,
): Promise<Standing> {
  return await looked(job, waitsFor('continued-note'), async () => {
    const other = await presentOf(wanted, deps);
    const there = await standingOf(job, other, deps);
    if (there === null) return { other, apart: 'gone', wasAsked: false };
    const { recording, state, answer } = there;
    if (answer !== null)
      return { other, apart: answer === 'asked' ? null : answer, wasAsked: true };
    // One that is about to leave takes none.
    if (!wasLeaving && (await hasLateAudio(job.recordingId, deps.jobs))) return null;
    if (state !== 'idle.saved') return null;
    return { other, apart: recording.files.audio ? null : 'no-audio', wasAsked: false };
  });
}

/** Asked by its owner, whose the other has to be too. */
async function ask(job: Job, other: string, { service }: ContinueDeps): Promise<void> {
  const mine = await job.recording();
  const command = `continued-by-${job.recordingId}@${mine.facts.length}`;
  await looked(job, waitsFor('continued-note'), async () => {
    try {
      await service.assemble(
        other,
        { by: mine.files.owner ?? job.owner, command },
        joinRecording(mine, { absorbs: true }),
      );
      return true;
    } catch (error) {
      // It is at work again, or gets late audio; or it is gone, which is seen next.
      if (error instanceof NotAccepted)
        return error.state.startsWith('idle.') && error.state !== 'idle.saved' ? true : null;
      if (error instanceof CommandRefused || error instanceof UnknownRecording) return true;
      throw error;
    }
  });
}

/** Waits until it is taken up, by which the stage is left; or until it is known that it will not be. */
async function untilGivenUp(job: Job, other: string, deps: ContinueDeps): Promise<Apart> {
  return await looked(job, waitsFor('continued-note'), async () => {
    const there = await standingOf(job, other, deps);
    if (there === null) return 'gone';
    return there.answer === 'asked' ? null : (there.answer ?? 'given-up');
  });
}

/** The other as it is now, and whether it was asked; null: it is gone, or somebody else's. */
async function standingOf(
  job: Job,
  other: string,
  { service }: ContinueDeps,
): Promise<{ recording: Recording; state: string; answer: 'asked' | 'given-up' | null } | null> {
  try {
    const { recording, state } = await service.read(other);
    const answer = answerIn(recording, job.recordingId);
    // As it is now: it may have been handed over while it waited.
    const isTheirs = recording.files.owner === (await job.recording()).files.owner;
    // One that was asked takes it, whoever it was handed over to meanwhile.
    if (state === 'idle.erased' || (!isTheirs && answer !== 'asked')) return null;
    return { recording, state, answer };
  } catch (error) {
    if (error instanceof UnknownRecording) return null;
    throw error;
  }
}

/** Whether a recording was asked to take another, and has not given it up. */
function answerIn({ facts }: Recording, recordingId: string): 'asked' | 'given-up' | null {
  const asked = facts.findLast(
    (fact) => fact.type === 'recording.joined' && fact.data.with === recordingId,
  );
  if (!asked) return null;
  const after = facts.slice(asked.version);
  const done = after.findIndex(({ type }) => type === 'audio.assembled');
  const end = after.findIndex(
    ({ type }) => type === 'error.cleared' || type === 'processing.cancelled',
  );
  return end >= 0 && (done < 0 || end < done) ? 'given-up' : 'asked';
}

/** How many recordings in a row were each taken up by the next. */
const chainMax = 100;

/** What a recording is in by now: one that was taken up is in the one that took it. */
async function presentOf(recordingId: string, deps: ContinueDeps): Promise<string> {
  let present = recordingId;
  for (let links = 0; links < chainMax; links += 1) {
    const next = await takenUpBy(present, deps);
    if (next === null) return present;
    present = next;
  }
  return present;
}

async function takenUpBy(
  recordingId: string,
  { store }: Pick<ContinueDeps, 'store'>,
): Promise<string | null> {
  let next: string | null = null;
  for await (const { type, command } of store.read(recordingStream(recordingId)))
    if (type === 'recording.erased') next = absorbedBy(command);
  return next;
}
