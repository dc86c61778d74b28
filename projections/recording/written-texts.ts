import type { RecordingFactOf } from '../../events/facts/recording.ts';
import type { Source } from '../../events/facts/sources.ts';
import type { SummaryLine } from '../../events/facts/transcript.ts';
import { factAt, type ReadFact, type Recording } from './recording.ts';
import {
  type Line,
  abstractOfPeople,
  newest,
  renamedIn,
  summaryFact,
  summaryLines,
  summaryText,
} from './summary.ts';

/** Texts about a recording, as facts hold them. Labels of speakers in them are shown as names. */
type WrittenTexts = {
  abstract: string | null;
  summary: string | null;
  lines: readonly Line[];
};

/** The texts that count. Pure. */
export function writtenTexts(recording: Recording, source: Source): WrittenTexts {
  const { title, restored, names } = source.results;
  const abstract = newest<ReadFact<'title.chosen' | 'version.restored' | 'speakers.renamed'>>(
    factAt(recording, title, 'title.chosen'),
    factAt(recording, restored, 'version.restored'),
    renamedIn(recording, names),
  );
  return {
    abstract: abstractOfPeople(recording, source) ?? abstract?.content?.abstract ?? null,
    summary: summaryText(summaryFact(recording, source)),
    lines: summaryLines(recording, source),
  };
}

/** The title that was chosen, or what a change of names made of it, after a version of the stream. */
function chosenTitle(recording: Recording, { results }: Source, after: number): string | null {
  const renamed = renamedIn(recording, results.names);
  const chosen = newest<ReadFact<'title.chosen' | 'speakers.renamed'>>(
    factAt(recording, results.title, 'title.chosen'),
    renamed?.content?.title === undefined ? null : renamed,
  );
  return chosen && chosen.version > after ? (chosen.content?.title ?? null) : null;
}

/** A person's title counts, unless a version was restored after it. In a model's, labels become names. */
export function titleOf(
  recording: Recording,
  source: Source,
  speakers: readonly { label: string; name: string | null }[],
): string | null {
  const { results } = source;
  const titled = factAt(recording, results.titled, 'title.changed');
  const restored = factAt(recording, results.restored, 'version.restored');
  const named = factAt(recording, results.named, 'documents.named');
  const origin = factAt(recording, 1, 'audio.imported', 'recording.started');
  const given = titled && titled.version > (restored?.version ?? 0) ? titled : null;
  const isGiven = isTitleGiven(recording, source);
  const madeAfter = (version: number): string | null => {
    const made = chosenTitle(recording, source, version);
    return made && !isGiven ? withKnownNames(made, speakers) : made;
  };
  return (
    given?.content?.title ??
    (restored && !isGiven ? madeAfter(restored.version) : null) ??
    restored?.content?.title ??
    titled?.content?.title ??
    madeAfter(0) ??
    origin?.content?.title ??
    named?.content?.title ??
    null
  );
}

/** Whether a person said what the recording is called, at its beginning or later. */
export function isTitleGiven(recording: Recording, { results }: Source): boolean {
  const origin = factAt(recording, 1, 'audio.imported', 'recording.started');
  const chosen = factAt(recording, results.title, 'title.chosen');
  const isFileName = chosen?.data.of === 'filename';
  return results.titled !== null || isFileName || Boolean(origin?.content?.title?.trim());
}

/** Whether what is shown of a summary is what a change of names made of it. */
export const isRenamed = (recording: Recording, source: Source): boolean =>
  summaryFact(recording, source)?.type === 'speakers.renamed';

/** A speaker's name before and after it was changed; without one it is empty. */
type NameChange = { label: string; before: string; after: string };

/** The texts in a fact that changes names, and whether one of them mentions a changed name. */
export type RenamedTexts = {
  isMentioned: boolean;
  texts: Omit<NonNullable<RecordingFactOf<'speakers.renamed'>['content']>, 'names' | 'voices'>;
};

/**
 * Replaces names in texts of a language model after a person changed names, where that is certain: everybody with the old
 * name has the same new name. Texts get the label, which is shown as the name; a title has no labels and gets the name.
 * Earlier changes are included. Extracts are what people said, and stay. Null where no such name is mentioned. Pure.
 * @param names of all speakers, before and after
 */
export function withNamesChanged(
  recording: Recording,
  source: Source,
  { names, isTitleGiven }: { names: readonly NameChange[]; isTitleGiven: boolean },
): RenamedTexts | null {
  const { abstract, summary, lines } = writtenTexts(recording, source);
  const isModels = (fact: ReadFact<'summary.completed' | 'title.chosen'> | null) =>
    fact !== null && fact.data.engine !== 'built-in';
  const { results } = source;
  const isSummary = isModels(factAt(recording, results.summary, 'summary.completed'));
  const isTitle = isModels(factAt(recording, results.title, 'title.chosen'));
  const title = isTitleGiven ? null : writtenTitle(recording, source);
  const seen = [
    ...(isSummary ? partsOf(summary, lines) : []),
    ...(isTitle ? [abstract, title] : []),
  ].filter((text) => text !== null);
  const changed = names.filter(({ before, after }) => before !== '' && before !== after);
  // What was only replaced before is shown with names that no model wrote: it mentions these too.
  const replacedBefore = isRenamed(recording, source);
  const known = names.map(({ label, before }) => ({ label, name: before || null }));
  const shown = replacedBefore ? seen.map((text) => withKnownNames(text, known)) : seen;
  const isMentioned = changed.some((one) => shown.some((text) => mentions(text, one, names)));
  if (!isMentioned && !replacedBefore) return null;
  const inSummary = isSummary ? replacing(names, ({ label }) => label) : unchanged;
  const inAbstract = isTitle ? replacing(names, ({ label }) => label) : unchanged;
  const inTitle = isTitle ? replacing(names, ({ before, after }) => after || before) : unchanged;
  const after = title === null ? null : inTitle(title);
  const wasOther = renamedIn(recording, results.names)?.content?.title !== undefined;
  return {
    isMentioned,
    texts: {
      ...(after !== null && (after !== title || wasOther) ? { title: after } : {}),
      abstract: inAbstract(abstract ?? ''),
      summary: inSummary(summary ?? ''),
      ...(lines.length > 0 ? { lines: lines.map((line) => lineWith(line, names, inSummary)) } : {}),
    },
  };
}

/** The title, if a person did not give it. */
export function writtenTitle(recording: Recording, source: Source): string | null {
  const restored = factAt(recording, source.results.restored, 'version.restored');
  return (
    chosenTitle(recording, source, restored?.version ?? 0) ??
    restored?.content?.title ??
    chosenTitle(recording, source, 0)
  );
}

/**
 * The number of a speaker as people count: `SPEAKER_00` is 1. Labels of two digits count from 00; those of
 * older logs have one and count from 1. Null for what is no such label.
 */
export function speakerNumber(label: string): number | null {
  const digits = digitsOf(label);
  return digits === undefined ? null : Number(digits) + (digits.length > 1 ? 1 : 0);
}

/**
 * A text with the labels in it replaced, however its writer spelled them: `SPEAKER_00`, `speaker_0`, and
 * `Speaker 1` or `Sprecher 1` as people are shown it. What names none of the labels stays. The text may be
 * Markdown. Pure.
 * @param show what to write for a label
 */
export function replaceLabels(
  text: string,
  labels: readonly string[],
  show: (label: string) => string,
): string {
  return text.replaceAll(mention, (whole, mark: string, digits: string) => {
    // With an underscore, in capitals or with a leading zero it is the label; else the number people see.
    const isLabel = mark.endsWith('_') || whole.startsWith('SP') || digits.startsWith('0');
    const number = Number(digits);
    const found = labels.find((label) =>
      isLabel ? Number(digitsOf(label)) === number : speakerNumber(label) === number,
    );
    return found === undefined ? whole : show(found);
  });
}

/** The same with the names that are known; labels of those without one stay. Pure. */
export function withKnownNames(
  text: string,
  speakers: readonly { label: string; name: string | null }[],
): string {
  const names = new Map(speakers.flatMap(({ label, name }) => (name ? [[label, name]] : [])));
  return replaceLabels(text, [...names.keys()], (label) => names.get(label) ?? label);
}

const unchanged = (text: string): string => text;

/** What people see of a summary, without names that stand for labels. */
const partsOf = (
  summary: string | null,
  lines: readonly SummaryLine[],
): readonly (string | null)[] =>
  lines.length > 0
    ? lines
        .filter(({ by }) => by === undefined)
        .flatMap(({ text, due, person }) => [text, due, person])
    : [summary];

/**
 * The name as a word, also with an `s` at its end; of a name of several words also one that is left out now, unless
 * another speaker is called so.
 */
function mentions(
  text: string,
  { before, after }: NameChange,
  all: readonly NameChange[],
): boolean {
  const others = [...after.split(/\s+/u), ...all.map((one) => one.before)];
  const parts = before
    .split(/\s+/u)
    .filter((part) => part.length >= 3 && /^\p{Lu}/u.test(part) && !others.includes(part));
  return [before, ...parts].some((name) => asWord(`${literal(name)}(?:['’]?s)?`, 'u').test(text));
}

const literal = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, '\\$&');

const asWord = (pattern: string, flags: string): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}_])(?:${pattern})(?![\\p{L}\\p{N}_])`, flags);

/** Replaces names that changed, all at once, where it is certain who is meant. */
function replacing(
  names: readonly NameChange[],
  by: (change: NameChange) => string,
): (text: string) => string {
  const known = [...new Set(names.map(({ before }) => before))].filter((name) => name !== '');
  if (known.length === 0) return unchanged;
  // The longer first: `Anna Maier` is not `Anna`.
  const longest = known.toSorted((a, b) => b.length - a.length);
  const pattern = asWord(longest.map(literal).join('|'), 'gu');
  return (text) =>
    text.replaceAll(pattern, (name) => {
      const meant = names.filter(({ before }) => before === name);
      const change = meant.find(({ after }) => after !== name);
      const isCertain = change && meant.every(({ after }) => after === change.after);
      return isCertain && speakerNumber(change.label) !== null ? by(change) : name;
    });
}

function lineWith(
  line: SummaryLine,
  names: readonly NameChange[],
  inText: (text: string) => string,
): SummaryLine {
  // What a person wrote stays as they wrote it.
  if (line.by !== undefined) return line;
  const person = line.person === null ? null : inText(line.person);
  const isSpeaker = names.some(({ label }) => label === person);
  return {
    ...line,
    text: inText(line.text),
    due: line.due === null ? null : inText(line.due),
    ...(isSpeaker ? { speaker: person, person: null } : { person }),
  };
}

const mention =
  /(?<![\p{L}\p{N}_])(?:speaker|sprecher(?:in)?)(\\?_|[ \-\u00A0]?)(\d{1,3})(?![\p{L}\p{N}_])/giu;

const digitsOf = (label: string): string | undefined => /^speaker[ _-]?(\d+)$/iu.exec(label)?.[1];
