import { detail } from '../../src/words/details.ts';
import { fieldFault } from '../../src/words/field-faults.ts';
import { type Decision, type Refusal, refuse } from '../../events/command-handler.ts';
import { hashedKey } from '../../events/key-store.ts';
import type { RecordingFactOf } from '../../events/facts/recording.ts';
import type { LineKind } from '../../events/facts/transcript.ts';
import { frozen, lineAsLast, lineAsMade, named } from './earlier-lines.ts';
import { lineGroups } from './line-groups.ts';
import { type EditRefusal, type Seen, noDocuments } from './edit-turns.ts';
import { type Reading, isRestoring, published } from './reading.ts';
import type { Recording } from './recording.ts';
import { type Line, abstractId, abstractOfPeople, lineId, peoplesBasis } from './summary.ts';
import { withKnownNames } from './written-texts.ts';

/** What a summary may have: characters of a line, and lines. */
export const summaryLimits = { charactersMax: 4000, linesMax: 500, editsMax: 500 } as const;

/** What is wanted of a line; what is left out stays. */
type LineWanted = {
  text?: string | undefined;
  kind?: LineKind | undefined;
  /** The line that it comes after; null: before all others. */
  after?: string | null | undefined;
  done?: boolean | undefined;
  /** A label or name of a speaker, or another name; null: nobody. */
  person?: string | null | undefined;
  due?: string | null | undefined;
  /** Heading that it is below; null: that of its kind. What is added behind a line is below the heading of that. */
  section?: string | null | undefined;
};
type Added = LineWanted & { text: string; block?: string | undefined; note?: number | undefined };
type Changed = LineWanted & {
  line: string;
  /** `lineTag` of what was seen. */
  revision?: string | undefined;
  /** False: a line that was removed comes back as it was. */
  remove?: boolean | undefined;
};
export type LineEdit = Changed | { add: Added };

export type SummaryRefusal =
  | Refusal<'NO_SUCH_LINE'>
  | Refusal<'SUMMARY_CHANGED'>
  | Refusal<'TOO_MANY_LINES'>
  | Refusal<'NO_OFFERED_SUMMARY'>;
type SummaryEdited = RecordingFactOf<'summary.edited'>;
type TaskChecked = RecordingFactOf<'task.checked'>;
type SummaryDecision = Decision<SummaryEdited | TaskChecked, EditRefusal | SummaryRefusal>;

/** Edits a summary line by line, all or nothing. @param by user id @param seen tags of the summary, or of the lines that are edited */
export const editSummary =
  (edits: readonly LineEdit[], by: string, seen?: Seen) =>
  (recording: Recording): SummaryDecision => {
    const reading = published(recording);
    if (!reading) return noDocuments('summary.edited');
    if (isRestoring(recording)) return summaryChanged;
    return summaryEdits(recording, reading, edits, by, seen);
  };

/** The same, in what people are shown. Pure. */
export function summaryEdits(
  recording: Recording,
  reading: Reading,
  edits: readonly LineEdit[],
  by: string,
  seen?: Seen,
): SummaryDecision {
  const lines = reading.editable;
  const isSeen = (tag: string) => seen === undefined || seen.includes(tag);
  const isWhole = isSeen(summaryTag(reading, lines));
  const desk: Desk = {
    recording,
    reading,
    by,
    lines: inPlace(lines.map((line) => frozen(reading, line))),
    next: (recording.facts.at(-1)?.version ?? 0) + 1,
    abstract: abstractOfPeople(recording, reading.source),
    did: [],
    checked: new Set(),
  };
  for (const edit of edits) {
    const before = desk.lines.find(({ id }) => 'line' in edit && id === edit.line);
    const tag = 'add' in edit ? '' : before ? lineTag(reading, before) : abstractTag(reading);
    const revision = 'add' in edit ? undefined : edit.revision;
    const isAsSeen = revision === undefined ? isWhole || isSeen(tag) : revision === tag;
    // What is not there any more, and should go or come back, is as it is wanted, or is refused below.
    if (!isAsSeen && (before || !('line' in edit) || edit.line === abstractId))
      return summaryChanged;
    const refusal = editedOnDesk(desk, edit);
    if (refusal) return refusal;
  }
  if (desk.lines.length > summaryLimits.linesMax) return tooManyLines;
  return factsOf(desk);
}

/** Decides about what a model made since the summary was edited. */
export const decideOffered =
  (offered: 'used' | 'declined', seen?: Seen) =>
  (recording: Recording): SummaryDecision => {
    const reading = published(recording);
    if (!reading) return noDocuments('summary.edited');
    if (isRestoring(recording)) return summaryChanged;
    const { offered: offer, source } = reading;
    if (!offer) return noOffered;
    const present = reading.editable;
    if (seen !== undefined && !seen.includes(summaryTag(reading, present))) return summaryChanged;
    const lines = offered === 'used' ? offer.lines : present;
    const abstract = abstractOfPeople(recording, source);
    const data = { basis: offer.version, turns: source.results.turns, edits: [], offered };
    const content = {
      lines: lines.map((line) => frozen(reading, line)),
      ...(abstract === undefined ? {} : { abstract }),
    };
    return [{ type: 'summary.edited', data, content }];
  };

/** Differs whenever people see something else in a line. */
export const lineTag = ({ speakers }: Pick<Reading, 'speakers'>, line: Line): string =>
  tagOf([partsOf(named(speakers, line))]);

/** The same of a whole summary. */
export const summaryTag = (
  reading: Pick<Reading, 'speakers' | 'abstract'>,
  lines: readonly Line[],
): string =>
  tagOf([shownAbstract(reading), ...lines.map((line) => partsOf(named(reading.speakers, line)))]);

/** The same of its abstract. */
export const abstractTag = (reading: Pick<Reading, 'speakers' | 'abstract'>): string =>
  tagOf([shownAbstract(reading)]);

const tagOf = (parts: readonly unknown[]): string => hashedKey(JSON.stringify(parts)).slice(0, 12);

const shownAbstract = ({ abstract, speakers }: Pick<Reading, 'speakers' | 'abstract'>) =>
  abstract === null ? null : withKnownNames(abstract, speakers);

const partsOf = ({ id, kind, text, person, due, done, section }: Line): unknown[] => [
  id,
  kind,
  text,
  person,
  due,
  done === true,
  ...(section === undefined ? [] : [section]),
];

/** The summary while it is edited. */
type Desk = {
  recording: Recording;
  reading: Reading;
  by: string;
  lines: Line[];
  /** Version of the fact that this leads to: new lines are called by it. */
  next: number;
  /** In a person's words. */
  abstract: string | undefined;
  did: SummaryEdited['data']['edits'];
  /** Lines whose task was done, or is not any more. */
  checked: Set<string>;
};

function editedOnDesk(desk: Desk, edit: LineEdit): SummaryRefusal | null {
  if ('add' in edit) {
    add(desk, edit.add);
    return null;
  }
  const { line: id, remove } = edit;
  if (id === abstractId) {
    if (edit.text !== undefined && edit.text !== shownAbstract(desk.reading)) {
      desk.abstract = edit.text;
      desk.did.push({ line: id, did: 'changed' });
    }
    return null;
  }
  const line = desk.lines.find((one) => one.id === id);
  if (remove === true) {
    if (line) {
      desk.lines = desk.lines.filter((one) => one !== line);
      desk.did.push({ line: id, did: 'removed' });
    }
    return line || isKnown(desk, id) ? null : noSuchLine;
  }
  if (!line) return remove === false && bringBack(desk, id) ? null : noSuchLine;
  change(desk, line, edit);
  return null;
}

function add(desk: Desk, { block, note, after, ...wanted }: Added): void {
  const added = desk.did.filter(({ did }) => did === 'added').length;
  const id = lineId(desk.next, added);
  const blank: Line = {
    id,
    kind: wanted.kind ?? 'point',
    text: '',
    speaker: null,
    person: null,
    due: null,
    block: block ?? null,
    ...(note === undefined ? {} : { note }),
    by: desk.by,
  };
  const isDone = wanted.done === true && blank.kind === 'task';
  const behind = desk.lines.find((one) => one.id === after)?.section;
  const section = wanted.section === undefined ? behind : wanted.section;
  const line = frozen(desk.reading, {
    ...blank,
    ...wantedOf(desk, blank, { ...wanted, section }),
    ...(isDone ? { done: true } : {}),
  });
  // Without a place it is the last of its kind.
  desk.lines = inPlace([...desk.lines, line]);
  desk.did.push({ line: id, did: 'added' });
  if (after !== undefined) move(desk, line, after);
}

function change(desk: Desk, line: Line, edit: Changed): void {
  const wanted = wantedOf(desk, line, edit);
  const after: Line = { ...line, ...wanted, by: desk.by };
  if (after.kind !== 'task') delete after.done;
  if (edit.section === null) delete after.section;
  const isChanged = JSON.stringify(wordsOf(after)) !== JSON.stringify(wordsOf(line));
  let now = line;
  if (isChanged) {
    // What it rests on is a person's matter by now.
    delete after.unfounded;
    now = asMade(desk, after) ?? after;
    desk.did.push({ line: line.id, did: 'changed' });
  }
  if (edit.done !== undefined && now.kind === 'task' && edit.done !== (now.done ?? false)) {
    const { done: _before, ...rest } = now;
    now = edit.done ? { ...rest, done: true } : rest;
    desk.checked.add(line.id);
  }
  desk.lines = inPlace(desk.lines.map((one) => (one === line ? now : one)));
  if (edit.after !== undefined && edit.after !== line.id) {
    const before = desk.lines.map(({ id }) => id).join();
    move(desk, now, edit.after);
    if (desk.lines.map(({ id }) => id).join() !== before)
      desk.did.push({ line: line.id, did: 'moved' });
  }
}

/** What a line says once it is edited. */
function wantedOf({ reading }: Desk, line: Line, wanted: LineWanted): Partial<Line> {
  const { text = line.text, kind = line.kind, due = line.due, person, section } = wanted;
  return {
    text,
    kind,
    due,
    ...(section == null ? {} : { section }),
    ...(person === undefined ? {} : whoIs(reading.speakers, person)),
  };
}

/** A speaker by label or name, or anybody else by name. */
function whoIs(
  speakers: Reading['speakers'],
  person: string | null,
): Pick<Line, 'speaker' | 'person'> {
  const found =
    speakers.find(({ label }) => label === person) ?? speakers.find(({ name }) => name === person);
  return found ? { speaker: found.label, person: found.name } : { speaker: null, person };
}

const wordsOf = ({ kind, text, speaker, person, due, section }: Line) => ({
  kind,
  text,
  who: person ?? speaker,
  due,
  section,
});

/** The line as a model wrote it, where a person's change took back all others. */
function asMade(desk: Desk, line: Line): Line | null {
  const made = lineAsMade(desk, line.id)?.line;
  if (!made) return null;
  const original = frozen(desk.reading, made);
  const isSame = JSON.stringify(wordsOf(original)) === JSON.stringify(wordsOf(line));
  return isSame && original.by === undefined
    ? { ...original, ...(line.done ? { done: true as const } : {}) }
    : null;
}

const isKnown = (desk: Desk, id: string): boolean => lineAsLast(desk, id) !== null;

function bringBack(desk: Desk, id: string): boolean {
  const found = lineAsLast(desk, id);
  if (!found) return false;
  const { line, above } = found;
  const ids = new Set(desk.lines.map((one) => one.id));
  const before = above.findLast((one) => ids.has(one.id));
  move(desk, frozen(desk.reading, line), before?.id ?? null);
  desk.did.push({ line: id, did: 'returned' });
  return true;
}

/** As they are read. */
const inPlace = (lines: readonly Line[]): Line[] =>
  lineGroups(lines).flatMap((group) => group.lines);

/** Behind another line; where that is gone, at the end. */
function move(desk: Desk, line: Line, after: string | null): void {
  const others = desk.lines.filter((one) => one.id !== line.id);
  const at = after === null ? -1 : others.findIndex(({ id }) => id === after);
  const place = after !== null && at === -1 ? others.length : at + 1;
  desk.lines = inPlace(others.toSpliced(place, 0, line));
}

/** What was edited is one fact, then one for each task: each has the whole summary as it is after it. */
function factsOf(desk: Desk): readonly (SummaryEdited | TaskChecked)[] {
  const { recording, reading, lines, abstract, did, checked } = desk;
  const { results } = reading.source;
  const basis = peoplesBasis(recording, reading.source) ?? results.summary ?? 1;
  const made = { basis, turns: results.turns };
  const content = { lines, ...(abstract === undefined ? {} : { abstract }) };
  return [
    ...(did.length > 0
      ? [{ type: 'summary.edited' as const, data: { ...made, edits: did }, content }]
      : []),
    ...lines
      .filter(({ id }) => checked.has(id))
      .map(({ id: line, done }) => {
        const data = { ...made, line, done: done === true };
        return { type: 'task.checked' as const, data, content };
      }),
  ];
}

const noSuchLine = refuse('NO_SUCH_LINE', detail('line-not-found'));
const summaryChanged = refuse('SUMMARY_CHANGED', detail('summary-changed'));
const noOffered = refuse('NO_OFFERED_SUMMARY', detail('no-new-summary'));
const tooManyLines = refuse(
  'TOO_MANY_LINES',
  fieldFault('field-entries-most', { count: summaryLimits.linesMax }),
);
