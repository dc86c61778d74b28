import assert from 'node:assert/strict';
import { test } from 'node:test';
import { check } from '../../src/words/checks.ts';
import { failure } from '../../src/words/failures.ts';
import type { Language } from '../../src/words/params.ts';
import { say } from '../../src/words/say.ts';

const both = (sentence: Parameters<typeof say>[0]) =>
  (['en', 'de'] as const satisfies Language[]).map((language) => say(sentence, language)?.detail);

test('a code and its parameters are a sentence in each language, with its figures as the language writes them', () => {
  assert.deepEqual(both(failure('audio-too-long', { limit: 1.5 })), [
    'The audio is longer than 1.5 hours.',
    'Das Audio ist länger als 1,5 Stunden.',
  ]);
  assert.deepEqual(both(failure('audio-needs-memory', { limit: 1_610_612_736 })), [
    'Reading this file needs more than 1.5 GB of memory.',
    'Zum Lesen dieser Datei sind mehr als 1,5 GB Arbeitsspeicher nötig.',
  ]);
  assert.deepEqual(both(failure('no-title-answered', { fault: 'repeats-itself' })), [
    'The language model gave no usable title: its answer repeats itself.',
    'Das Sprachmodell hat keinen brauchbaren Titel geliefert: Die Antwort wiederholt sich.',
  ]);
});

test('sizes are written as people write them', () => {
  const sizes = (limit: number) => both(failure('audio-needs-memory', { limit }));
  assert.match(sizes(1)[0]!, / 1 byte /);
  assert.match(sizes(1000)[0]!, / 1,000 bytes /);
  assert.match(sizes(1000)[1]!, / 1\.?000 Byte /);
  assert.match(sizes(2048)[0]!, / 2 KB /);
});

test('what everyone reads, what can be done and what only administrators are told are apart', () => {
  const { detail, todo, admin } = say(
    failure('language-server-failed', { server: 'http://gpu:1234', status: '500' }),
    'en',
  )!;
  assert.deepEqual(
    { detail, todo, admin },
    {
      detail: 'The language model server reported an error.',
      todo: 'Try again.',
      admin: 'http://gpu:1234: HTTP 500',
    },
    'what the server did not say leaves no empty quotation marks',
  );
});

test('a sentence within a sentence is in the same language; plurals and lists follow the language', () => {
  const cause = failure('no-speaker-model');
  assert.deepEqual(both({ area: 'note', code: 'diarization-skipped', params: { cause } }), [
    'The speakers could not be separated. No model for speaker recognition is installed.',
    'Die Sprecher konnten nicht unterschieden werden. Es ist kein Modell für Sprechererkennung installiert.',
  ]);
  const unplaced = (count: number) =>
    both({ area: 'note', code: 'corrections-unplaced', params: { count } })[1]!
      .split(' ')
      .slice(0, 2);
  assert.deepEqual(
    [unplaced(1), unplaced(2)],
    [
      ['1', 'Korrektur'],
      ['2', 'Korrekturen'],
    ],
  );
  const names = Array.from({ length: 12 }, (_, at) => `m${at}`);
  const [english] = both(failure('language-not-supported', { language: 'fy', models: names }));
  assert.equal(english, 'No installed model supports Western Frisian.');
  const { admin } = say(
    failure('language-not-supported', { language: 'fy', models: names }),
    'de',
  )!;
  assert.match(admin!, /m9 und 2 weitere\.$/u);
});

test('free text stays on one line and is cut, so that nobody’s words pass for a sentence of ours', () => {
  const said = `line\n\nnext ${'x'.repeat(400)}`;
  const { admin } = say(
    failure('language-server-failed', { server: 's', status: '500', said }),
    'en',
  )!;
  assert.match(admin!, /^s: HTTP 500, “line next x+…”$/u);
  assert.ok(admin!.length < 330, admin);
  const device = (name: string) => both(failure('device-in-use', { device: name }))[0]!;
  assert.match(device(`${'word '.repeat(23)}character`), /(?:word ){22}word…/u, 'behind a word');
  assert.match(device('😀'.repeat(100)), /^[^\p{Cs}]*😀…/u, 'not within a character');
});

test('paths and addresses are not cut, as they would be of no use', () => {
  const folder = `/home/anna/${'a folder with a long name/'.repeat(30)}notes`;
  const { detail } = say(check('data-writable', { folder }), 'de')!;
  assert.ok(detail.includes(folder), detail);
  const { detail: listed } = say(check('files-open', { paths: [folder, '/tmp'] }), 'en')!;
  assert.ok(listed.includes(`${folder} and /tmp`), listed);
});

test('a code of a newer release, and values that are not of their kind, harm nothing', () => {
  assert.equal(say({ code: 'of-tomorrow' }, 'de'), undefined);
  assert.equal(say({ area: 'nowhere', code: 'audio-empty' }, 'de'), undefined);
  assert.equal(say({ code: 'constructor' }, 'en'), undefined);
  assert.equal(
    say({ code: 'audio-too-long', params: { limit: 'long' } }, 'en')?.detail,
    'The audio is longer than .',
  );
});
