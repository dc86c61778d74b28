import { show } from './dom.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRawSnippet, flushSync } from 'svelte';
import Head from '../../../web/pages/recording/Head.svelte';
import { openDrafts, titleDraftsOf } from '../../../web/pages/recording/drafts.ts';
import { settled } from './sockets.ts';

const recording = {
  recording_id: 'n-1',
  title: 'Theirs',
  source: null,
  started_at: '2026-03-01T10:00:00Z',
  duration: 60,
  language: 'en',
  kind: 'meeting',
  status: 'DONE',
  access: null,
  hold: null,
  shared: null,
};

test('who presses Enter twice, or leaves the field, sees first what somebody else called the note', async (t) => {
  const asked: [title: string, from: string][] = [];
  let answer: (problem: object) => void = () => {};
  const drafts = openDrafts('ada', titleDraftsOf('n-1'));
  // The title was another one when this was typed.
  const before = { text: 'Before', speaker: null };
  drafts.put({ block: 'title', text: 'Mine', speaker: null, before, span: [0, 0], at: Date.now() });
  const shown = show(t, Head, {
    recording,
    speakers: new Map(),
    drafts,
    onretitle: (title: string, from: string) => {
      asked.push([title, from]);
      return new Promise((resolve) => (answer = resolve));
    },
    onrename: async () => null,
    children: createRawSnippet(() => ({ render: () => '<i></i>' })),
  } as never);
  const settle = async () => {
    await settled();
    flushSync();
  };
  shown.querySelector<HTMLElement>('button.named')!.click();
  await settle();
  const press = (key: string) =>
    shown
      .querySelector('textarea')!
      .dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
  press('Enter');
  press('Enter');
  shown.querySelector('textarea')!.blur();
  await settle();
  answer({ type: 'changed', title: '', status: 412 });
  await settle();
  await settle();
  assert.deepEqual(asked, [['Mine', 'Before']]);
  assert.match(shown.textContent, /Theirs/);
  // Now that it was seen, it is one's own word.
  press('Enter');
  await settle();
  assert.deepEqual(asked.at(-1), ['Mine', 'Theirs']);
});
