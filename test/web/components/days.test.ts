import { show } from './dom.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { flushSync } from 'svelte';
import { router } from '../../../web/app/routes.ts';
import Strip from '../../../web/app/Strip.svelte';
import { connection, status } from '../../../web/client/feed.ts';
import JobRow from '../../../web/pages/home/now/JobRow.svelte';
import LineText from '../../../web/pages/recording/summary/LineText.svelte';
import Unsaved from '../../../web/pages/recording/Unsaved.svelte';
import SpeakersPage from '../../../web/pages/speakers/SpeakersPage.svelte';

const day = 24 * 3_600_000;
const today = new Date();
const [monday, tuesday] = [
  new Date(today.getTime() - 3 * day),
  new Date(today.getTime() - 2 * day),
];
/** As it stands in a text, in whatever order and with or without the year. */
const shows = (text: string, at: Date) =>
  new RegExp(`\\b${at.getDate()}\\b`).test(text) &&
  text.includes(at.toLocaleDateString('en', { month: 'short' }));

test('of what may be days old the day is said, and of today the time alone', (t) => {
  t.mock.method(globalThis, 'fetch', () => new Promise(() => {}));
  t.after(() => (status.set(null), connection.set({ state: 'open' }), router.open('/')));
  const waits = (recording_id: string, at: Date) => ({
    recording_id,
    title: null,
    source: null,
    started_at: at.toISOString(),
    speakers: [],
  });
  status.set({ speakers_pending: [waits('a', monday), waits('b', tuesday)] } as never);
  router.open('/speakers');
  const page = show(t, SpeakersPage, {});
  flushSync();
  const [first, second] = [...page.querySelectorAll('.filters button')].map(
    (one) => one.textContent,
  );
  assert.ok(shows(first!, monday), first);
  assert.ok(shows(second!, tuesday), second);

  const job = (at: Date) => ({
    kind: 'names',
    id: 'a',
    title: null,
    startedAt: at.toISOString(),
    speakers: 2,
  });
  const row = (at: Date) => show(t, JobRow, { job: job(at), ongone() {} } as never).textContent;
  assert.ok(shows(row(monday), monday), row(monday));
  assert.doesNotMatch(row(today), /Recording, \d+ [A-Z]/);

  const unsaved = (at: Date) =>
    show(t, Unsaved, { at: at.getTime(), oncontinue() {}, ondiscard() {} }).textContent;
  assert.ok(shows(unsaved(monday), monday), unsaved(monday));
  assert.match(unsaved(today), /^Unsaved edit \(\d+:\d+.{0,3}\)/);

  connection.set({ state: 'away', since: monday.getTime(), nextTry: 0 });
  const strip = show(t, Strip, {});
  flushSync();
  assert.match(strip.textContent, /Last updated: /);
  assert.ok(shows(strip.textContent, monday), strip.textContent);
});

test('a day by which something is to be done has its year when that is not this one', (t) => {
  const due = (due_date: string) =>
    show(t, LineText, {
      line: { kind: 'task', person: null, text: 'Sing', due: null, due_date, done: false },
    }).querySelector('.due')!.textContent;
  const year = today.getFullYear();
  assert.doesNotMatch(due(`${year}-03-04`), /\d{4}/);
  assert.match(due(`${year + 1}-03-04`), new RegExp(`March.*${year + 1}|4.*${year + 1}`));
});
