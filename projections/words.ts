import { refuse } from '../events/command-handler.ts';
import { houseId } from '../events/facts/personal.ts';
import type { WordContent } from '../events/facts/words.ts';
import { problemOf } from '../src/words/problems.ts';
import { foldName } from './library.ts';
import {
  type DecidePersonal,
  type Personal,
  type PersonalRefusal,
  tooManyNames,
  unknownInOrder,
} from './personal.ts';

/** Words that a user may have, and the house. */
export const wordsMax = { user: 500, house: 1000 } as const;
/** What one may have: characters of each term, and terms as which it was misheard. */
export const wordLimits = { termMax: 64, heardMax: 10 } as const;

/** A word as people give it. */
export type GivenWord = WordContent & { readonly folder: string | null };

/** How many words such a list may have. */
export const wordsMaxOf = (userId: string): number =>
  userId === houseId ? wordsMax.house : wordsMax.user;

export const createWord =
  (id: string, given: GivenWord): DecidePersonal =>
  (personal) => {
    const most = wordsMaxOf(personal.userId);
    if (personal.words.size >= most) return tooManyNames('words', most);
    return nameFault(personal, given) ?? [saved(id, given)];
  };

/** As a whole; the same again is no change. */
export const changeWord =
  (id: string, given: GivenWord): DecidePersonal =>
  (personal) => {
    const there = personal.words.get(id);
    if (!there) return unknownInOrder;
    if (isSame(there, given)) return [];
    return nameFault(personal, given, id) ?? [saved(id, given)];
  };

/**
 * Adds many, all or none. One that is written so already gets what it was not misheard as before, as far as there is room.
 * @param newId makes an id
 */
export const importWords =
  (given: readonly GivenWord[], newId: () => string): DecidePersonal =>
  (personal) => {
    const most = wordsMaxOf(personal.userId);
    const changes = given.flatMap((one) => {
      const there = wordLike(personal, one);
      if (!there) return saved(newId(), one);
      const known = new Set(there.heard.map(foldName));
      const heard = [...there.heard, ...one.heard.filter((term) => !known.has(foldName(term)))];
      const { id, write, folder } = there;
      const after = { write, folder, heard: heard.slice(0, wordLimits.heardMax) };
      return isSame(there, after) ? [] : saved(id, after);
    });
    const added = changes.filter(({ data }) => !personal.words.has(data.word)).length;
    return personal.words.size + added > most ? tooManyNames('words', most) : changes;
  };

const saved = (id: string, { write, heard, folder }: GivenWord) => ({
  type: 'word.saved' as const,
  data: { word: id, folder },
  content: { write, heard: [...heard] },
});

const isSame = (one: GivenWord, other: GivenWord): boolean =>
  one.write === other.write &&
  one.folder === other.folder &&
  one.heard.length === other.heard.length &&
  one.heard.every((term, at) => term === other.heard[at]);

const wordLike = ({ words }: Personal, { write, folder }: GivenWord) =>
  [...words.values()].find(
    (one) => one.folder === folder && foldName(one.write) === foldName(write),
  );

function nameFault(personal: Personal, given: GivenWord, id?: string): PersonalRefusal | undefined {
  const same = wordLike(personal, given);
  if (!same || same.id === id) return undefined;
  return refuse('name-taken', problemOf('name-taken', { name: same.write }));
}
