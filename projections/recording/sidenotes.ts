import { detail } from '../../src/words/details.ts';
import { fieldFault } from '../../src/words/field-faults.ts';
import { type Refusal, refuse } from '../../events/command-handler.ts';
import type { RecordingFactOf } from '../../events/facts/recording.ts';
import type { Source } from '../../events/facts/sources.ts';
import type { Block } from '../../events/facts/transcript.ts';
import type { ReadFact, Recording } from './recording.ts';

/** A person's own note on what is said. */
export type Sidenote = {
  /** Its number in the recording. */
  note: number;
  /** Seconds of the recording when it was begun. */
  at: number;
  /** Id of the block that it is about; null: about none that there is. */
  block: string | null;
  /** It marks the moment; it may be without words. */
  mark: boolean;
  text: string;
  /** User id of the writer, and whether the recording is still theirs. */
  by: string;
  own: boolean;
  writtenAt: string;
  editedAt: string | null;
};

/** What a side note may have: characters of one, and notes of a recording at a time. */
export const sidenoteLimits = { charactersMax: 4000, notesMax: 1000 } as const;

/** Why a command on a side note is refused. */
export type SidenoteRefusal = Refusal<'NO_SUCH_SIDENOTE'> | Refusal<'TOO_MANY_SIDENOTES'>;

/** The side notes that count for a source, in the order of their times. Pure. */
export function sidenotesOf(
  { facts, files }: Pick<Recording, 'facts' | 'files'>,
  { results }: Pick<Source, 'results'>,
  blocks: readonly Pick<Block, 'id'>[],
): Sidenote[] {
  const found = new Map<number, Sidenote>();
  for (const fact of facts) {
    if (!isOfSidenote(fact) || fact.version > (results.sidenotes ?? 0)) continue;
    if (fact.type === 'sidenotes.carried') {
      found.clear();
      for (const one of carriedIn(fact, files.owner)) found.set(one.note, one);
      continue;
    }
    const { note } = fact.data;
    const before = found.get(note);
    if (fact.type === 'sidenote.written') found.set(note, sidenoteIn(fact, files.owner));
    else if (fact.type === 'sidenote.removed') found.delete(note);
    else if (before)
      found.set(note, { ...before, text: fact.content?.text ?? '', editedAt: fact.at });
  }
  const ids = new Set(blocks.map(({ id }) => id));
  return [...found.values()]
    .map((one) => (one.block === null || ids.has(one.block) ? one : { ...one, block: null }))
    .toSorted((a, b) => a.at - b.at || a.note - b.note);
}

function carriedIn(
  { data, content }: ReadFact<'sidenotes.carried'>,
  owner: string | null,
): Sidenote[] {
  // Rows keep long texts apart, and put them back where they are read.
  const texts: readonly string[] | undefined = content?.texts;
  return data.notes.map(
    ({ note, at, block = null, mark = false, by, written_at, edited_at }, index) => ({
      note,
      at,
      block,
      mark,
      text: texts?.[index] ?? '',
      by,
      own: by === owner,
      writtenAt: written_at,
      editedAt: edited_at ?? null,
    }),
  );
}

/** As its first fact has it. */
export const sidenoteIn = (
  { data, content, by, at: writtenAt }: ReadFact<'sidenote.written'>,
  owner: string | null,
): Sidenote => ({
  note: data.note,
  at: data.at,
  block: data.block ?? null,
  mark: data.mark ?? false,
  text: content?.text ?? '',
  by,
  own: by === owner,
  writtenAt,
  editedAt: null,
});

/** The facts by which side notes can be read: those that no later fact of the same note replaces or removes. Pure. */
export function countingSidenotes(facts: readonly ReadFact[]): ReadonlySet<ReadFact> {
  const kept = new Map<number, ReadFact[]>();
  let carried: ReadFact[] = [];
  for (const fact of facts) {
    if (!isOfSidenote(fact)) continue;
    if (fact.type === 'sidenotes.carried') {
      kept.clear();
      carried = [fact];
      continue;
    }
    const { note } = fact.data;
    const isCarried = carried.some(
      (one) => one.type === 'sidenotes.carried' && one.data.notes.some((own) => own.note === note),
    );
    // Of a note that was carried its last change counts, also that it was removed.
    if (isCarried) kept.set(note, [fact]);
    else if (fact.type === 'sidenote.removed') kept.delete(note);
    else kept.set(note, [...(kept.get(note)?.slice(0, 1) ?? []), fact]);
  }
  return new Set([...carried, ...[...kept.values()].flat()]);
}

/** Whether a fact is one of a side note. */
export const isOfSidenote = (fact: ReadFact): fact is SidenoteFact =>
  fact.type === 'sidenote.written' ||
  fact.type === 'sidenote.edited' ||
  fact.type === 'sidenote.removed' ||
  fact.type === 'sidenotes.carried';

/** Writes a side note down, under the next number. */
export const writeSidenote =
  ({ text, at, block, mark }: SidenoteWanted) =>
  (recording: Recording): SidenoteDecision => {
    if (presentNotes(recording).length >= sidenoteLimits.notesMax) {
      const said = fieldFault('field-entries-most', { count: sidenoteLimits.notesMax });
      return { refused: 'TOO_MANY_SIDENOTES', said };
    }
    const note = 1 + lastNumber(recording);
    const place = { note, at, ...(block ? { block } : {}), ...(mark ? { mark } : {}) };
    return [{ type: 'sidenote.written', data: place, content: { text } }];
  };

/** Changes the words of a side note; nothing where it says that already. */
export const editSidenote =
  (note: number, text: string) =>
  (recording: Recording): SidenoteDecision => {
    const present = presentNotes(recording).find((one) => one.note === note);
    if (!present || (text === '' && !present.mark)) return noSuchSidenote;
    if (present.text === text) return [];
    return [{ type: 'sidenote.edited', data: { note }, content: { text } }];
  };

/** Removes a side note; nothing where that was done before. */
export const removeSidenote =
  (note: number) =>
  (recording: Recording): SidenoteDecision => {
    if (!numbersIn(recording).includes(note)) return noSuchSidenote;
    const isThere = presentNotes(recording).some((one) => one.note === note);
    return isThere ? [{ type: 'sidenote.removed', data: { note } }] : [];
  };

/** What a person writes beside a recording. */
export type SidenoteWanted = {
  text: string;
  at: number;
  block?: string | undefined;
  mark?: true | undefined;
};

type SidenoteType = 'sidenote.written' | 'sidenote.edited' | 'sidenote.removed';
type SidenoteFact =
  | ReadFact<'sidenotes.carried'>
  | ReadFact<'sidenote.written'>
  | ReadFact<'sidenote.edited'>
  | ReadFact<'sidenote.removed'>;
type SidenoteDecision = readonly RecordingFactOf<SidenoteType>[] | SidenoteRefusal;

const presentNotes = (recording: Recording): Sidenote[] =>
  sidenotesOf(recording, recording.sources.draft, []);

const numbersIn = ({ facts }: Recording): number[] =>
  facts.flatMap((fact) => {
    if (fact.type === 'sidenote.written') return [fact.data.note];
    return fact.type === 'sidenotes.carried' ? fact.data.notes.map(({ note }) => note) : [];
  });

/** The last number that a note was given; 0: none was. */
export const lastNumber = (recording: Recording): number => Math.max(0, ...numbersIn(recording));

const noSuchSidenote = refuse('NO_SUCH_SIDENOTE', detail('sidenote-not-found'));
