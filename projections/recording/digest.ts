import type { LoggedFact, LoggedRecordingFact } from '../../events/facts/catalogue.ts';
import { counting, staying } from '../../events/facts/counting.ts';
import type { RecordingFactType } from '../../events/facts/recording.ts';
import { basisOf, type Source } from '../../events/facts/sources.ts';
import { summaryFact } from './summary.ts';
import { countingSidenotes, isOfSidenote } from './sidenotes.ts';
import { countedAfter, noRecording, type ReadFact, type Recording } from './recording.ts';

/**
 * A recording as rows keep it: only the facts that count, or may again, and without long texts. Read
 * with `read`; who needs the texts puts them back in with `withTexts`.
 */
export type Digest = Recording & {
  /** Versions of facts that some version of the documents was made of: it may be restored. */
  restorable: readonly number[];
};

export const noDigest = (recordingId: string): Digest => ({
  ...noRecording(recordingId),
  restorable: [],
});

/** The digest after a fact; the same object when it changes nothing. Nothing a person said is left after an erasure. Pure. */
export function digestAfter(digest: Digest, fact: LoggedRecordingFact): Digest {
  const after = countedAfter(digest, fact);
  const { sources, asked, files, startedAt } = after;
  if (isErased(fact)) {
    const left = { sources, files: { ...files, past: [] }, startedAt };
    return { ...noDigest(digest.recordingId), ...left };
  }
  const counts = isCounting(fact.type);
  const isSame = sources === digest.sources && asked === digest.asked && files === digest.files;
  if (!counts && isSame) return digest;
  // What is followed and heard changes counters only, and there is more of it than of all others.
  if (counted.has(fact.type) || (!counts && sources === digest.sources)) {
    return { ...digest, ...after };
  }
  const { draft, saved, published } = sources;
  const restorable = restorableAfter(digest.restorable, fact, draft);
  const earlier = hasSamples(fact) ? digest.facts.map(withoutSamples) : digest.facts;
  const facts = counts ? [...earlier, withoutTexts(fact)] : digest.facts;
  const needed = new Set([1, ...restorable, ...[draft, saved, published].flatMap(countingIn)]);
  const bases = new Set<number | null>(restorable);
  for (const one of [draft, published]) {
    if (one) bases.add(basisOf(one)).add(one.results.turns);
  }
  const sidenotes = countingSidenotes(facts);
  return {
    ...digest,
    ...after,
    sources: { ...sources, versions: [] },
    restorable,
    facts: facts.filter((one) => {
      if (isOfSidenote(one)) return sidenotes.has(one);
      if (one.type === 'audio.interrupted') return draft.results.interrupted !== null;
      return one.type === 'turn.edited' || one.type === 'turns.recut'
        ? bases.has(one.data.basis) && !isSuperseded(one, fact)
        : needed.has(one.version);
    }),
  };
}

/** Whether nothing a person said or wrote may be left after this fact. */
export const isErased = (fact: LoggedFact): boolean =>
  fact.to === 'idle.erased' ||
  fact.type === 'recording.erased' ||
  fact.type === 'recording.discarded';

const counted: ReadonlySet<string> = new Set(['speech.followed', 'utterance.recognised']);

/** The long texts of a fact, which are separate rows; undefined when it has none. */
export function textsOf({ type, content }: ReadFact): object | undefined {
  const texts = counting[type]?.texts;
  return content && texts && part(content, (key) => texts.includes(key));
}

/** Versions of the facts in a digest whose texts are rows. */
export const withTextRows = ({ facts }: Recording): number[] =>
  facts.filter(({ type }) => counting[type]?.texts).map(({ version }) => version);

/** Versions of the facts whose texts are needed to read what a source says. */
export function textsNeeded(recording: Recording, source: Source): number[] {
  const { turns } = source.results;
  const basis = basisOf(source);
  const edits = recording.facts.filter(
    (fact) =>
      isOfSidenote(fact) ||
      ((fact.type === 'turn.edited' || fact.type === 'turns.recut') && fact.data.basis === basis),
  );
  const versions = [
    basis ?? turns,
    summaryFact(recording, source)?.version ?? null,
    // What a model made of it since may be offered.
    ...(source.results.reworded === null ? [] : [source.results.summary]),
  ];
  return [...versions, ...edits.map(({ version }) => version)].filter((one) => one !== null);
}

/** Whether there are only the utterances so far, and no blocks made of them. */
export const isSpokenOnly = (source: Source): boolean =>
  basisOf(source) === null && source.results.turns === null;

/** The recording with texts put back, by the version of their fact. */
export const withTexts = (
  recording: Recording,
  texts: ReadonlyMap<number, object | undefined>,
): Recording => ({
  ...recording,
  facts: recording.facts.map((fact) => {
    const text = texts.get(fact.version);
    return text ? ({ ...fact, content: { ...fact.content, ...text } } as ReadFact) : fact;
  }),
});

/** Whether something is read from facts of a type. */
const isCounting = (type: RecordingFactType): boolean =>
  type === 'recording.started' || (counting[type]?.inRows ?? counting[type] !== undefined);

const countingIn = (source: Source | null): number[] =>
  source === null ? [] : Object.values(source.results).filter((version) => version !== null);

/** What earlier documents were made of is gone where the recording is made of parts of others. */
function restorableAfter(
  restorable: readonly number[],
  { type }: ReadFact,
  draft: Source,
): readonly number[] {
  if (type === 'audio.assembled') return [];
  if (type !== 'documents.saved') return restorable;
  return [...new Set([...restorable, ...restorableIn(draft)])];
}

const notComingBack: ReadonlySet<string> = new Set(staying);

/** What comes back when a version is restored. */
const restorableIn = ({ results }: Source): number[] =>
  Object.entries(results).flatMap(([result, version]) =>
    version === null || notComingBack.has(result) ? [] : [version],
  );

/** A later correction of the same block counts, unless a name, or what was misheard, is known from this one only. */
const isSuperseded = (edit: ReadFact<'turn.edited' | 'turns.recut'>, by: ReadFact): boolean =>
  edit.type === 'turn.edited' &&
  by.type === 'turn.edited' &&
  edit.version < by.version &&
  edit.data.basis === by.data.basis &&
  edit.data.block === by.data.block &&
  edit.content?.name === undefined &&
  edit.content?.corrected === undefined;

/** The last correction while a meeting waits for its speakers says by what to tell all of them. */
const hasSamples = (fact: ReadFact): boolean => samplesOf(fact) !== undefined;

const samplesOf = ({ type, content }: ReadFact) =>
  type === 'turn.edited' || type === 'turns.recut' ? content?.samples : undefined;

function withoutSamples(fact: ReadFact): ReadFact {
  const { content } = fact;
  if (!content || !hasSamples(fact)) return fact;
  return { ...fact, content: part(content, (key) => key !== 'samples') } as ReadFact;
}

/** A fact with as little as it takes to read it. */
function withoutTexts(fact: ReadFact): ReadFact {
  const { type, version, at, by, data, content, unreadable } = fact;
  const short = {
    type,
    version,
    at,
    by,
    data: shortData(fact),
    ...(content === undefined ? {} : { content: shortContent(fact) }),
    ...(unreadable ? { unreadable } : {}),
  };
  return short as ReadFact & { data: typeof data };
}

function shortData(fact: ReadFact): object {
  switch (fact.type) {
    case 'speech.detected':
      return { ...fact.data, stretches: [] };
    case 'diarization.completed':
      return { ...fact.data, turns: [] };
    case 'version.restored': {
      const { version, speakers, spoken, language } = fact.data;
      return { version, speakers, ...(spoken ? { spoken } : {}), language };
    }
    default:
      return fact.data;
  }
}

function shortContent({ type, content = {} }: ReadFact): object {
  const { texts = [], unread = [] } = counting[type] ?? {};
  return part(content, (key) => !texts.includes(key) && !unread.includes(key));
}

const part = (content: object, wanted: (key: string) => boolean): object =>
  Object.fromEntries(Object.entries(content).filter(([key]) => wanted(key)));
