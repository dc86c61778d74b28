/**
 * ISO 639-1 code of what people and servers call a language: `de`, `DE`, `de-AT`, `deu`, `German`,
 * `<|de|>`. Null for `auto`, for nothing and for what is not known.
 */
export function languageCode(language: string | null | undefined): string | null {
  const plain = (language ?? '').replaceAll(/[<>|]/g, '').trim().toLowerCase();
  if (plain === '' || plain === 'auto') return null;
  const named = codesByName.get(plain);
  if (named) return named;
  const code = plain.replace(/[-_].*$/su, '');
  return knownCode(code) ?? codesByName.get(code) ?? knownCode(canonical(code));
}

/**
 * What a person or a browser gave as a language, reduced to its code: a BCP 47 tag (`en-US` → `en`),
 * or null for `auto` and nothing. Undefined for what is not a tag, or not of a language that any
 * recogniser knows: to be refused.
 */
export function requestedLanguage(tag: string): string | null | undefined {
  const plain = tag.trim();
  if (plain === '' || plain.toLowerCase() === 'auto') return null;
  if (!/^[a-z]{2,3}(?:[-_][a-z\d]{1,8})*$/i.test(plain)) return undefined;
  return languageCode(plain) ?? undefined;
}

/** The one language there is; null where there are several, or none is named. */
export const onlyOne = (languages: readonly string[]): string | null =>
  languages.length === 1 ? languages[0]! : null;

/** The two-letter code of `deu`, `ger` and the like, where there is one. */
function canonical(code: string): string {
  if (!/^[a-z]{2,3}$/.test(code)) return code;
  return new Intl.Locale(code).language;
}

const knownCode = (code: string): string | null => (codes.has(code) ? code : null);

/** What Whisper and its relatives know (openai/whisper, tokenizer.py); others are known as `auto`. */
const codes = new Set(
  (
    'en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ' +
    'ur hr bg lt la mi ml cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr ' +
    'pa si km sn yo so af oc ka be tg sd gu am yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt ' +
    'haw ln ha ba jw su yue'
  ).split(' '),
);

const englishNames = new Intl.DisplayNames(['en'], { type: 'language' });

const codesByName = new Map<string, string>(
  [...codes]
    .map((code): [string, string] => [(englishNames.of(code) ?? code).toLowerCase(), code])
    .concat([
      ['burmese', 'my'],
      ['valencian', 'ca'],
      ['flemish', 'nl'],
      ['haitian', 'ht'],
      ['haitian creole', 'ht'],
      ['letzeburgesch', 'lb'],
      ['pushto', 'ps'],
      ['panjabi', 'pa'],
      ['moldavian', 'ro'],
      ['moldovan', 'ro'],
      ['sinhalese', 'si'],
      ['castilian', 'es'],
      ['mandarin', 'zh'],
      ['javanese', 'jw'],
      ['nynorsk', 'nn'],
      ['bengali', 'bn'],
      ['tagalog', 'tl'],
      ['myanmar', 'my'],
      ['maori', 'mi'],
      ['farsi', 'fa'],
      ['jv', 'jw'],
      ['iw', 'he'],
      ['nb', 'no'],
      ['fil', 'tl'],
      ['deutsch', 'de'],
    ]),
);
