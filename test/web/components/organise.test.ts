import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openReading } from '../../../web/client/reading.ts';

test('a list shows what was asked last, whichever answer comes last', async () => {
  const answers: ((now: string) => void)[] = [];
  const { value, read } = openReading<string>(() => new Promise((give) => answers.push(give)));
  const first = read();
  const second = read();
  answers[1]!('newer');
  await second;
  answers[0]!('older');
  await first;
  assert.equal(value.get(), 'newer');
});

