import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '../..');

/** Words that the glossary gives up for others, as they would stand in what people read. */
const given = {
  en: /\b(?:services?|machines?|external|speech models?|sounds?(?! like)|write up|anew|traces?|looks after|look again|mend(?:s|ed)?|t(?:ell|old) apart|from the root|begun|recogniser)\b/iu,
  de: /\b(?:Dienst|Dienste[sn]?|Rechners?|Ton|Töne|mitschreiben|mithören|betreut|Fassung(?:en)?|Ablage|Verwaltung|Voreinstellung(?:en)?|Stimmen unterschieden|extern(?:e[mnrs]?)?)\b/u,
} as const;
/** Words that are given up as names of buttons, pages and states, but not within sentences. */
const alone = {
  en: /^(?:Leave|Keep it|Go on|Hear|Look again|Use this one|Arrived|Recognised|Turns?|Facts?)$/u,
  de: /^(?:Verlassen|Sichern|Verwerfen|Allein|Tasten|Zustand|Verbessern|Diese nehmen)$/u,
} as const;
/** What is meant by them otherwise: a paid service elsewhere, the statechart's own name. */
const meant = /paid service|state machine|bezahlter Dienst|kostenpflichtiger Dienst/iu;

type Language = keyof typeof given;

/** The texts between quotation marks of each line that is no comment and no import, with the place of each. */
async function textsOf(path: string): Promise<[place: string, text: string][]> {
  const lines = (await readFile(join(root, path), 'utf8')).split('\n');
  return lines.flatMap((line, index) => {
    if (/^\s*(?:\/\/|\*|\/\*\*|import )/u.test(line)) return [];
    const value = line.replace(/^\s*'?[\w:=.-]+'?: /u, '');
    const texts = [...value.matchAll(/'((?:[^'\\]|\\.)*)'|`([^`]*)`/gu)];
    return texts.map(([, text, filled]): [string, string] => [
      `${path}:${index + 1}`,
      text ?? filled!,
    ]);
  });
}

const isGivenUp = (text: string, language: Language): boolean =>
  given[language].test(text.replace(meant, '')) || alone[language].test(text);

/** Where what people read is written, of the server, the command line and the pages; `both`: both languages in one file. */
const places: readonly [where: string, isText: RegExp, least: number, both?: 'both'][] = [
  ['src/words', /\.ts$/u, 20],
  ['web', /(?:^|\/)words(?:\.de)?\.ts$/u, 20],
  ['src/cli', /^program\.ts$/u, 1],
  ['src/config', /^(?:schema|settings-page)\.ts$/u, 2, 'both'],
  ['src/http', /^guide-page\.ts$/u, 1, 'both'],
  ['src/tray', /^menu\.ts$/u, 1, 'both'],
];

const filesOf = async (where: string): Promise<string[]> =>
  (await readdir(join(root, where), { recursive: true })).filter(
    (file) => !file.includes('node_modules'),
  );

for (const [where, isText, least, both] of places) {
  test(`what people read in ${where} has no word that the glossary has given up`, async () => {
    const files = (await filesOf(where)).filter((file) => isText.test(file));
    assert.ok(files.length >= least, `only ${files.length} files were found`);
    const texts = (await Promise.all(files.map((file) => textsOf(join(where, file))))).flat();
    const wrong = texts.filter(([place, text]) => {
      const own: Language = place.includes('.de.ts:') ? 'de' : 'en';
      const languages: readonly Language[] = both ? ['en', 'de'] : [own];
      // A code is no text: it has neither a blank nor a capital.
      return /[\p{Lu} ]/u.test(text) && languages.some((one) => isGivenUp(text, one));
    });
    assert.deepEqual(wrong, []);
  });
}

test('every catalogue is among these files, also one that is new', async () => {
  const isCatalogue = /\bi18n\('|satisfies Translation<|\bWords<typeof |= sayingsOf\(/u;
  for (const where of ['web', 'src']) {
    const named = places.filter(([place]) => place.startsWith(where));
    for (const file of await filesOf(where)) {
      if (!/\.(?:ts|svelte)$/u.test(file)) continue;
      const path = join(where, file);
      if (!isCatalogue.test(await readFile(join(root, path), 'utf8'))) continue;
      const isRead = named.some(
        ([place, isText]) =>
          path.startsWith(`${place}/`) && isText.test(path.slice(place.length + 1)),
      );
      assert.ok(isRead, `${path} is read by none of the tests above`);
    }
  }
});

/** Pages for everyone, in both languages. */
const pages = ['README.md', 'README.de.md', 'src/cli/recording.md', 'src/cli/recording.de.md'];

test('the first pages have no word that the glossary has given up', async () => {
  const wrong: string[] = [];
  for (const page of pages) {
    const language = page.endsWith('.de.md') ? 'de' : 'en';
    const text = (await readFile(join(root, page), 'utf8'))
      .replace(/^ *```[^]*?^ *```/gmu, '')
      .replace(/`[^`]*`|\]\([^)]*\)/gu, '');
    const found = text.split('\n').filter((line) => given[language].test(line.replace(meant, '')));
    wrong.push(...found.map((line) => `${page}: ${line}`));
  }
  assert.deepEqual(wrong, []);
});

test('a word that was given up is found', () => {
  assert.ok(isGivenUp('The service does not answer.', 'en'));
  assert.ok(isGivenUp('Der Dienst antwortet nicht.', 'de'));
  assert.ok(isGivenUp('Verwerfen', 'de'));
  assert.ok(!isGivenUp('Änderungen verwerfen', 'de'));
  assert.ok(!isGivenUp('OpenAI-compatible: Ollama or a paid service.', 'en'));
  assert.ok(isGivenUp('The sound is saved.', 'en'));
  assert.ok(!isGivenUp('The voice sounds like Ada.', 'en'));
});
