import { show } from './dom.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { flushSync } from 'svelte';
import type { Turn } from '../../../web/pages/recording/turn-key.ts';
import TurnRow from '../../../web/pages/recording/TurnRow.svelte';

const said = 'we keep it in Mitschrift, says Grete Lindqvist';
const turn: Turn = {
  index: 0,
  block: 't-0001',
  start: 0,
  end: 8,
  speaker: null,
  text: said,
  words: said.split(' ').map((text, at) => ({ text, start: at, end: at + 1 })),
  replaced: [
    { from: 14, to: 24, heard: 'mit schrift' },
    { from: 31, to: 46, heard: 'Greta Lindquist' },
  ],
};
const props = {
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
  canCorrect: true,
  editor: null,
  draft: undefined,
  ondiscard() {},
  onplay: undefined,
  oncorrect() {},
  onnote() {},
  onmove() {},
};

test('a word that was put in place of another is marked; the focus says what was heard, and one press asks for it back', (t) => {
  const back: string[] = [];
  const row = show(t, TurnRow, {
    ...props,
    onputback: async ({ heard }: { heard: string }) => back.push(heard) > 0,
  });
  const marked = [...row.querySelectorAll<HTMLElement>('.w.replaced')];
  assert.deepEqual(
    marked.map(({ textContent, title }) => [textContent, title]),
    [
      ['Mitschrift,', 'Heard: “mit schrift”'],
      ['Grete', 'Heard: “Greta Lindquist”'],
      ['Lindqvist', 'Heard: “Greta Lindquist”'],
    ],
  );
  assert.equal(row.querySelector('[role=status]'), null);
  marked[2]!.focus();
  flushSync();
  const line = row.querySelector('[role=status]')!;
  assert.match(line.textContent, /Heard: “Greta Lindquist”/);
  line.querySelector('button')!.click();
  assert.deepEqual(back, ['Greta Lindquist']);
  row.querySelector<HTMLElement>('[data-word]')!.focus();
  flushSync();
  assert.equal(row.querySelector('[role=status]'), null);
});

test('who may not edit a note sees what was heard, and no way back', (t) => {
  const row = show(t, TurnRow, { ...props, canCorrect: false });
  row.querySelector<HTMLElement>('.w.replaced')!.focus();
  flushSync();
  assert.match(row.querySelector('[role=status]')!.textContent, /mit schrift/);
  assert.equal(row.querySelector('[role=status] button'), null);
});
