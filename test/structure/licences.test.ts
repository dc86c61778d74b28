import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

const dist = join(import.meta.dirname, '../../dist');

/** What may be shipped with a program under Apache-2.0 without asking anything more than that its text comes along. */
const known = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'Unlicense',
  'Zlib',
]);

/** One of what `OR` joins is chosen, all of what `AND` joins hold. */
const isKnown = (expression: string): boolean =>
  expression
    .replace(/^\((.*)\)$/s, '$1')
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every((one) => known.has(one)));

type Component = {
  name: string;
  version: string;
  licenses: ({ license: { id: string } } | { expression: string })[];
  properties: { name: string; value: string }[];
};

test('every package that is shipped has a known licence, and its text comes along', async () => {
  const { components } = JSON.parse(await readFile(join(dist, 'sbom.cdx.json'), 'utf8')) as {
    components: Component[];
  };
  const texts = await readFile(join(dist, 'THIRD-PARTY-LICENSES'), 'utf8');
  const licenceOf = ({ licenses: [said] }: Component): string =>
    said === undefined ? 'none' : 'expression' in said ? said.expression : said.license.id;
  const unknown = components
    .filter((one) => !isKnown(licenceOf(one)))
    .map((one) => `${one.name} ${one.version}: ${licenceOf(one)}`);
  assert.deepEqual(unknown, []);
  const bundled = components.filter(({ properties }) => properties[0]?.value === 'true');
  for (const { name, version } of bundled)
    assert.ok(texts.includes(`\n${name} ${version} (`), name);
  // Of the pages, the service, and what is no package.
  for (const name of ['svelte', 'wavesurfer.js', 'koa', 'zod', 'atkinson-next', 'literata'])
    assert.match(texts, new RegExp(`^${name} `, 'm'), name);
});

test('the check notices a licence that is not known', () => {
  assert.ok(isKnown('(MIT OR GPL-3.0-or-later)'));
  assert.ok(isKnown('(MIT AND Zlib)'));
  assert.ok(!isKnown('GPL-3.0-or-later'));
  assert.ok(!isKnown('MIT AND GPL-3.0-or-later'));
  assert.ok(!isKnown('unknown'));
});
