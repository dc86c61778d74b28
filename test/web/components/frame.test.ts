import { show } from './dom.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRawSnippet, flushSync } from 'svelte';
import Strip from '../../../web/app/Strip.svelte';
import Toasts from '../../../web/app/Toasts.svelte';
import { toast, toasts } from '../../../web/app/toasts.ts';
import { type Status, connection, status } from '../../../web/client/feed.ts';
import Message from '../../../web/components/Message.svelte';

test('a message says what happened, and on; only what is bad is called out', (t) => {
  const children = createRawSnippet(() => ({ render: () => '<p>Try again.</p>' }));
  const bad = show(t, Message, { kind: 'bad', title: 'It failed.', children });
  assert.equal(bad.querySelector('[role=alert] strong')?.textContent, 'It failed.');
  assert.match(bad.textContent, /Try again\./);
  const plain = show(t, Message, { title: 'It waits.' });
  assert.equal(plain.querySelector('[role]'), null);
});

test('the strip tells of the connection only when it is away for a while', (t) => {
  const strip = show(t, Strip, {});
  assert.equal(strip.textContent.trim(), '');
  status.set({ type: 'status' } as Status);
  connection.set({ state: 'away', since: Date.now(), nextTry: Date.now() + 8_000 });
  flushSync();
  assert.equal(strip.textContent.trim(), '', 'a short gap is nobody’s business');
  connection.set({ state: 'away', since: Date.now() - 60_000, nextTry: Date.now() + 8_000 });
  flushSync();
  assert.match(strip.textContent, /The server isn’t responding.*next try in \d+\ss/s);
  connection.set({ state: 'open' });
  flushSync();
  assert.equal(strip.textContent.trim(), '');
});

test('a toast takes its action back once, and goes', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const shown = show(t, Toasts, {});
  let undone = 0;
  toast('Saved', () => (undone += 1));
  toast('Copied');
  flushSync();
  assert.equal(shown.querySelectorAll('.toast').length, 2);
  shown.querySelector('button')!.click();
  flushSync();
  assert.equal(undone, 1);
  assert.equal(shown.querySelectorAll('.toast').length, 1);
  t.mock.timers.tick(8_000);
  flushSync();
  assert.deepEqual(toasts.get(), []);
});

test('who takes an action back by the keyboard is at the heading of the page, not nowhere', (t) => {
  const main = document.createElement('main');
  main.innerHTML = '<h1>Notes</h1>';
  document.body.append(main);
  t.after(() => main.remove());
  const shown = show(t, Toasts, {});
  toast('Saved', () => {});
  flushSync();
  shown.querySelector('button')!.focus();
  shown.querySelector('button')!.click();
  flushSync();
  assert.equal(document.activeElement?.tagName, 'H1');
});

test('a toast stays as long as its button has the focus', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const shown = show(t, Toasts, {});
  toast('Deleted', () => {});
  flushSync();
  shown.querySelector('button')!.focus();
  t.mock.timers.tick(60_000);
  assert.equal(toasts.get().length, 1);
  shown.querySelector('button')!.blur();
  t.mock.timers.tick(2_000);
  assert.deepEqual(toasts.get(), []);
});

test('of many toasts the newest are shown', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  for (let at = 1; at <= 9; at += 1) toast(`Change ${at}`);
  assert.deepEqual(
    toasts.get().map(({ text }) => text),
    [5, 6, 7, 8, 9].map((at) => `Change ${at}`),
  );
  t.mock.timers.tick(8_000);
  assert.deepEqual(toasts.get(), []);
});
