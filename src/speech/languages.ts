/**
 * ISO 639-1 code of what people and servers call a language: `de`, `DE`, `de-AT`, `German`,
 * `<|de|>`. Null for `auto`, for nothing and for what nobody knows.
 */
export function languageCode(language: string | null | undefined): string | null {
  const plain = (language ?? '').replaceAll(/[<>|]/g, '').trim().toLowerCase();
  if (plain === '' || plain === 'auto') return null;
  const named = codesByName.get(plain);
  if (named) return named;
  const code = plain.split(/[-_]/)[0]!;
  return codes.has(code) ? code : (codesByName.get(code) ?? null);
}

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
      ['deutsch', 'de'],
      ['cmn', 'zh'],
      ['deu', 'de'],
      ['ger', 'de'],
      ['eng', 'en'],
    ]),
);
