/** Which word replaces something, for who puts it back and wants it no longer replaced. */
import { session } from '../client/session.ts';
import { tellRecent } from '../order/recent.ts';
import { type Whose, type Word, isSame, readWords, saveWord, spelling } from './spelling.ts';
import { words } from './words.ts';

export type Rule = { of: Whose; word: Word };

/** The word that replaces `heard` by `write`, among those that one may change; null: there is none. */
export async function ruleOf(write: string, heard: string): Promise<Rule | null> {
  const may: readonly Whose[] = session.get()?.is_admin === true ? ['mine', 'house'] : ['mine'];
  for (const of of may) {
    await readWords(of);
    const word = spelling[of]
      .get()
      ?.words.find(
        (one) => isSame(one.write, write) && one.heard.some((each) => isSame(each, heard)),
      );
    if (word !== undefined) return { of, word };
  }
  return null;
}

/** From now on it stays as it is heard; says so, with a way back. @throws {ApiError} */
export async function stopReplacing({ of, word }: Rule, heard: string): Promise<void> {
  const left = word.heard.filter((one) => !isSame(one, heard));
  await saveWord(of, word.id, { ...word, heard: left });
  tellRecent(words.get().stopped({ text: heard }), () => saveWord(of, word.id, word));
}
