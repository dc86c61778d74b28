/** What a card says of a model in one line: what it speaks, its size, what it needs. */
import { computed } from 'nanostores';
import type { Model } from '../client/models.ts';
import { sizeOf } from './sizes.ts';
import { languageNames } from './spoken-languages.ts';
import { format, locale } from '../words/i18n.ts';
import { words } from './words.ts';

/** As many languages are said by name; more by their number. */
const namedMax = 4;

export const modelInShort = computed(
  [words, format, locale],
  ($words, $format, $locale) =>
    ({ languages, size: bytes, memory_gb: memory, license }: Model): string[] => {
      const { size, unit } = sizeOf(bytes);
      const spoken =
        languages.length > namedMax
          ? [$words.languages(languages.length)]
          : languages.map(languageNames($locale));
      return [
        ...(spoken.length > 0 ? [spoken.join(', ')] : []),
        $words.onDisk({ size: `${$format.number(size)} ${unit}` }),
        ...(memory === null ? [] : [$words.forMemory({ size: $format.number(memory) })]),
        $words.license({ name: license }),
      ];
    },
);
