import { show } from './dom.ts';
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { flushSync } from 'svelte';
import { connection } from '../../../web/client/feed.ts';
import { openReading } from '../../../web/client/reading.ts';
import { readRules } from '../../../web/order/rules.ts';
import RulesPart from '../../../web/pages/rules/RulesPart.svelte';
import FolderPeriods from '../../../web/retention/FolderPeriods.svelte';
import { type Retention, retention, setOwn } from '../../../web/retention/retention.ts';
import SpellingPart from '../../../web/spelling/SpellingPart.svelte';
import { eventually } from '../../support/eventually.ts';
import { settled } from './sockets.ts';

const kept = (days: number | null): Retention =>
  ({
    own: { audio_days: days },
    server: { audio_days: null, notes_days: null, longest: false },
    folders: [],
    waiting: null,
  }) as never;

/** What is asked, in its order: method and path. */
function answering(t: TestContext, answer: (asked: string) => Promise<Response>): string[] {
  const all: string[] = [];
  t.mock.method(globalThis, 'fetch', (request: Request) => {
    const asked = `${request.method} ${new URL(request.url).pathname}`;
    all.push(asked);
    return answer(asked);
  });
  return all;
}

async function allSettled(): Promise<void> {
  for (let k = 0; k < 20; k += 1) await settled();
  flushSync();
}

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

test('periods are read once when the service is back; a reading begun before a change does not undo it', async (t) => {
  let isAway = true;
  let isHeld = false;
  let days: number | null = null;
  const held: (() => void)[] = [];
  const asked = answering(t, async (what) => {
    if (isAway) throw new TypeError('Failed to fetch');
    if (what === 'PUT /retention') days = 30;
    const now = Response.json(kept(days));
    if (isHeld && what === 'GET /retention') {
      isHeld = false;
      await new Promise<void>((resolve) => held.push(resolve));
    }
    return now;
  });
  t.after(() => connection.set({ state: 'open' }));
  connection.set({ state: 'away', since: 0, nextTry: 0 });
  t.after(retention.listen(() => {}));
  await allSettled();
  isAway = false;
  connection.set({ state: 'open' });
  await eventually('they are read', () => retention.get() !== null, 4000);
  await allSettled();
  assert.deepEqual(asked, ['GET /retention', 'GET /retention'], 'once in vain, once again');

  isHeld = true;
  window.dispatchEvent(new window.Event('focus'));
  await eventually('they are read again', () => held.length === 1, 4000);
  await setOwn({ audio_days: 30 });
  held[0]!();
  await allSettled();
  assert.equal(retention.get()?.own.audio_days, 30);
});

test('rules are read once when their page is opened', async (t) => {
  const asked = answering(t, async () => Response.json({ rules: [] }));
  show(t, RulesPart, {});
  await allSettled();
  assert.deepEqual(
    asked.filter((one) => one === 'GET /rules'),
    ['GET /rules'],
  );
});

test('a rule is moved by one place in the order that another page made', async (t) => {
  const ruleOf = (id: string) => ({ id, enabled: true, when: { title: id }, then: { tags: [] } });
  let order = ['one', 'two', 'three'];
  const rules = () => Response.json({ rules: order.map(ruleOf), folders: [], tags: [] });
  t.mock.method(globalThis, 'fetch', async (request: Request) => {
    const { pathname } = new URL(request.url);
    if (request.method === 'PUT' && pathname === '/rules/order')
      order = ((await request.json()) as { rules: string[] }).rules;
    return rules();
  });
  const shown = show(t, RulesPart, {});
  await readRules();
  const ups = () => [...shown.querySelectorAll<HTMLElement>('li .up')];
  await eventually('they are listed', () => (flushSync(), ups().length === 3), 4000);
  order = ['three', 'one', 'two'];
  ups()[1]!.click();
  await allSettled();
  assert.deepEqual(order, ['three', 'two', 'one']);
});

test('each word that Delete is pressed for is deleted, and another that is edited meanwhile stays open', async (t) => {
  let words = ['Anna', 'Bernd', 'Clara'].map((write) => ({
    id: write,
    write,
    heard: [],
    folder: null,
  }));
  let goOn = () => {};
  const isSlow = new Promise<void>((resolve) => (goOn = resolve));
  const asked = answering(t, async (what) => {
    const [method, path] = what.split(' ') as [string, string];
    if (method === 'DELETE') {
      await isSlow;
      words = words.filter(({ id }) => !path.endsWith(id));
      return new Response(null, { status: 204 });
    }
    return Response.json({ words, suggestions: [], folders: [], tags: [] });
  });
  const shown = show(t, SpellingPart, {});
  const edits = () => [...shown.querySelectorAll<HTMLElement>('li .edit')];
  await eventually('they are listed', () => (flushSync(), edits().length === 3), 4000);
  const edit = (at: number) => (edits()[at]!.click(), flushSync());
  for (const at of [0, 1]) {
    edit(at);
    shown.querySelector<HTMLElement>('li form .danger')!.click();
    flushSync();
  }
  edit(2);
  goOn();
  await eventually('two are deleted', () => (flushSync(), edits().length === 1), 4000);
  await allSettled();
  assert.deepEqual(
    asked.filter((one) => one.startsWith('DELETE')),
    ['DELETE /words/Anna', 'DELETE /words/Bernd'],
  );
  assert.equal(shown.querySelector<HTMLInputElement>('li form input')?.value, 'Clara');
});

test('where no folder has periods of its own there is no list, and no line of one', (t) => {
  answering(t, async () => Response.json({ folders: [], tags: [] }));
  const shown = show(t, FolderPeriods, { retention: kept(null) });
  assert.equal(shown.querySelectorAll('ul').length, 0);
});
