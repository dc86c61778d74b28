import type { PersonalFact } from '../events/facts/personal.ts';
import type { StoredFact } from '../events/facts/envelope.ts';
import type { WordContent } from '../events/facts/words.ts';

/** How something is written, and as what it was misheard: in all recordings, or in those of a folder. */
export type KnownWord = WordContent & {
  readonly id: string;
  readonly folder: string | null;
  readonly savedAt: string;
};

type WordFact = Extract<PersonalFact, { type: 'word.saved' | 'word.deleted' | 'folder.deleted' }>;

/** That saved last is the last. A folder takes its words with it. */
export function wordsAfter(
  words: ReadonlyMap<string, KnownWord>,
  fact: StoredFact<WordFact>,
): ReadonlyMap<string, KnownWord> {
  if (fact.type === 'folder.deleted')
    return new Map([...words].filter(([, { folder }]) => folder !== fact.data.folder));
  const { word: id } = fact.data;
  const left = new Map(words);
  left.delete(id);
  if (fact.type === 'word.deleted') return left;
  // One that cannot be read, since its key is away, is called by its id.
  const { write, heard } = fact.content ?? { write: id, heard: [] };
  return left.set(id, { id, folder: fact.data.folder, write, heard, savedAt: fact.at });
}
