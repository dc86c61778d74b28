import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '../..');

/** Words that the glossary gives up for others, as they would stand in what people read. */
const given = {
  en: /\b(?:services?|machines?|speech models?|sounds?|write up|anew|traces?|looks after|mend(?:s|ed)?|told? apart|from the root|begun|recogniser)\b/iu,
  de: /\b(?:Dienst|Dienste[sn]?|Rechners?|Ton|Töne|mitschreiben|mithören|betreut|Fassung(?:en)?|Ablage|Voreinstellung(?:en)?|Stimmen unterschieden)\b/u,
} as const;
/** What is meant by them otherwise: a paid service elsewhere, the statechart's own name. */
const meant = /paid service|state machine|bezahlter Dienst|kostenpflichtiger Dienst/iu;

/** The texts between quotation marks of each line that is no comment and no import, with the place of each. */
async function textsOf(path: string): Promise<[place: string, text: string][]> {
  const lines = (await readFile(join(root, path), 'utf8')).split('\n');
  return lines.flatMap((line, index) => {
    if (/^\s*(?:\/\/|\*|\/\*\*|import )/u.test(line)) return [];
    const value = line.replace(/^\s*'?[\w:=.-]+'?: /u, '');
    const texts = [...value.matchAll(/'((?:[^'\\]|\\.)*)'/gu)].map(([, text]) => text!);
    return texts.map((text): [string, string] => [`${path}:${index + 1}`, text]);
  });
}

for (const [where, isText] of [
  ['src/words', /\.ts$/u],
  ['web', /(?:^|\/)words(?:\.de)?\.ts$/u],
] as const) {
  test(`what people read in ${where} has no word that the glossary has given up`, async () => {
    const files = (await readdir(join(root, where), { recursive: true }))
      .filter((file) => isText.test(file) && !file.includes('node_modules'))
      .map((file) => join(where, file));
    assert.ok(files.length >= 20, `only ${files.length} files were found`);
    const texts = (await Promise.all(files.map(textsOf))).flat();
    const wrong = texts.filter(([place, text]) => {
      const words = place.includes('.de.ts:') ? given.de : given.en;
      // A code is no text: it has neither a blank nor a capital.
      return /[\p{Lu} ]/u.test(text) && words.test(text.replace(meant, ''));
    });
    assert.deepEqual(wrong, []);
  });
}
