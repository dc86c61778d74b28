import type { Block } from '../../events/facts/transcript.ts';
import { type ProvenText, isShouted, plausibleNames, provenText } from './proof.ts';
import type { Punctuated } from './punctuate.ts';
import { punctuatedWords } from './punctuated-words.ts';
import { spokenWords } from './spoken-words.ts';

/**
 * Punctuates and capitalises, with a model that does only this, the blocks whose recogniser did neither; all others
 * stay. Not a word is changed: each answer is compared word by word, and where it differs the block
 * stays as it was.
 * @param punctuate texts in lower case, answered one for one
 * @param language ISO 639-1 code of the talk
 */
export async function punctuateBare(
  blocks: Block[],
  punctuate: (texts: readonly string[]) => Promise<readonly string[]>,
  language: string,
): Promise<Punctuated> {
  const bare = blocks.filter(({ text }) => isBare(text, language));
  if (bare.length === 0) return { blocks, parts: 0, kept: [] };
  const shouted = isShouted(bare.map(({ text }) => text).join('\n'));
  const answers = await punctuate(bare.map(({ text }) => text.trim().toLocaleLowerCase(language)));
  const proofs = new Map(
    bare.map(({ id, text }, index) => [
      id,
      provenText({ text: text.trim(), language, shouted }, answers[index] ?? ''),
    ]),
  );
  const isPlausible = plausibleNames({ words: sum(proofs, 'words'), names: sum(proofs, 'names') });
  const textOf = (id: string) => (isPlausible ? proofs.get(id)?.text : undefined);
  return {
    parts: bare.length,
    kept: bare.flatMap(({ id }) => (textOf(id) === undefined ? [id] : [])),
    blocks: blocks.map((block) => {
      const text = textOf(block.id);
      if (text === undefined) return block;
      return { ...block, text, words: punctuatedWords(block.words, text, language) };
    }),
  };
}

/** Words in one case, without a mark behind any of them. */
const isBare = (text: string, language: string): boolean =>
  spokenWords(text, language).length > 0 &&
  !/[.,;:?!…](?:\s|$)/u.test(text) &&
  !(/\p{Lu}/u.test(text) && /\p{Ll}/u.test(text));

const sum = (proofs: ReadonlyMap<string, ProvenText | null>, key: 'words' | 'names'): number =>
  [...proofs.values()].reduce((all, proof) => all + (proof?.[key] ?? 0), 0);
