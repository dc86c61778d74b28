import { houseId } from '../../events/facts/personal.ts';
import { type Choosable, builtIn, templateOf } from '../recordings/template-held.ts';
import { originsAnswer } from './origins.ts';
import { doubtsIn } from '../../projections/recording/utterances.ts';
import type { Doubt, Segment } from '../../events/facts/transcript.ts';
import { type ReplacedPlace, replacedIn } from '../../projections/recording/replaced.ts';
import { keysOf } from '../shared/keys-of.ts';
import { localTime } from '../shared/time.ts';
import { summaryAnswer } from './summary-answer.ts';
import type { ListedRecording, RecordingRow } from '../../projections/recording-row.ts';
import type { TranscriptRow } from '../../projections/texts.ts';
import type { LibraryItem } from '../../projections/library.ts';
import {
  type DocumentsInput,
  speakerName,
  speakersOf,
  withSpeakerNames,
} from '../documents/documents.ts';
import type { StageNow } from '../recordings/stages/stage-progress.ts';
import { isIn } from '../../machines/states.ts';
import { turnTag } from '../../projections/recording/edit-turns.ts';
import type { DocumentVersion } from '../../projections/recording/versions.ts';
import type { Note } from '../words/notes.ts';
import type { Sidenote } from '../../projections/recording/sidenotes.ts';
import { type Reading, thoseWhoSpeak } from '../../projections/recording/reading.ts';
import { sayNotes, say, shownTo } from '../words/say.ts';
import { type Reader, errorIn, hearerOf, waitingIn } from './readers-language.ts';
import type { Language } from '../words/params.ts';
import type { LoggedFact } from '../../events/facts/catalogue.ts';
import { recordingStream } from '../../events/facts/recording.ts';
import type { EventStore } from '../../events/store.ts';
import { joinTexts } from '../shared/segments.ts';

/** In which language people and files are called here, and who reads. */
type Answering = { uiLanguage: Language; reader: Reader };

/** One line of `GET /recordings`. */
export function recordingLine(
  row: ListedRecording,
  activities: readonly StageNow[],
  { uiLanguage, reader }: Answering,
) {
  // What the running service says is newer and finer than the log: a queued stage is no fact.
  const activity = activities[0];
  const running = row.running[0];
  return {
    recording_id: row.recordingId,
    owner: row.owner,
    kind: row.kind,
    status: statusName(row.status),
    state: row.state,
    since: row.since,
    stage: activity?.stage ?? running?.stage ?? null,
    fraction: activity?.fraction ?? null,
    attempt: activity?.attempt ?? running?.attempt ?? null,
    waiting: waitingIn(reader, activity?.waiting ?? null),
    title: row.title,
    source: row.source,
    summary: row.abstract === null ? null : withSpeakerNames({ ...row, uiLanguage }, row.abstract),
    language: row.language,
    started_at: row.startedAt,
    duration: row.duration,
    device: row.device,
    error: row.error && errorIn(reader, row.error),
    speakers: speakerAnswers(row.speakers, uiLanguage),
    documents: row.documents,
    folder: row.folder,
    tags: row.tags,
    version: row.version,
  };
}

/** `GET /recordings/{id}`: the line, the words, and what a reader should know. */
export function recordingAnswer(
  row: RecordingRow,
  transcript: TranscriptRow | undefined,
  activities: readonly StageNow[],
  { uiLanguage, reader }: Answering,
) {
  return {
    ...recordingLine(row, activities, { uiLanguage, reader }),
    summary: summaryAnswer(row, transcript, {
      uiLanguage,
      localStart: localTime(new Date(row.startedAt)),
    }),
    activities: activities.map(({ waiting, ...one }) => ({
      ...one,
      waiting: waitingIn(reader, waiting),
    })),
    speakers_revision: row.speakersRevision,
    speakers_pending: suggestionAnswers(row.suggestions, uiLanguage, reader.language),
    pending_revision: row.pendingRevision,
    utterances: transcript ? utterances(transcript) : [],
    sidenotes: sidenotesIn(row.recordingId, transcript?.sidenotes ?? []),
    interruptions: transcript?.interruptions ?? [],
    people: transcript?.people ?? [],
    notes: notesIn(reader, row.notes),
    origins: originsAnswer(row.origins),
    ledger: ledgerOf(row, transcript),
  };
}

/** What the format `json` of an export is. */
export const exportedAnswer = (
  row: RecordingRow,
  transcript: TranscriptRow,
  input: Pick<DocumentsInput, 'uiLanguage' | 'speakers'>,
) => ({
  ...recordingAnswer(row, transcript, [], {
    uiLanguage: input.uiLanguage,
    // A file is passed on.
    reader: { language: input.uiLanguage, isAdmin: false },
  }),
  speakers: speakerAnswers(thoseWhoSpeak(row.speakers), input.uiLanguage),
  summary_text: transcript.summary && withSpeakerNames(input, transcript.summary),
});

/** A line of `GET /transcripts`: labels that have no name are shown as people see them. */
export function libraryAnswer(item: LibraryItem, uiLanguage: Language) {
  const { speakers, abstract } = item;
  return {
    recording_id: item.recordingId,
    created_at: item.startedAt,
    filename: item.documents.index,
    title: item.title,
    source: item.source,
    kind: item.kind,
    language: item.language,
    duration: item.duration,
    documents: item.documents,
    folder: item.folder,
    tags: item.tags,
    speakers: speakersOf({ speakers, uiLanguage }).map(({ name }) => name),
    summary: abstract === null ? null : withSpeakerNames({ speakers, uiLanguage }, abstract),
  };
}

/** What a version of the documents says, as `GET /recordings/{id}` says it of the present one. */
export function readingAnswer(
  id: string,
  reading: Reading,
  { uiLanguage, reader, startedAt }: Answering & { startedAt: string | null },
) {
  const { title, language, speakers, blocks, notes } = reading;
  const localStart =
    reading.localStart ?? (startedAt === null ? '' : localTime(new Date(startedAt)));
  return {
    title,
    language,
    speakers: speakerAnswers(speakers, uiLanguage),
    summary: summaryAnswer(reading, reading, { uiLanguage, localStart }),
    utterances: utterances({ blocks, utterances: [] }),
    sidenotes: sidenotesIn(id, reading.sidenotes),
    interruptions: reading.interruptions,
    notes: notesIn(reader, notes),
  };
}

/** A side note as its routes and its frame say it. */
export const sidenoteAnswer = (recordingId: string, one: Sidenote) => ({
  recording_id: recordingId,
  note: one.note,
  at: one.at,
  block: one.block,
  mark: one.mark,
  text: one.text,
  by: one.by,
  own: one.own,
  written_at: one.writtenAt,
  edited_at: one.editedAt,
});

const sidenotesIn = (recordingId: string, notes: readonly Sidenote[]) =>
  notes.map((one) => sidenoteAnswer(recordingId, one));

/** Notes as sentences, and as codes with parameters for programs. */
function notesIn(reader: Reader, notes: readonly Note[]) {
  const hearer = hearerOf(reader);
  const texts = sayNotes(hearer, notes, reader.language);
  return notes.map((note, at) => ({
    ...shownTo(hearer, { ...note, area: 'note' }),
    text: texts[at]!,
  }));
}

/** Everybody who speaks, with what people see of them: the name, or what stands for one. */
export const speakerAnswers = (speakers: RecordingRow['speakers'], uiLanguage: Language) =>
  speakers.map(({ silent: _silent, ...one }) => ({
    ...one,
    shown: speakerName({ speakers, uiLanguage }, one.label),
  }));

/** Names suggested for labels, with the reason as a person reads it, and what is shown of who has no name. */
export const suggestionAnswers = (
  suggestions: RecordingRow['suggestions'],
  uiLanguage: Language,
  language = uiLanguage,
) =>
  suggestions.map(({ suggestedName, ...one }) => ({
    ...one,
    suggested_name: suggestedName,
    shown: speakerName({ speakers: [], uiLanguage }, one.label),
    ...groundsOf(one.reason, language),
  }));

/** A line of `GET /recordings/{id}/versions`. */
/** @param choosable by its owner: a template may have another name since */
export const versionAnswer = (
  { speechToText, languageModel, template, ...one }: DocumentVersion,
  choosable: Choosable,
  language: Language,
) => ({
  ...one,
  template: template && {
    id: template.id,
    revision: template.revision,
    name: templateOf(template.id, choosable, language)?.name ?? null,
    of: template.of === houseId || template.of === builtIn ? template.of : ('user' as const),
  },
  speech_to_text: speechToText,
  language_model: languageModel,
});

/** What status says of a recording, with the interface's names for which one it is. */
export const statusEntry = <T extends { recordingId: string; startedAt: string }>({
  recordingId,
  startedAt,
  ...rest
}: T) => ({ recording_id: recordingId, started_at: startedAt, ...rest });

/** The top levels of a recording's state, and the application's states as the interface names them. */
const statusNames = {
  idle: 'IDLE',
  recording: 'RECORDING',
  transcribing: 'TRANSCRIBING',
  'awaiting-speakers': 'AWAITING_SPEAKERS',
  error: 'ERROR',
} as const satisfies Record<RecordingRow['status'], string>;

type StatusName = (typeof statusNames)[RecordingRow['status']];

const topLevels = keysOf(statusNames);

/**
 * `transcribing.finishing(…)` → `TRANSCRIBING`: the top level of a canonical state name.
 * @throws when the name is not one of a recording's states
 */
export function statusName(state: string): StatusName {
  const level = topLevels.find((one) => isIn(state, one));
  if (level === undefined) throw new Error(`${state} is not a state of a recording`);
  return statusNames[level];
}

/** `AWAITING_SPEAKERS` → `awaiting-speakers`; undefined for what is not a status. */
export const topLevelState = (status: string): RecordingRow['status'] | undefined =>
  topLevels.find((level) => statusNames[level] === status.toUpperCase());

/** A fact as the interface shows it; what a person said only to those who may hear it. */
export function factAnswer(fact: LoggedFact, options: Shown) {
  const { position, stream, version, type, at, by, run, attempt, from, to, data, content } = fact;
  return {
    position,
    stream,
    version,
    type,
    at,
    by,
    ...(run === undefined ? {} : { run }),
    ...(attempt === undefined ? {} : { attempt }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    data: options.wasErased ? withoutTraces(data) : data,
    ...(options.content && content !== undefined ? { content } : {}),
    ...(fact.erased ? { erased: true } : {}),
  };
}

type Shown = {
  /** What was said, too. */
  content: boolean;
  /** The recording was erased since. */
  wasErased: boolean;
};

/** What still says what happened to a recording, and tells nothing of what it was: no digest, length or time. */
const harmless = ['owner', 'kind', 'stage', 'code', 'retriable', 'reason', 'device', 'trigger'];

const withoutTraces = (data: object): object =>
  Object.fromEntries(Object.entries(data).filter(([key]) => harmless.includes(key)));

/** A page of a recording's facts after a position of the log. `next_after`: null at the end. */
export async function factsPage(
  store: Pick<EventStore, 'read'>,
  recordingId: string,
  { after, limit, ...shown }: { after: number; limit: number } & Shown,
) {
  const events: ReturnType<typeof factAnswer>[] = [];
  let last = after;
  for await (const fact of store.read(recordingStream(recordingId))) {
    if (fact.position <= after) continue;
    if (events.length === limit) return { events, next_after: last };
    events.push(factAnswer(fact, shown));
    last = fact.position;
  }
  return { events, next_after: null };
}

/**
 * Why a name is suggested: the words that it rests on, or a sentence. A fact has the words in quotation marks, or a code
 * (`projections/recording/suggest-names.ts`); what is neither is shown as it is.
 */
export function groundsOf(
  said: string | null,
  language: Language,
): { reason: string | null; quote: string | null } {
  if (said === null) return { reason: null, quote: null };
  const quote = /^“(.*)”$/su.exec(said)?.[1] ?? null;
  const sentence = quote === null ? { code: said } : { code: 'said', params: { quote } };
  return { reason: say(sentence, language, 'suggestion')?.detail ?? said, quote };
}

/** What was captured and what is missing of it, and corrections that found no place. */
function ledgerOf({ ledger }: RecordingRow, transcript: TranscriptRow | undefined): unknown {
  const unplaced = transcript?.unplaced ?? [];
  if (unplaced.length === 0) return ledger;
  return { ...(ledger as object | null), unplaced_corrections: unplaced };
}

/** The transcript's blocks; while there are none, the stretches as they were recognised. */
function utterances({ blocks, utterances }: Pick<TranscriptRow, 'blocks' | 'utterances'>) {
  if (utterances.length === 0) {
    return blocks.map((block, index) => {
      const { id, speaker, start, end, text, words } = block;
      const revision = turnTag({ id, speaker, text });
      const said = { index, block: id, revision, start, end, speaker, text, words };
      return { ...said, ...doubtAnswer(doubtsIn(block)), ...replacedPlaces(replacedIn(block)) };
    });
  }
  return utterances.map(({ index, start, end, segments, doubt, voice = null }) => ({
    index,
    block: null,
    start,
    end,
    speaker: voice,
    text: joinTexts(segments.map(({ text }) => text)),
    words: segments.flatMap(({ words }) => words),
    ...doubtAnswer(
      segments.flatMap((segment) => {
        const reason = segment.doubt ?? doubt;
        return reason === undefined ? [] : [{ start: segment.start, end: segment.end, reason }];
      }),
    ),
    ...replacedPlaces(replacedInSegments(segments)),
  }));
}

/** Of stretches that are only recognised: where it is in the text of all segments. */
function replacedInSegments(segments: readonly Segment[]) {
  const texts = segments.map(({ text }) => text.trim());
  return segments.flatMap((segment, at) => {
    const text = texts[at]!;
    const by = joinTexts(texts.slice(0, at + 1)).length - text.length;
    const places = replacedIn({ ...segment, text });
    return places.map(({ from, to, heard }) => ({ from: from + by, to: to + by, heard }));
  });
}

const replacedPlaces = (replaced: readonly ReplacedPlace[]) =>
  replaced.length === 0 ? {} : { replaced };

/** What may be wrong; `doubt`, the first reason, is of older clients. */
const doubtAnswer = ([first, ...more]: readonly Doubt[]) =>
  first === undefined ? {} : { doubt: first.reason, doubts: [first, ...more] };
