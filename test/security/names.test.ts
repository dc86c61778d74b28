import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ProblemAnswer, password, startService } from '../support/http-client.ts';

test('names are of one script each and begin with a letter or digit', async (t) => {
  const service = await startService(t);
  const token = await service.setUp();
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
  for (const like of ['zoe-k', 'ádà', 'ada.', 'cons\u0338tructor', 'ben+x@l\u0131brary.example']) {
    const { status, body } = await create(like);
    assert.deepEqual([status, body.type], [409, '/problems/username-taken'], like);
  }
});
