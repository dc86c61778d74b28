import { show } from './dom.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { flushSync } from 'svelte';
import type { Turn } from '../../../web/pages/recording/turn-key.ts';
import TurnRow from '../../../web/pages/recording/TurnRow.svelte';

const spoken = 'we meet on monday thank you'.split(' ');
const turn: Turn = {
  index: 0,
  block: 't-0001',
  start: 0,
  end: 6,
  speaker: null,
  text: spoken.join(' '),
  words: spoken.map((text, at) => ({ text, start: at, end: at + 1 })),
  doubt: 'no-speech',
  doubts: [
    { start: 2, end: 3, reason: 'other-speaker' },
    { start: 4, end: 6, reason: 'no-speech' },
  ],
};

test('words that may be wrong are marked; a press or the focus says why, and plays the passage', (t) => {
  const played: number[] = [];
  const row = show(t, TurnRow, {
    turn,
    at: 0,
    count: 1,
    speaker: undefined,
    language: 'en',
    spoken: null,
    hits: undefined,
    hit: 0,
    isStop: true,
    isReadable: false,
    canCorrect: false,
    editor: null,
    draft: undefined,
    ondiscard() {},
    onplay: (time: number) => played.push(time),
    oncorrect() {},
    onnote() {},
    onmove() {},
  });
  const marked = [...row.querySelectorAll<HTMLElement>('.unsure')];
  assert.deepEqual(
    marked.map(({ textContent }) => textContent),
    ['on', 'thank', 'you'],
  );
  assert.equal(row.querySelector('[role=status]'), null);
  marked.at(-1)!.focus();
  flushSync();
  const why = row.querySelector('[role=status]')!;
  assert.match(why.textContent, /Perhaps nobody spoke here/);
  why.querySelector('button')!.click();
  marked.at(-1)!.click();
  assert.deepEqual(played, [4, 4], 'from its beginning');
  row.querySelector<HTMLElement>('[data-word]')!.focus();
  flushSync();
  assert.equal(row.querySelector('[role=status]'), null);
});
