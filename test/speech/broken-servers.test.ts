import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StageError } from '../../src/shared/errors.ts';
import { hear, standIn } from '../support/remote-engine.ts';

/*
 * Ways in which a speech server answers wrongly: what comes of each are segments in order within the audio, or an error
 * that says what it is.
 */

const segments = (...all: object[]) =>
  JSON.stringify({ language: 'english', duration: 5, text: 'one two', segments: all });
const one = { id: 0, text: ' one', start: 0.5, end: 1 };
const two = { id: 1, text: ' two', start: 2, end: 3 };

/** Answers with 200, and the words that are kept of them. */
const answers: Record<string, { body: string; type?: string; words: string }> = {
  'plain text': { body: 'one two', type: 'text/plain', words: 'one two' },
  'no segments': { body: '{"text":"one two"}', words: 'one two' },
  'nothing heard': { body: segments(), words: 'one two' },
  'an empty transcript': { body: '{"text":"","segments":[]}', words: '' },
  'times before the beginning': { body: segments({ ...one, start: -7 }, two), words: 'one two' },
  'times that run backwards': {
    body: segments({ ...one, start: 4, end: 2 }, two),
    words: 'one two',
  },
  'times that are missing': {
    body: segments({ ...one, start: null, end: null }, two),
    words: 'one two',
  },
  'times far behind the end': { body: segments(one, { ...two, end: 9999 }), words: 'one two' },
  'segments out of order': { body: segments(two, one), words: 'one two' },
  'times as text': { body: segments({ ...one, start: '0.5', end: '1' }, two), words: 'one two' },
};

for (const [name, { body, type = 'application/json', words }] of Object.entries(answers)) {
  test(`a server that answers with ${name}: segments in order within the audio`, async (t) => {
    const it = await standIn(t, 'openai');
    for (let count = 0; count < 4; count += 1)
      it.server.faults.push({ do: 'answer', status: 200, type, body });
    const heard = await hear(it, [0, 5]);
    const said = heard.segments.map(({ text }) => text.trim());
    assert.deepEqual(said.join(' ').split(' ').toSorted(), words.split(' ').toSorted());
    let before = 0;
    for (const { start, end } of heard.segments) {
      assert.ok(start >= before && end >= start && end <= 5, `${start} ${end}`);
      before = start;
    }
  });
}

test('a server that loops is marked, with all of it kept', async (t) => {
  const it = await standIn(t, 'openai');
  const text = ' thank you very much for that'.repeat(30);
  it.server.faults.push({ do: 'answer', status: 200, body: segments({ ...one, text }) });
  const heard = await hear(it, [0, 5]);
  assert.equal(heard.segments[0]?.doubt, 'repetition');
  assert.equal(heard.segments[0]?.text.trim(), text.trim());
});

for (const [name, body, status, code] of [
  ['a web page', '<html><body>Login</body></html>', 200, 'engine-refused'],
  ['half a document', '{"text":"one', 200, 'engine-answer'],
  ['a refusal', '{"error":{"message":"no such thing"}}', 400, 'engine-refused'],
] as const) {
  test(`a server that answers with ${name} each time: an error that says so`, async (t) => {
    const it = await standIn(t, 'openai');
    const type = body.startsWith('<') ? 'text/html' : 'application/json';
    for (let count = 0; count < 12; count += 1)
      it.server.faults.push({ do: 'answer', status, type, body });
    await assert.rejects(hear(it, [0, 5]), (error: unknown) => {
      assert.ok(error instanceof StageError);
      assert.equal(error.code, code);
      assert.match(error.message, /\p{L}{3,}.*\./u);
      return true;
    });
  });
}

test('a server that answers with 36 MB: an error, not a full memory', async (t) => {
  const it = await standIn(t, 'openai');
  const body = JSON.stringify({ text: 'x'.repeat(36 * 1024 * 1024) });
  for (let count = 0; count < 4; count += 1)
    it.server.faults.push({ do: 'answer', status: 200, body });
  await assert.rejects(hear(it, [0, 5]), { name: 'StageError' });
});
