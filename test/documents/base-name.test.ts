import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  baseName,
  comparable,
  isReservedOnWindows,
  titleOfFile,
} from '../../src/documents/file-names.ts';
import { confinedSegments } from '../../src/documents/confinement.ts';
import { documentPaths } from '../../src/documents/documents.ts';
import { fc } from '../support/properties.ts';

const start = '2026-11-21T23:59:31+01:00';
const free = () => false;
const named = async (title: string) => (await baseName(start, title, free)).slice(17);

test('a base name is the wall clock of the start and the title', async () => {
  assert.equal(await baseName(start, 'Über das Gießen', free), '2026-11-21 23.59 Über das Gießen');
  assert.equal(await baseName('2026-01-02T03:04:05Z', 'x', free), '2026-01-02 03.04 x');
  await assert.rejects(baseName('21.11.2026', 'x', free), RangeError);
});

test('what a file system or a link cannot bear is left out of the title', async () => {
  const expected = {
    'Q3/Q4: *budget* | "draft" <1>?': 'Q3 Q4 budget draft 1',
    'C# [x] ^y': 'C x y',
    '...hidden': 'hidden',
    'ends. . ': 'ends',
    ' line\nbreak\u2028and\ttab ': 'line break and tab',
    'bidi \u202Etxt.exe\u202C': 'bidi txt.exe',
    'nul\u0000l \uD800 \uFEFF': 'null',
    'Gru\u0308\u00DFe': 'Gr\u00FC\u00DFe',
    '100 %% `code` ~user': "100 % 'code' user",
    '👩‍👩‍👧 Familie': '👩‍👩‍👧 Familie',
  };
  for (const [title, name] of Object.entries(expected)) assert.equal(await named(title), name);
});

test('a title with nothing safe in it leaves the date alone', async () => {
  for (const title of ['', ' . ', '???', '\u0000']) {
    assert.equal(await baseName(start, title, free), '2026-11-21 23.59');
  }
});

test('long titles end at a whole character', async () => {
  assert.equal(await named('x'.repeat(200)), 'x'.repeat(80));
  assert.equal(await named('👩‍👩‍👧'.repeat(50)), '👩‍👩‍👧'.repeat(10));
  assert.equal(await named('語'.repeat(80)), '語'.repeat(76));
});

test('the longest name with the highest number still fits', async () => {
  let asked = 0;
  const base = await baseName(start, '語'.repeat(80), () => asked++ < 9998);
  assert.match(base, /語 \(9999\)$/u);
  assert.equal(Buffer.byteLength(`${base}.md`), 255);
});

test('a taken name gets the next free number, compared without case', async () => {
  const taken = new Set(
    ['2026-11-21 23.59 STRASSE', '2026-11-21 23.59 straße (2)'].map(comparable),
  );
  const base = await baseName(start, 'Straße', async (name) => taken.has(comparable(name)));
  assert.equal(base, '2026-11-21 23.59 Straße (3)');
  await assert.rejects(
    baseName(start, 'x', () => true),
    RangeError,
  );
});

test('whatever the title, the names are safe on every system and in a link', async () => {
  await fc.assert(
    fc.asyncProperty(nastyTitle, fc.constantFrom(0, 1, 12), async (title, others) => {
      let asked = 0;
      const base = await baseName(start, title, () => asked++ < others);
      assert.equal(base, base.normalize('NFC'));
      assert.doesNotMatch(base, /[\\/:*?"<>|#^[\]~`]|%%|\p{Cc}|\p{Cs}|^[. ]|[. ]$/u);
      assert.ok(base.slice(17).replace(/ \(\d+\)$/u, '').length <= 80);
      for (const path of Object.values(documentPaths(base))) {
        for (const segment of confinedSegments(path)) {
          assert.ok(Buffer.byteLength(segment) <= 255);
          assert.equal(isReservedOnWindows(segment), false);
        }
      }
    }),
    { numRuns: 2000 },
  );
});

const nastyTitle = fc
  .array(
    fc.oneof(
      fc.constantFrom('/', '\\', '..', '.', ' ', ':', 'CON', 'nul.txt', '\u0000', '\n', '[[', '%%'),
      fc.constantFrom('\u202E', '\uFEFF', '\u200D', '\uD83D', '\u0301', '~', '`', '語', '👩‍👩‍👧', 'ﷺ'),
      fc.string({ unit: 'binary', maxLength: 20 }),
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(''));

test('a name that a device gives every recording is no title', () => {
  const devices = [
    'REC_0012.WAV',
    'REC0001.mp3',
    'Voice 003.m4a',
    '20260101_101500.wav',
    'WhatsApp Audio 2026-11-21 at 10.22.33.opus',
    'AUD-20261121-WA0001.m4a',
    'PTT-20261121-WA0001.opus',
    'New Recording 7.m4a',
    'Neue Aufnahme 12.m4a',
    'Sprachmemo 4.m4a',
    'Standard 14.mp3',
    'DS850012.DSS',
    'blob',
    'audio.webm',
    'Recording.wav',
  ];
  for (const name of devices) assert.equal(titleOfFile(name), '', name);
  const people = ['Interview mit Anna 3.wav', 'Call with the bank 2026.mp3', 'Zoom oder Teams.m4a'];
  for (const name of people) assert.equal(titleOfFile(name), name.replace(/\.\w+$/u, ''), name);
});
