import { join } from 'node:path';
import type { Part } from '../../../events/facts/assembly.ts';
import { type RecordingFact, type RecordingFactOf } from '../../../events/facts/recording.ts';
import type { EventStore } from '../../../events/store.ts';
import {
  type CarriedFact,
  type TalkTexts,
  carriedFacts,
  carriedBeside,
} from '../../../projections/recording/carried-facts.ts';
import { holdTaken } from '../../../projections/recording/holds.ts';
import { noOrder, orderOf, orderTaken } from '../../../projections/recording/order.ts';
import {
  type ReadFact,
  type Recording,
  documentFilesOf,
  factAt,
  readRecording,
  shownOf,
} from '../../../projections/recording/recording.ts';
import {
  type Said,
  followedBy,
  partOf,
  saidOf,
  without,
} from '../../../projections/recording/said.ts';
import { peopleGiven } from '../../../projections/recording/people-given.ts';
import { mentionsGone } from '../../../projections/recording/said-gone.ts';
import { type Sidenote, lastNumber } from '../../../projections/recording/sidenotes.ts';
import { isTitleGiven } from '../../../projections/recording/written-texts.ts';
import { assembleAudio } from '../../audio/assemble-audio.ts';
import { fallbackSummary, fallbackTitle } from '../../language/fallback.ts';
import { textOfLines } from '../../language/talk.ts';
import { StageError } from '../../shared/errors.ts';
import { hashFile } from '../../shared/files.ts';
import { localTime } from '../../shared/time.ts';
import type { AudioFile, AudioStore } from '../../storage/audio/audio-store.ts';
import type { PendingJobs } from '../../storage/pending-jobs.ts';
import { failure } from '../../words/failures.ts';
import { waitsFor } from '../../words/waiting.ts';
import type { Job, StageActivity } from './run-stage.ts';
import { erasedState, lastState } from '../handle.ts';
import type { OpenRecordingService } from '../service.ts';
import { looked } from './look-until.ts';
import { type RecordingPiece, ledgerOfPieces, partsOfPieces } from './pieces.ts';
import { type TakenUp, type TakenDeps, takenOf } from './taken-along.ts';
import { isSplitCapture, withRoom } from './stage-files.ts';

/*
 * Makes a recording of parts of others, as its last fact asks (`events/facts/assembly.ts`): what joins, cuts and removes is
 * a list of parts, by which audio is put together to a new file, and by which all that is said is divided and put together
 * (`projections/recording/said.ts`). Another recording that it leads to is begun first, whole in one write; then this one
 * takes its new audio and what it says, in one write as well. A process that dies in between leaves nothing half: the next
 * finds the other begun or not, and does the rest.
 */

export type AssembleDeps = TakenDeps & {
  files: AudioStore;
  jobs: Pick<PendingJobs, 'add' | 'complete'>;
  store: Pick<EventStore, 'read' | 'version'>;
  /** Begins a recording with these facts, once. */
  begin(
    recordingId: string,
    facts: readonly RecordingFact[],
    metadata: { by: string; command: string },
  ): Promise<unknown>;
  rest: OpenRecordingService['rest'];
};

export function assembleStage(deps: AssembleDeps): StageActivity {
  return async (job) => {
    const first = await job.recording();
    const asked = askedOf(first);
    const other = otherOf(asked);
    const hasOther = other !== null && (await lastState(deps.store, other)) !== undefined;
    if (hasOther && asked.type === 'passage.removed') await untilGone(job, other, deps);
    await job.acquireSlot(audioQueue);
    const joined = asked.type === 'recording.joined' ? await toJoin(asked.data.with, deps) : null;
    const plan = planOf(asked, first, { joined, isGone: hasOther });
    if (plan.other && other !== null && !hasOther) {
      // Should this process die before it is begun, the next start removes what lies in its folder: no fact speaks of it.
      await deps.jobs.add(other, 'import');
      const audio = await keptAs(job, other, 'audio.wav', plan.other.parts, deps.files);
      // What was said of it meanwhile is carried over as well.
      const facts = beginningOf(await job.recording(), asked, audio, plan.other);
      await deps.begin(other, facts, {
        by: asked.by,
        command: `${job.recordingId}@${asked.version}`,
      });
      await deps.jobs.complete(other, 'import');
    }
    if (plan.own) return await succeed(job, { asked, own: plan.own, joined }, deps);
    job.release();
    await untilGone(job, other!, deps);
    const again = await job.turn(audioQueue, job.signal);
    const { own } = planOf(asked, first, { joined, isGone: true });
    await succeed(job, { asked, own: own!, joined }, deps).finally(() => again.release());
  };
}

const audioQueue = { name: 'audio', concurrency: 1 };

/** What is left of it is a recording that takes it up, by which the stage is left; until a person deletes that one. */
async function untilGone(job: Job, other: string, { store, rest }: AssembleDeps): Promise<void> {
  const goOn = rest(job.recordingId);
  const isGone = async () => (await lastState(store, other)) === erasedState || null;
  await looked(job, waitsFor('replacing-note'), isGone).finally(goOn);
}

async function succeed(
  job: Job,
  { asked, own, joined }: { asked: Asked; own: Making; joined: Recording | null },
  deps: AssembleDeps,
): Promise<void> {
  const audio = await keptAs(
    job,
    job.recordingId,
    `audio-${asked.version}.wav`,
    own.parts,
    deps.files,
  );
  // The file that it replaces is removed when there are documents, by whichever process there is then.
  await deps.jobs.add(job.recordingId, 'keep-audio');
  const taken = await takenOf(job, own.absorbs, deps);
  await job.decide((now) => successionOf(now, audio, { said: own.said, joined, taken }));
}

type Asked = ReadFact<'recording.joined' | 'recording.cut' | 'passage.removed'>;

/** The fact that led to the stage: the last of its kind. */
function askedOf({ facts }: Recording): Asked {
  const isAsked = (fact: ReadFact): fact is Asked =>
    fact.type === 'recording.joined' ||
    fact.type === 'recording.cut' ||
    fact.type === 'passage.removed';
  const asked = facts.findLast(isAsked);
  if (!asked) throw new Error('nothing was asked to be assembled');
  return asked;
}

const otherOf = (asked: Asked): string | null =>
  asked.type === 'recording.joined' ? null : (asked.data.into ?? null);

async function toJoin(recordingId: string, { store }: AssembleDeps): Promise<Recording> {
  const joined = await readRecording(store, recordingId);
  if (joined.files.audio && joined.sources.published) return joined;
  throw new StageError(failure('joined-recording-gone'), { retriable: false });
}

/** What a recording is made of: its audio, and what is said in it. */
type Making = {
  parts: readonly RecordingPiece[];
  said(recording: Recording): Said;
  absorbs?: string[] | undefined;
};
type Plan = { own: Making | null; other: Making | null };

/** `isGone`: a person deleted the one that was to take this one up before it had. */
type There = { joined: Recording | null; isGone: boolean };

function planOf(asked: Asked, recording: Recording, { joined, isGone }: There): Plan {
  const { duration } = saidOf(recording);
  const piece = (from: number, to: number): RecordingPiece => ({ recording, from, to });
  switch (asked.type) {
    case 'recording.cut': {
      const { at } = asked.data;
      const part = (from: number, to: number): Making => ({
        parts: [piece(from, to === duration ? Infinity : to)],
        said: (now) => partOf(saidOf(now), from, to),
      });
      return { own: part(0, at), other: part(at, duration) };
    }
    case 'passage.removed': {
      const { from, to, into } = asked.data;
      const rest: Making = {
        parts: [piece(0, from), { recording: null, from, to }, piece(to, Infinity)],
        said: (now) => without(saidOf(now), from, to),
      };
      return into === undefined || isGone
        ? { own: rest, other: null }
        : { own: null, other: { ...rest, absorbs: [recording.recordingId] } };
    }
    default: {
      const behind = saidOf(joined!);
      const [mine, theirs] = [piece(0, Infinity), { recording: joined, from: 0, to: Infinity }];
      const isBefore = comesBefore(joined!, recording, asked.data);
      return {
        own: {
          parts: isBefore ? [theirs, mine] : [mine, theirs],
          said: (now) =>
            isBefore ? followedBy(behind, saidOf(now)) : followedBy(saidOf(now), behind),
          absorbs: asked.data.absorbs ? [asked.data.with] : undefined,
        },
        other: null,
      };
    }
  }
}

/** What was recorded behind another stays behind it, whatever a person says of when that began. */
const comesBefore = (
  one: Recording,
  other: Recording,
  { absorbs }: { absorbs?: unknown } = {},
): boolean => !absorbs && Date.parse(one.startedAt ?? '') < Date.parse(other.startedAt ?? '');

type KeptAudio = AudioFile & { duration: number; split?: true; parts: Part[] };

/** Puts the audio together and keeps it; what is gone of it meanwhile is silence. */
async function keptAs(
  job: Job,
  recordingId: string,
  name: string,
  parts: readonly RecordingPiece[],
  files: AudioStore,
): Promise<KeptAudio> {
  const target = join(await files.workFolder(job.recordingId), `assembled-${recordingId}.wav`);
  const sources = [...new Set(parts.flatMap(({ recording }) => recording ?? []))];
  const { duration, channels } = await withRoom(job, () =>
    withFiles(sources, files, (pathOf) =>
      assembleAudio(
        target,
        parts.map(({ recording, from, to }) => ({
          path: recording && pathOf(recording.recordingId),
          from,
          to,
        })),
        job.signal,
      ),
    ),
  );
  const made = (await hashFile(target))!;
  const path = await files.keep(recordingId, name, { path: target, sha256: made.sha256 });
  const isSplit = channels === 2 && sources.every(isSplitCapture);
  return {
    ...made,
    path,
    duration,
    ...(isSplit ? { split: true } : {}),
    ...ledgerOfPieces(parts),
    parts: partsOfPieces(parts),
  };
}

/** Works with the audio files of recordings at their paths. @throws {StageError} where one has none */
async function withFiles<T>(
  [recording, ...more]: readonly Recording[],
  files: AudioStore,
  work: (pathOf: (recordingId: string) => string) => Promise<T>,
): Promise<T> {
  if (!recording) return await work(() => '');
  const { recordingId } = recording;
  const { audio } = recording.files;
  if (!audio) throw new StageError(failure('no-audio'), { retriable: false });
  return await files.read(recordingId, audio, (path) =>
    withFiles(more, files, (pathOf) =>
      work((wanted) => (wanted === recordingId ? path : pathOf(wanted))),
    ),
  );
}

/** The facts with which another recording begins that is made of a part of this one. */
function beginningOf(
  recording: Recording,
  asked: Asked,
  { bytes, ...audio }: KeptAudio,
  { said, absorbs }: Making,
): CarriedFact[] {
  const source = shownOf(recording);
  const told = numbered(said(recording), [], 0);
  const isCut = asked.type === 'recording.cut';
  const titled = isTitleGiven(recording, source);
  const { named } = documentFilesOf(recording, recording.sources.draft);
  const texts = textsOf(told);
  const called = saidTitle(recording) ?? texts.title;
  const title = isCut ? `${called} (2)` : called;
  const { kind } = told;
  const began = Date.parse(recording.startedAt ?? '') + (isCut ? asked.data.at * 1000 : 0);
  const people = peopleGiven(recording);
  // Names of files are made of titles.
  const mentions = mentionsGone(saidOf(recording).blocks, told.blocks);
  const base = named?.content?.base;
  return [
    {
      type: 'audio.imported',
      data: {
        owner: recording.files.owner ?? 'system',
        kind,
        language: told.language,
        speakers: null,
        bytes,
        ...audio,
        started_at: new Date(began).toISOString(),
        ...(absorbs ? { absorbs, absorbed_version: recording.facts.at(-1)?.version } : {}),
      },
      content: {
        ...(people.length > 0 ? { people: [...people] } : {}),
        ...(absorbs && base !== undefined && !mentions(base) ? { base } : {}),
      },
    },
    ...carriedFacts(told, { ...texts, title }, { run: 1, kind, version: 1 }),
    ...(titled ? [titledFact(title)] : []),
    ...carriedBeside(told, { had: false }),
    ...orderTaken(noOrder, orderOf(recording)),
    ...holdTaken({ facts: [] }, recording, Date.now()),
  ];
}

/** What a person said it is called stays what a person said. */
const titledFact = (title: string): RecordingFact => ({
  type: 'title.changed',
  data: {},
  content: { title, previous: null },
});

const saidTitle = (recording: Recording): string | null => {
  const { results } = shownOf(recording);
  const titled = factAt(recording, results.titled, 'title.changed')?.content?.title;
  const origin = factAt(recording, 1, 'recording.started', 'audio.imported')?.content?.title;
  return titled ?? origin ?? null;
};

/** What this recording says from now on, behind its new audio. */
function successionOf(
  recording: Recording,
  { bytes, ...audio }: KeptAudio,
  { said, joined, taken }: Pick<Making, 'said'> & { joined: Recording | null; taken: TakenUp },
): CarriedFact[] {
  const own = saidOf(recording).sidenotes;
  const told = numbered(said(recording), own, lastNumber(recording));
  const { draft, run } = recording.sources;
  const present = recording.files.audio;
  const replaced: RecordingFactOf<'audio.assembled'> = {
    type: 'audio.assembled',
    data: { bytes, ...audio, replaces: present?.path ?? '', ...taken.data },
  };
  const facts: CarriedFact[] = [replaced];
  const version = recording.facts.length + facts.length;
  const kind = draft.kind ?? 'solo';
  const texts = textsOf(joined ? { ...told, title: saidOf(recording).title } : told);
  facts.push(...carriedFacts(told, texts, { run: run + 1, kind, version }));
  facts.push(...carriedBeside(told, { had: own.length > 0 }));
  if (joined && comesBefore(joined, recording, taken.data)) {
    const local_start = localTime(new Date(joined.startedAt ?? ''));
    facts.push({ type: 'start.changed', data: { local_start } });
  }
  return [...facts, ...taken.facts(recording)];
}

/**
 * Its own side notes keep their numbers; what is at another second, or another's, gets one after the last. Lines that rest
 * on them follow.
 */
function numbered(told: Said, own: readonly Sidenote[], last: number): Said {
  const numbers = new Map<number, number>();
  let given = last;
  const sidenotes = told.sidenotes.map((one) => {
    const stays = own.some(
      ({ note, at, by, text }) =>
        note === one.note && at === one.at && by === one.by && text === one.text,
    );
    if (stays) return one;
    given += 1;
    numbers.set(one.note, given);
    return { ...one, note: given };
  });
  const lines = told.summary.lines.map((line) => {
    const note = line.note === undefined ? undefined : numbers.get(line.note);
    return note === undefined ? line : { ...line, note };
  });
  return { ...told, sidenotes, summary: { ...told.summary, lines } };
}

/** Lines that rest on what is left; an extract where none do, also for a title that mentions what is not. */
function textsOf({ blocks, language, names, summary, title }: Said): TalkTexts {
  const extract =
    summary.lines.length > 0
      ? { text: textOfLines(summary.lines, names), lines: summary.lines }
      : fallbackSummary(blocks, { language });
  const from = { summary: extract.text, blocks: [...blocks] };
  const { abstract, title: extracted } = fallbackTitle(from, { language });
  const by = summary.lines.length > 0 ? summary.by : { engine: 'built-in', model: null };
  return { summary: { ...extract, by }, abstract, title: title || extracted };
}
