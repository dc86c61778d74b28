import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ProblemAnswer, password, withAda } from '../support/http-client.ts';

test('names are of one script each and begin with a letter or digit', async (t) => {
  const { service, token } = await withAda(t);
  const create = (username: string) =>
    service.call<ProblemAnswer>('POST', '/users', { token, json: { username, password } });
  for (const [what, name] of [
    ['a Cyrillic letter beside Latin ones', 'b\u043Eb'],
    ['a Greek letter beside Latin ones', 'b\u03BFb'],
    ['Bengali digits, which look like others, beside Latin letters', 'bob\u09EA'],
    ['an option of a program', '-rf'],
    ['a hidden file', '.bashrc'],
    ['an inherited member', '__proto__'],
    ['a mark without a letter', '\u0301bob'],
  ] as const) {
    const { status, body } = await create(name);
    assert.deepEqual([status, body.type], [422, '/problems/invalid'], what);
  }
  for (const name of [
    'Zoë-K.',
    'ben+x@library.example',
    'Иван',
    'Ελένη',
    '田中さくら',
    '김철수',
    'عمر',
    'constructor',
  ]) {
    assert.equal((await create(name)).status, 201, name);
  }
  for (const name of ['Ilse', 'bob01', 'karl', 'øre']) {
    assert.equal((await create(name)).status, 201, name);
  }
  for (const [what, like] of [
    ['without accents', 'zoe-k'],
    ['with other accents', 'ádà'],
    ['a dot at the end', 'ada.'],
    ['a stroke through a letter', 'cons\u0338tructor'],
    ['a mark of another block', 'karl\u20d2'],
    ['an l for a capital I', 'llse'],
    ['a 1 for a capital I', '1lse'],
    ['a 1 for an l', 'kar1'],
    ['letters for digits', 'bobol'],
    ['a capital O and I for digits', 'bObOI'],
    ['another a', 'k\u0251rl'],
    ['a letter with its stroke', 'ore'],
    ['r and n for m', 'ben+x@library.exarnple'],
    ['all of it Cyrillic', '\u0430\u0501\u0430'],
  ] as const) {
    const { status, body } = await create(like);
    assert.deepEqual([status, body.type], [409, '/problems/username-taken'], what);
    assert.match(body.detail ?? '', /looks like that of another user/u, what);
  }
  assert.equal((await create('ben+x@l\u0131brary.example')).status, 409, 'an i without its dot');
  for (const other of ['Else', 'kari', 'bob02', 'Anne', 'Adam']) {
    assert.equal((await create(other)).status, 201, other);
  }
});
