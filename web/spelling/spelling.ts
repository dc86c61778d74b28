/**
 * How names and terms are spelled: words of who is logged in, and those of the house. No frame tells of them: they are
 * read when somebody begins to look, and after each change that is made here.
 */
import { atom } from 'nanostores';
import { type Answered, type Problem, answer, api } from '../client/api.ts';
import { openReading } from '../client/reading.ts';

/** One's own, or those of everybody, which administrators change. */
export type Whose = 'mine' | 'house';
export type Words = Answered<'listWords'>;
export type Word = Words['words'][number];
export type WordBody = Pick<Word, 'write' | 'heard' | 'folder'>;
export type Imported = Answered<'importWords'>;

/** Why they could not be read. */
export const spellingProblem = atom<Problem | null>(null);
const openWords = (of: Whose) =>
  openReading(
    () => answer(api.GET('/words', { params: { query: { of } } })),
    undefined,
    spellingProblem,
  );
const reading = { mine: openWords('mine'), house: openWords('house') };
/** That saved last first. */
export const spelling = { mine: reading.mine.value, house: reading.house.value };
export const readWords = (of: Whose): Promise<void> => reading[of].read();

/** @param id null: a new one @returns its id @throws {ApiError} 409: there is one that is written so */
export async function saveWord(of: Whose, id: string | null, word: WordBody): Promise<string> {
  // Of a word that is saved once more nothing else is sent.
  const { write, folder } = word;
  const body = { write, heard: [...word.heard], folder };
  const saved =
    id === null
      ? await answer(api.POST('/words', { params: { query: { of } }, body }))
      : await answer(api.PUT('/words/{id}', { params: { path: { id }, query: { of } }, body }));
  await readWords(of);
  return saved.id;
}

/** @throws {ApiError} */
export async function deleteWord(of: Whose, id: string): Promise<void> {
  await answer(api.DELETE('/words/{id}', { params: { path: { id }, query: { of } } }));
  await readWords(of);
}

/** @returns what became of the lines @throws {ApiError} 409: there is no room for them, and none is saved */
export async function importWords(
  of: Whose,
  text: string,
  folder: string | null,
): Promise<Imported> {
  const body = { text, folder };
  const done = await answer(api.POST('/words/import', { params: { query: { of } }, body }));
  await readWords(of);
  return done;
}

/** The words of a text, without regard to case, accents and punctuation. */
const folded = (text: string): string =>
  (
    text
      .normalize('NFD')
      .replaceAll(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  ).join(' ');

/** Whether two texts have the same words. */
export const isSame = (a: string, b: string): boolean => folded(a) === folded(b);

/** Whether words are in a text, whole and in their order. */
export const hasWords = (text: string, words: string): boolean =>
  ` ${folded(text)} `.includes(` ${folded(words)} `);

/** Words that are written, or were heard, as somebody types. */
export function fitting(words: readonly Word[], typed: string): readonly Word[] {
  const sought = typed.trim().toLowerCase();
  if (sought === '') return words;
  return words.filter(({ write, heard }) =>
    [write, ...heard].some((one) => one.toLowerCase().includes(sought)),
  );
}
