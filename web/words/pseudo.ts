/**
 * A language for development: English with accents, 40 % longer, each text in brackets. What stands on a page without
 * brackets is not in `words.ts`; brackets in brackets are sentences made of parts. `?lang=pseudo` in the address of a page
 * asks for it, in `npm run dev:web` and in what `vite build --mode pseudo` makes for `test/web/pseudo.test.ts`.
 */
import { strings } from '@nanostores/i18n';

export const asksPseudo = (search: string): boolean =>
  new URLSearchParams(search).get('lang') === 'pseudo';

/** Words of a folder, or of several, in that language; what stands for parameters stays. */
export const pseudoWords = <Words extends object>(words: Words): Words =>
  strings(words as never, pseudo) as Words;

/** One text. */
export function pseudo(text: string): string {
  const [, before = '', said = '', after = ''] = /^(\s*)(.*?)(\s*)$/s.exec(text) ?? [];
  if (said === '') return text;
  let owed = 0;
  const longer = said.split(/(\{\w+\})/).map((part, at) => {
    if (at % 2 === 1) return part;
    return Array.from(part, (letter) => {
      owed += more;
      const accented = accents[letter] ?? letter;
      if (owed < 1 || !/[aeiouy]/i.test(letter)) return accented;
      owed -= 1;
      return accented + accented.toLowerCase();
    }).join('');
  });
  return `${before}⟦${longer.join('')}${'~'.repeat(Math.round(owed))}⟧${after}`;
}

/** For each letter. */
const more = 0.4;
const accents: Readonly<Record<string, string>> = Object.fromEntries(
  [...'aàeéiîoöuûyýcçnñsšzžAÀEÉIÎOÖUÛYÝCÇNÑSŠZŽ'.matchAll(/(.)(.)/gu)].map(([, from, to]) => [
    from,
    to,
  ]),
);
