import type { Source } from '../../events/facts/sources.ts';
import type { Block, SummaryLine } from '../../events/facts/transcript.ts';
import { type ReadFact, type Recording, factAt } from './recording.ts';

/** A line of a summary with the id by which people change it. */
export type Line = SummaryLine & { id: string };

/** A summary that a model made after people had edited the one that is shown: it waits for their word. */
export type OfferedSummary = {
  /** Version of the fact that it is. */
  version: number;
  /** What the summary would be: the model's new lines, and those of people as they are. */
  lines: readonly Line[];
};

/** The id by which people change the abstract. */
export const abstractId = 'short';

/** The fact whose summary counts: what people made of it, else the last run's; a version that was restored; a change of names. */
export function summaryFact(recording: Recording, source: Source): SummaryFact | null {
  const { results } = source;
  return newest<SummaryFact>(
    summaryOfPeople(recording, source) ?? factAt(recording, results.summary, 'summary.completed'),
    factAt(recording, results.restored, 'version.restored'),
    renamedIn(recording, results.names),
  );
}

/** What people made of the summary, unless a version was restored since. */
function editedSummary(recording: Recording, { results }: Source): EditedSummary | null {
  const edited = factAt(recording, results.reworded, 'summary.edited', 'task.checked');
  return edited && edited.version > (results.restored ?? 0) ? edited : null;
}

/** What people made of the summary, also in a version that was restored since: a model's later one does not count over it. */
const summaryOfPeople = (recording: Recording, source: Source): SummaryFact | null =>
  editedSummary(recording, source) ??
  (source.results.reworded === null
    ? null
    : factAt(recording, source.results.restored, 'version.restored'));

/** A model's summary after this version of the stream is offered beside what people made; null: they made nothing of it. */
export function peoplesBasis(recording: Recording, source: Source): number | null {
  const fact = summaryOfPeople(recording, source);
  return fact && isEdited(fact) ? fact.data.basis : (fact?.version ?? null);
}

/** The abstract in a person's words; undefined: they left it as it was. */
export function abstractOfPeople(recording: Recording, source: Source): string | undefined {
  if (summaryOfPeople(recording, source) === null) return undefined;
  const edited = factAt(recording, source.results.reworded, 'summary.edited', 'task.checked');
  return edited?.content?.abstract;
}

/** The lines that count, each with its id; of prose none. Pure. */
export function summaryLines(recording: Recording, source: Source): Line[] {
  const fact = summaryFact(recording, source);
  if (fact === null) return [];
  return isEdited(fact) ? editedLines(recording, source, fact) : linesIn(fact);
}

/** The lines of an edit, among the turns of a source. Labels of other turns' speakers become their last names. Pure. */
export function editedLines(
  recording: Recording,
  { results }: Source,
  fact: EditedSummary,
): Line[] {
  const lines = linesIn(fact);
  if (fact.data.turns === results.turns) return lines;
  const names = namesSince(recording, fact);
  return lines.map(({ speaker, person, ...line }) => {
    const name = speaker === null || names === undefined ? person : (names[speaker] ?? null);
    return { ...line, speaker: null, person: name };
  });
}

/** What the speakers were called last in the turns that an edit was made on; undefined: as when it was made. */
function namesSince(
  { facts }: Recording,
  { version, data: { turns } }: EditedSummary,
): Readonly<Record<string, string>> | undefined {
  let names: Readonly<Record<string, string>> | undefined;
  let isOfThem = true;
  for (const fact of facts) {
    if (fact.version <= (turns ?? version)) continue;
    if (fact.type === 'turns.joined') isOfThem = false;
    // What was given up goes back to the turns that were saved before.
    if (fact.type === 'processing.cancelled' || fact.type === 'error.cleared') isOfThem = true;
    const isOver = fact.type === 'documents.saved' && !isOfThem;
    if (isOver || fact.type === 'version.restored') break;
    const isNaming = fact.type === 'speakers.named' || fact.type === 'speakers.renamed';
    if (isNaming && isOfThem && fact.version > version) names = fact.content?.names;
  }
  return names;
}

/** The lines that people see and may edit: of a model's prose, its paragraphs. Pure. */
export function editableLines(recording: Recording, source: Source): Line[] {
  const lines = summaryLines(recording, source);
  const fact = summaryFact(recording, source);
  return lines.length > 0 || fact === null || isEdited(fact) ? lines : shownLinesIn(fact);
}

/** The summary as text: as a model wrote it, or its lines. */
export function summaryText(fact: SummaryFact | null): string | null {
  if (fact === null) return null;
  if (fact.type === 'summary.completed') return fact.content?.text ?? null;
  if (!isEdited(fact)) return fact.content?.summary ?? null;
  return linesIn(fact)
    .map(
      ({ text, person, due }) => `- ${person ? `${person}: ` : ''}${text}${due ? ` (${due})` : ''}`,
    )
    .join('\n');
}

/** What a model made since people edited the summary; null: nothing, or they have decided. Pure. */
export function offeredSummary(recording: Recording, source: Source): OfferedSummary | null {
  const basis = peoplesBasis(recording, source);
  const { summary } = source.results;
  if (basis === null || summary === null || summary <= basis) return null;
  const made = factAt(recording, summary, 'summary.completed');
  const lines = made ? shownLinesIn(made) : [];
  if (lines.length === 0) return null;
  return { version: summary, lines: withLinesOfPeople(lines, summaryLines(recording, source)) };
}

/** Whether a person's hand is in a line: no model changes it. */
export const isOfPerson = ({ by, done }: SummaryLine): boolean => by !== undefined || done === true;

/** The lines of a fact as they are shown and edited: of prose, its paragraphs and list items. */
export const shownLinesIn = (fact: SummaryFact): Line[] => {
  const lines = linesIn(fact);
  return lines.length > 0 ? lines : linesOfProse(fact.version, summaryText(fact) ?? '');
};

/** Paragraphs and list items of prose as lines. */
const linesOfProse = (version: number, prose: string): Line[] =>
  prose
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .map((line) =>
      line
        .replace(/^\s*(?:[-*+]|\d{1,9}[.)])\s+/u, '')
        .replaceAll('**', '')
        .trim(),
    )
    .filter((line) => line !== '')
    .map((text, at) => ({
      id: lineId(version, at),
      kind: 'point',
      text,
      speaker: null,
      person: null,
      due: null,
      block: null,
    }));

/** The id of a line that came with a fact, by its place there. */
export const lineId = (version: number, at: number): string => `${version}-${at + 1}`;

/** Lines on blocks: the link of one whose block is gone, or says something else by now, goes to what is said at its time. */
export function linesOn(blocks: readonly Block[], lines: readonly Line[]): Line[] {
  const found = new Map(blocks.map((block) => [block.id, block]));
  return lines.map((line) => {
    const { block: id, at } = line;
    const block = id === null ? undefined : found.get(id);
    const isThere = block !== undefined && (at === undefined || isWithin(block, at));
    if (id === null || isThere) return line;
    const there = at === undefined ? undefined : blocks.find((one) => isWithin(one, at));
    return { ...line, block: there?.id ?? null };
  });
}

const isWithin = ({ start, end }: Block, at: number): boolean => start <= at && at < end;

/** The fact is what people made of a summary. */
export const isEdited = (fact: ReadFact): fact is EditedSummary =>
  fact.type === 'summary.edited' || fact.type === 'task.checked';

export type EditedSummary = ReadFact<'summary.edited' | 'task.checked'>;
export type SummaryFact =
  | ReadFact<'summary.completed' | 'version.restored' | 'speakers.renamed'>
  | EditedSummary;

export const newest = <F extends ReadFact>(...facts: (F | null)[]): F | null =>
  facts.reduce((last, fact) => (fact && fact.version > (last?.version ?? 0) ? fact : last), null);

/** The naming that counts, if texts came with it. */
export function renamedIn(
  recording: Recording,
  version: number | null,
): ReadFact<'speakers.renamed'> | null {
  const renamed = factAt(recording, version, 'speakers.renamed');
  return renamed?.data.texts === undefined ? null : renamed;
}

const linesIn = ({ version, content }: SummaryFact): Line[] =>
  (content?.lines ?? []).map((line, at) => ({ ...line, id: line.id ?? lineId(version, at) }));

/** New lines with those of people between them, each as far down among its kind as it was. */
function withLinesOfPeople(made: readonly Line[], present: readonly Line[]): Line[] {
  const lines = [...made];
  for (const [at, line] of present.entries()) {
    if (!isOfPerson(line)) continue;
    const before = present.slice(0, at).filter(({ kind }) => kind === line.kind).length;
    const places = lines.flatMap(({ kind }, place) => (kind === line.kind ? [place] : []));
    lines.splice(places[before] ?? (places.at(-1) ?? lines.length - 1) + 1, 0, line);
  }
  return lines;
}
