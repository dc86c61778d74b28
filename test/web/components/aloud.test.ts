import { show } from './dom.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRawSnippet, flushSync } from 'svelte';
import { SvelteMap } from 'svelte/reactivity';
import Frame from '../../../web/app/Frame.svelte';
import { announce, polite } from '../../../web/app/announce.ts';
import TextField from '../../../web/components/TextField.svelte';
import Captions from '../../../web/pages/link/Captions.svelte';
import LiveHead from '../../../web/pages/recording/live/LiveHead.svelte';
import { settled } from './sockets.ts';

const turn = (text: string, index: number) => ({ text, index, speaker: null, start: index });

test('what people said is read aloud in its language, all else in that of the page', async (t) => {
  t.mock.method(globalThis, 'fetch', () => new Promise(() => {}));
  const content = createRawSnippet(() => ({ render: () => '<h1>Page</h1>' }));
  const frame = show(t, Frame, { bare: true, content } as never);
  const said = async (text: string, more?: { lang: string }) => {
    announce(text, more);
    await settled();
    flushSync();
    const region = frame.querySelector('.vh[role=status]')!;
    assert.equal(region.textContent, text);
    return region.getAttribute('lang');
  };
  assert.equal(await said('Saved.'), null);
  assert.equal(await said('Guten Tag', { lang: 'de' }), 'de');
  assert.equal(await said('Saved.'), null);
});

test('what is read aloud begins with the first passage that comes', async (t) => {
  const told: string[] = [];
  t.after(polite.listen((text) => void (text !== '' && told.push(text))));
  const turns = new SvelteMap<string, object[]>([['now', []]]);
  const head = show(t, LiveHead, {
    get shown() {
      const recording = { recording_id: 'r', language: 'de', utterances: turns.get('now') };
      return { recording, behind: null };
    },
  } as never);
  head.querySelector<HTMLInputElement>('input')!.click();
  flushSync();
  for (const count of [1, 2]) {
    turns.set('now', ['Guten Tag.', 'Beginnen wir.'].slice(0, count).map(turn));
    flushSync();
    await settled();
  }
  assert.deepEqual(told, ['Guten Tag.', 'Beginnen wir.']);

  const captions = show(t, Captions, {
    title: 'Talk',
    turns: [turn('Guten Tag.', 0)],
    guessed: [],
    speakers: new Map(),
    language: 'de',
    isPaused: false,
    isAway: false,
  } as never);
  assert.equal(captions.querySelector('[role=log] [lang=de]')?.textContent, 'Guten Tag.');
});

test('what is wrong with a field is said when it is found', (t) => {
  const field = show(t, TextField, { label: 'Password', fault: 'Wrong password.' } as never);
  assert.match(field.querySelector('[role=alert]')?.textContent ?? '', /Wrong password\./);
});
