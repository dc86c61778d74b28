import assert from 'node:assert/strict';
import { test } from 'node:test';
import { catalogues } from '../../src/words/say.ts';
import {
  type Given,
  type WordCatalogue,
  type WordEntry,
  textsIn,
} from '../../src/words/sentences.ts';

/** Every text of an entry, its choices included. */
function textsOf(given: Given): string[] {
  const { choices, ...parts } = textsIn(given);
  return [
    ...Object.values(parts),
    ...Object.values(choices ?? {}).flatMap((of) => Object.values(of)),
  ].flatMap((text) =>
    typeof text === 'string' ? [text] : Object.values(text as object),
  ) as string[];
}

const draft = /TODO|as above|wie oben|same sentences| · |(\p{L}{3})\p{L}* \/ \1|⚙|→/u;

for (const [language, areas] of Object.entries(catalogues)) {
  for (const [area, catalogue] of Object.entries(areas)) {
    const english: WordCatalogue = catalogues.en[area as keyof typeof areas];
    const entries = Object.entries(catalogue as Record<string, Given | WordEntry>).map(
      ([code, entry]) =>
        [code, typeof entry === 'object' && 'texts' in entry ? entry.texts : entry] as const,
    );

    test(`${area} in ${language} names the parameters of its sentences, and no others`, () => {
      assert.ok(entries.length > 0, 'the catalogue is empty');
      const wrong = entries.flatMap(([code, texts]) =>
        textsOf(texts)
          .flatMap((text) => [...text.matchAll(/\{([^}]*)\}/g)].map(([, name]) => name!))
          .filter((name) => !Object.hasOwn(english[code]?.params ?? {}, name))
          .map((name) => `${code}: {${name}}`),
      );
      assert.deepEqual(wrong, []);
    });

    test(`${area} in ${language} has no draft left in it`, () => {
      const wrong = entries.flatMap(([code, texts]) =>
        textsOf(texts)
          .filter((text) => text.trim() === '' || draft.test(text))
          .map((text) => `${code}: ${text}`),
      );
      assert.deepEqual(wrong, []);
    });
  }
}
