import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Kinds } from '../../src/words/params.ts';
import type { Texts } from '../../src/words/sentences.ts';

const folder = join(import.meta.dirname, '../../src/words');

/** The only catalogue that a file exports: entries in English, texts in another language. */
async function catalogueIn(file: string): Promise<[string, { params?: Kinds; texts: Texts }][]> {
  const exported = (await import(join(folder, file))) as Record<string, object>;
  return Object.values(exported)
    .filter((value) => typeof value === 'object' && !Array.isArray(value))
    .flatMap((catalogue) => Object.entries(catalogue))
    .filter(([, entry]) => typeof entry === 'object')
    .map(([code, entry]: [string, Texts | { params: Kinds; texts: Texts }]) => [
      code,
      'texts' in entry ? entry : { texts: entry },
    ]);
}

/** Every text of an entry, its choices included. */
const textsOf = ({ choices, ...parts }: Texts): string[] =>
  [
    ...Object.values(parts),
    ...Object.values(choices ?? {}).flatMap((of) => Object.values(of)),
  ].flatMap((text) =>
    typeof text === 'string' ? [text] : Object.values(text as object),
  ) as string[];

const catalogues = (await readdir(folder)).filter((file) => file.endsWith('.de.ts'));

for (const file of catalogues) {
  test(`${file} names the parameters that its English sentences have, and no others`, async () => {
    const english = new Map(await catalogueIn(file.replace('.de.ts', '.ts')));
    const german = await catalogueIn(file);
    assert.ok(german.length > 0, 'the catalogue is empty');
    const wrong = german.flatMap(([code, { texts }]) => {
      const { params = {} } = english.get(code) ?? {};
      return textsOf(texts)
        .flatMap((text) => [...text.matchAll(/\{([^}]*)\}/g)].map(([, name]) => name!))
        .filter((name) => !Object.hasOwn(params, name))
        .map((name) => `${code}: {${name}}`);
    });
    assert.deepEqual(wrong, []);
  });

  test(`${file} and its English have no draft left in them`, async () => {
    const all = [
      ...(await catalogueIn(file)),
      ...(await catalogueIn(file.replace('.de.ts', '.ts'))),
    ];
    const wrong = all.flatMap(([code, { texts }]) =>
      textsOf(texts)
        .filter(
          (text) =>
            text.trim() === '' || /TODO|as above|wie oben|same sentences| · | \/ |⚙|→/u.test(text),
        )
        .map((text) => `${code}: ${text}`),
    );
    assert.deepEqual(wrong, []);
  });
}
