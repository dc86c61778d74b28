import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import { interimText } from '../../src/recordings/stages/interim-text.ts';
import { eventually } from '../support/eventually.ts';

test('of what is not recognised for long only the last minute is shown while more is said', async () => {
  let speech = -1;
  const shown: { start: number; end: number; text: string }[] = [];
  const interim = interimText({
    follower: {
      speaking: () => [speech * 5, speech * 5 + 4],
      read: async () => new Int16Array(64_000),
    },
    open: async () => ({ hear: async (number) => `speech ${number}`, close: async () => {} }),
    show: (text) => void shown.push(text),
    log: pino({ level: 'silent' }),
  });
  for (speech = 0; speech < 200; speech += 1) {
    interim.look();
    await eventually(
      'it is shown',
      () => shown.at(-1)?.text.endsWith(`speech ${speech + 1}`) === true,
    );
  }
  const last = shown.at(-1)!;
  assert.equal(last.end, 999);
  assert.ok(last.start > 900, `it begins at ${last.start} s`);
  assert.ok(last.text.length < 500, `${last.text.length} characters`);
  await interim.close();
});
