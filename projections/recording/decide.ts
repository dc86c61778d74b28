import { detail } from '../../src/words/details.ts';
import { fieldFault } from '../../src/words/field-faults.ts';
import { problemOf } from '../../src/words/problems.ts';
import { type Decision, type Refusal, isRefusal } from '../../events/command-handler.ts';
import {
  type Kind,
  type RecordingFact,
  type RecordingFactOf,
  type ReprocessedFrom,
  beginsWith,
  stageTable,
} from '../../events/facts/recording.ts';
import { speakersRevision } from '../../events/facts/sources.ts';
import type { AccessRefusal } from './access.ts';
import { type HoldRefusal, type HoldWanted, heldBy, holdChanged } from './holds.ts';
import type { AssemblyRefusal } from './assembling.ts';
import { type EditRefusal, type Seen, noDocuments, turnsChanged, turnsTag } from './edit-turns.ts';
import type { NamedVoice } from '../../events/facts/transcript.ts';
import { type Reading, draft, published } from './reading.ts';
import { peopleGiven } from './people-given.ts';
import { type Recording, factAt } from './recording.ts';
import { type OrderChanges, type OrderRefusal, orderChanged } from './order.ts';
import type { SidenoteRefusal } from './sidenotes.ts';
import type { SummaryRefusal } from './edit-summary.ts';
import { voiceNames } from './earlier-names.ts';
import { namedLabels, voicesNamed } from './voices.ts';
import { restoration } from './versions.ts';
import { type RenamedTexts, isTitleGiven, withNamesChanged } from './written-texts.ts';

/** Why a command on a recording is refused, besides what its state does not allow. */
export type RecordingRefusal =
  | EditRefusal
  | SidenoteRefusal
  | SummaryRefusal
  | AssemblyRefusal
  | OrderRefusal
  | AccessRefusal
  | HoldRefusal
  | Refusal<'NO_SUCH_VERSION'>
  | Refusal<'NO_LANGUAGE_MODEL'>
  | (Refusal<'UNKNOWN_LABELS'> & { unknown: readonly string[]; labels: readonly string[] });
export type RecordingDecision = Decision<RecordingFact, RecordingRefusal>;
/** A command on a recording, with the canonical name of the state it is in. Pure. */
export type DecideRecording = (recording: Recording, state: string) => RecordingDecision;

/** What a person says of a recording as a whole; what is left out stays. */
export type RecordingChanges = OrderChanges & {
  title?: string | undefined;
  kind?: Kind | undefined;
  /** ISO 639-1 code; null: as it was heard. */
  language?: string | null | undefined;
  /** Names of all who may be heard. */
  people?: readonly string[] | undefined;
  /** RFC 3339 with the offset of the server's zone. */
  localStart?: string | undefined;
  /** Protection from deletion; null: none. */
  hold?: HoldWanted | undefined;
  /** User id. */
  owner?: string | undefined;
};

/** Says what a recording is called, what kind it is, what was spoken, when it began and whose it is. */
export const changeRecording =
  (wanted: RecordingChanges) =>
  (recording: Recording): readonly RecordingFact[] | OrderRefusal => {
    const { title, kind, language, people, localStart, owner } = wanted;
    const facts: RecordingFact[] = [];
    const { title: previous } = draft(recording);
    if (title !== undefined && title !== previous) {
      facts.push({ type: 'title.changed', data: {}, content: { title, previous } });
    }
    if (kind !== undefined && kind !== recording.sources.draft.kind) {
      facts.push({ type: 'kind.changed', data: { kind } });
    }
    if (language !== undefined && language !== languageSet(recording)) {
      facts.push({ type: 'language.set', data: { language } });
    }
    if (people !== undefined && !isSameList(people, peopleGiven(recording))) {
      facts.push({ type: 'people.given', data: {}, content: { people: [...people] } });
    }
    if (localStart !== undefined && !isSameMoment(localStart, recording.startedAt)) {
      facts.push({ type: 'start.changed', data: { local_start: localStart } });
    }
    const order = orderChanged(recording, wanted);
    if (isRefusal(order)) return order;
    facts.push(...order);
    if (wanted.hold !== undefined) facts.push(...holdChanged(recording, wanted.hold));
    if (owner !== undefined && owner !== recording.files.owner) {
      facts.push({ type: 'recording.handed_over', data: { owner } });
    }
    return facts;
  };

/** Whether the voices of the named are remembered (`speakers.profiles`). */
type Remembering = { remember: boolean };

/**
 * Names speakers afterwards; an empty name takes a name away. Where a language model's texts mention a name that goes,
 * it is replaced in them as far as that is certain, and with a language model they are made again.
 */
export const renameSpeakers =
  (
    names: Readonly<Record<string, string>>,
    { remember, hasLanguageModel, seen }: Remembering & { hasLanguageModel: boolean; seen?: Seen },
  ) =>
  (recording: Recording): RecordingDecision => {
    const reading = published(recording);
    if (!reading) return noDocuments('speakers.renamed');
    if (!isSeen(reading, seen)) return turnsChanged;
    const labels = reading.speakers.map(({ label }) => label);
    const unknown = Object.keys(names).filter((label) => !labels.includes(label));
    if (unknown.length > 0) return unknownLabels(unknown, labels);
    const all = withoutEmpty({ ...reading.names, ...names });
    if (isSame(all, reading.names)) return [];
    // A label of other turns may be another voice: those about to be shown get no names of these.
    if (reading.basis !== draft(recording).basis) return noDocuments('speakers.renamed');
    const changed = Object.fromEntries(
      Object.entries(all).filter(([label, name]) => reading.names[label] !== name),
    );
    const { moved, voices } = remembered(recording, reading, changed, remember);
    const renamed = textsRenamed(recording, all);
    const texts = renamed?.isMentioned && hasLanguageModel ? 'again' : 'replaced';
    return [
      {
        type: 'speakers.renamed',
        data: {
          labels: labels.filter((label) => Object.hasOwn(all, label)),
          ...moved,
          ...(renamed ? { texts } : {}),
        },
        content: { names: all, ...voices, ...renamed?.texts },
      },
    ];
  };

/** Whether a label is still of the transcript that a person saw; `seen` may also be the state of its turns. */
const isSeen = ({ source, blocks }: Reading, seen: Seen): boolean =>
  seen === undefined ||
  seen.includes(speakersRevision(source) ?? '') ||
  seen.includes(turnsTag(blocks));

/** What a fact of names says of voices: nothing where they are not remembered. */
function remembered(
  recording: Recording,
  reading: Reading,
  names: Readonly<Record<string, string>>,
  remember: boolean,
): { voices?: { voices: NamedVoice[] }; moved?: { moved: string[] } } {
  if (!remember) return {};
  const { voices, moved } = voicesNamed(recording, reading, names);
  return { voices: { voices }, ...(moved.length > 0 ? { moved: { moved } } : {}) };
}

/** Texts of the next documents with the new names of speakers; null where no text mentions a name that changes. */
function textsRenamed(
  recording: Recording,
  after: Readonly<Record<string, string>>,
): RenamedTexts | null {
  const { source, speakers } = draft(recording);
  const names = speakers.map(({ label, name }) => ({
    label,
    before: name ?? '',
    after: Object.hasOwn(after, label) ? after[label]!.trim() : '',
  }));
  return withNamesChanged(recording, source, {
    names,
    isTitleGiven: isTitleGiven(recording, source),
  });
}

/** Says who the voices are that are heard while a meeting is recorded; an empty name takes a name away. */
export const nameVoices =
  (given: Readonly<Record<string, string>>) =>
  (recording: Recording): RecordingDecision => {
    const reading = draft(recording);
    const labels = [...new Set(reading.utterances.flatMap(({ voice }) => voice ?? []))];
    const unknown = Object.keys(given).filter((label) => !labels.includes(label));
    if (unknown.length > 0) return unknownLabels(unknown, labels);
    const before = voiceNames(recording, reading.source.results);
    const names = withoutEmpty({ ...before, ...given });
    if (isSame(names, before)) return [];
    return [{ type: 'voices.named', data: { labels: Object.keys(names) }, content: { names } }];
  };

/**
 * Ends the pause of a meeting by names; whether it waits for them, the machine says.
 * @param options.seen `speakersRevision` of what was asked
 */
export const nameSpeakers =
  (
    given: Readonly<Record<string, string>>,
    { remember, seen }: Remembering & { seen?: string | undefined },
  ) =>
  (recording: Recording, state: string): RecordingDecision => {
    const reading = draft(recording);
    const labels = reading.speakers.map(({ label }) => label);
    const unknown = Object.keys(given).filter((label) => !labels.includes(label));
    const isWaiting = state === 'awaiting-speakers';
    const isOfOthers = seen !== undefined && seen !== speakersRevision(reading.source);
    if (isWaiting && isOfOthers) return turnsChanged;
    if (isWaiting && unknown.length > 0) return unknownLabels(unknown, labels);
    // Whom a correction brought in has a name already.
    const names = withoutEmpty({ ...(isWaiting ? reading.names : {}), ...given });
    const { moved, voices } = remembered(recording, reading, names, remember);
    const data = { labels: Object.keys(names), ...moved };
    return [{ type: 'speakers.named', data, content: { names, ...voices } }];
  };

/** Names them later: the meeting stays waiting. None where it was put off already since it waits. */
export const postponeSpeakers = ({ facts }: Recording): readonly RecordingFact[] => {
  const last = facts.findLast(({ type }) => type === 'speakers.postponed' || waitsAfter.has(type));
  return last?.type === 'speakers.postponed' ? [] : [{ type: 'speakers.postponed', data: {} }];
};

/** What a meeting begins to wait after: its turns, or a run that takes them as they are. */
const waitsAfter = new Set<string>(['turns.joined', 'reprocessing.requested']);

/** Calls the voices that a fact named by another name; those named otherwise since stay. Pure. */
export const renameVoices =
  (confirmed: { version: number; labels: readonly string[] }, name: string) =>
  (recording: Recording): readonly RecordingFact[] => {
    const labels = namedBy(recording, confirmed)
      .filter((one) => one.name !== name)
      .map(({ label }) => label);
    return labels.length > 0
      ? [{ type: 'voice.renamed', data: { labels }, content: { name } }]
      : [];
  };

/** Takes back what a fact said of voices. Pure. */
export const revokeVoices =
  (confirmed: { version: number; labels: readonly string[] }) =>
  (recording: Recording): readonly RecordingFact[] => {
    const labels = namedBy(recording, confirmed).map(({ label }) => label);
    return labels.length > 0 ? [{ type: 'voice.revoked', data: { labels } }] : [];
  };

const namedBy = (
  recording: Recording,
  { version, labels }: { version: number; labels: readonly string[] },
) => namedLabels(recording).filter((one) => one.version === version && labels.includes(one.label));

/** Ends the pause of a meeting without names. */
export const skipSpeakers = (): readonly RecordingFact[] => [
  { type: 'speakers.skipped', data: {} },
];

/** Switches back to an earlier version of the documents, which becomes the newest. */
export const restoreVersion =
  (version: number) =>
  (recording: Recording): RecordingDecision => {
    const fact = restoration(recording, version);
    return fact ? [fact] : { refused: 'NO_SUCH_VERSION', said: detail('version-not-found') };
  };

/**
 * Processes a recording again. From a stage that asks a language model one has to be configured: it would
 * be missing only at the end otherwise. A run from an earlier stage does without.
 */
export const reprocess =
  (
    data: RecordingFactOf<'reprocessing.requested'>['data'],
    { hasLanguageModel }: { hasLanguageModel: boolean },
  ) =>
  (): RecordingDecision =>
    hasLanguageModel || !beginsWithModel(data.from)
      ? [{ type: 'reprocessing.requested', data }]
      : { refused: 'NO_LANGUAGE_MODEL', said: problemOf('no-language-model') };

/** Whether a run from there begins with questions to a language model. */
export const beginsWithModel = (from: ReprocessedFrom): boolean =>
  beginsWith(from).some((stage) => stageTable[stage].asks === 'model');

/** What ends what goes on in a state, if anything does. */
const endOf = (state: string): readonly RecordingFact[] => {
  // The rest of it is another recording by now; nobody gives that up.
  if (state === 'transcribing.assembling' || state === 'transcribing.continuing') return [];
  if (state.startsWith('transcribing')) return [{ type: 'processing.cancelled', data: {} }];
  if (state.startsWith('recording')) return [{ type: 'recording.discarded', data: {} }];
  return [];
};

/**
 * Cancels what is done with a recording, or is to be. One that is being captured is left alone: that
 * has to be stopped.
 */
export const cancel = (_recording: Recording, state: string): readonly RecordingFact[] =>
  /^(?:transcribing|awaiting-speakers)/.test(state)
    ? [{ type: 'processing.cancelled', data: {} }]
    : [];

/** Ends what goes on in a recording, and says that it is erased. */
export function erase(_recording: Recording, state: string): readonly RecordingFact[] {
  const end = endOf(state);
  const isGone = end.some(({ type }) => type === 'recording.discarded');
  return isGone ? end : [...end, { type: 'recording.erased', data: {} }];
}

/** Erases it, unless it is protected from deletion at that moment. */
export const eraseUnlessHeld =
  (now: number): DecideRecording =>
  (recording, state) =>
    heldBy(recording, now) ?? erase(recording, state);

const isSameMoment = (a: string, b: string | null): boolean =>
  b !== null && Date.parse(a) === Date.parse(b);

const isSameList = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((one, at) => one === b[at]);

/** What a person said of the language; undefined without. */
const languageSet = (recording: Recording): string | null | undefined =>
  factAt(recording, recording.sources.draft.results.languageSet, 'language.set')?.data.language;

const unknownLabels = (unknown: readonly string[], labels: readonly string[]) => ({
  refused: 'UNKNOWN_LABELS' as const,
  said: fieldFault('not-a-label', { labels }),
  unknown,
  labels,
});

const withoutEmpty = (names: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(names).filter(([, name]) => name !== ''));

const isSame = (a: Record<string, string>, b: Record<string, string>): boolean =>
  Object.keys(a).length === Object.keys(b).length &&
  Object.entries(a).every(([label, name]) => b[label] === name);
