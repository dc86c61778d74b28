import assert from 'node:assert/strict';
import { test } from 'node:test';
import { catalogues } from '../../src/words/say.ts';
import { type Given, type WordCatalogue, partsOf } from '../../src/words/sentences.ts';

const { en, ...others } = catalogues;

/** Every text of an entry, its choices included. */
function textsOf(given: Given): string[] {
  const { choices, ...parts } = partsOf(given);
  return [
    ...Object.values(parts),
    ...Object.values(choices ?? {}).flatMap((of) => Object.values(of)),
  ].flatMap((text) =>
    typeof text === 'string' ? [text] : Object.values(text as object),
  ) as string[];
}

const draft = /TODO|as above|wie oben|same sentences| · |(\p{L}{3})\p{L}* \/ \1|⚙|→/u;

for (const [language, areas] of Object.entries(others)) {
  for (const [area, catalogue] of Object.entries(areas)) {
    const english: WordCatalogue = en[area as keyof typeof en];
    const translated = Object.entries(catalogue as Record<string, Given>);

    test(`${area} in ${language} names the parameters that its English sentences have, and no others`, () => {
      assert.ok(translated.length > 0, 'the catalogue is empty');
      const wrong = translated.flatMap(([code, texts]) =>
        textsOf(texts)
          .flatMap((text) => [...text.matchAll(/\{([^}]*)\}/g)].map(([, name]) => name!))
          .filter((name) => !Object.hasOwn(english[code]?.params ?? {}, name))
          .map((name) => `${code}: {${name}}`),
      );
      assert.deepEqual(wrong, []);
    });

    test(`${area} in ${language} and in English has no draft left in it`, () => {
      const all = [
        ...translated,
        ...Object.entries(english).map(([code, { texts }]) => [code, texts] as const),
      ];
      const wrong = all.flatMap(([code, texts]) =>
        textsOf(texts)
          .filter((text) => text.trim() === '' || draft.test(text))
          .map((text) => `${code}: ${text}`),
      );
      assert.deepEqual(wrong, []);
    });
  }
}
