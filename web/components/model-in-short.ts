/** What a card says of a model in one line: what it speaks, its size, what it needs. */
import type { Model } from '../client/models.ts';
import { sizeOf } from './sizes.ts';
import { languageNames } from './spoken-languages.ts';

type Words = {
  languages(count: number): string;
  onDisk(given: { size: string }): string;
  forMemory(given: { size: string }): string;
  license(given: { name: string }): string;
};

/** As many languages are said by name; more by their number. */
const namedMax = 4;

/** @param number how the reader's language writes one */
export function modelInShort(
  { languages, size: bytes, memory_gb: memory, license }: Model,
  { words, number, locale }: { words: Words; number: (value: number) => string; locale: string },
): string[] {
  const { size, unit } = sizeOf(bytes);
  const nameOf = languageNames(locale);
  const spoken =
    languages.length > namedMax ? [words.languages(languages.length)] : languages.map(nameOf);
  return [
    ...(spoken.length > 0 ? [spoken.join(', ')] : []),
    words.onDisk({ size: `${number(size)} ${unit}` }),
    ...(memory === null ? [] : [words.forMemory({ size: number(memory) })]),
    words.license({ name: license }),
  ];
}
