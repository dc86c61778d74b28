import { show } from './dom.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atom } from 'nanostores';
import { flushSync } from 'svelte';
import { toasts } from '../../../web/app/toasts.ts';
import JobRow from '../../../web/pages/home/now/JobRow.svelte';
import Orphans from '../../../web/pages/recording/Orphans.svelte';
import Progress from '../../../web/pages/recording/Progress.svelte';
import { eventually } from '../../support/eventually.ts';
import { settled } from './sockets.ts';

const error = { stage: 'summarise', code: 'engine-failed', retriable: false, message: 'No.' };
const recording = {
  recording_id: 'r',
  access: null,
  status: 'ERROR',
  state: 'failed',
  version: 0,
  fraction: null,
  waiting: null,
  activities: [],
  error,
};
const job = { ...error, id: 'r', title: 'Choir', startedAt: null, kind: 'failed', waits: false };

/** As the service refuses what a recording does not accept as it is. */
const notAccepted = (recording_status: string) => ({
  type: '/problems/not-accepted',
  title: 'Not now',
  status: 409,
  recording_status,
});

const button = (page: HTMLElement, name: string) =>
  [...page.querySelectorAll('button')].find((one) => one.textContent.includes(name));

test('an error that is dismissed elsewhere, or tried again, goes at Dismiss without a word', async (t) => {
  t.mock.method(globalThis, 'fetch', async () =>
    Response.json(notAccepted('PROCESSING'), { status: 409 }),
  );
  const problem = atom(null);
  let gone = 0;
  const opened = { refresh: async () => (gone += 1) };
  const pages = [
    show(t, Progress, { recording, opened, problem } as never),
    show(t, JobRow, { job, ongone: () => (gone += 1) } as never),
  ];
  for (const [at, page] of pages.entries()) {
    button(page, 'Dismiss')!.click();
    await eventually('what is so instead is shown', () => gone > at, 4000);
    await settled();
    flushSync();
    assert.equal(problem.get(), null);
    assert.equal(page.querySelector('.fault'), null);
    assert.equal(button(page, 'Try again'), undefined);
  }
});

test('an error may be tried again whatever it says once it cannot be dismissed, not when nobody answered', async (t) => {
  let isAway = true;
  const notNow = notAccepted('ERROR');
  t.mock.method(globalThis, 'fetch', async () => {
    if (isAway) throw new TypeError('Failed to fetch');
    return Response.json(notNow, { status: 409 });
  });
  const problem = atom(null);
  // What it says is not waited for.
  const opened = { refresh: () => new Promise(() => {}) };
  const pages = [
    show(t, Progress, { recording, opened, problem } as never),
    show(t, JobRow, { job, ongone() {} } as never),
  ];
  const isRefused = [
    () => problem.get() !== null,
    () => pages[1]!.querySelector('.fault') !== null,
  ];
  for (const [at, page] of pages.entries()) {
    const dismiss = async () => {
      button(page, 'Dismiss')!.click();
      await eventually('it is refused', () => (flushSync(), isRefused[at]!()), 4000);
      for (let k = 0; k < 20; k += 1) await settled();
      flushSync();
    };
    isAway = true;
    await dismiss();
    assert.ok(button(page, 'Try again') === undefined, `${at}: nobody answered`);
    isAway = false;
    await dismiss();
    assert.ok(button(page, 'Try again') !== undefined, `${at}: it was refused`);
  }
});

test('a text that the browser does not let be copied is said not to be copied', async (t) => {
  const before = Object.getOwnPropertyDescriptor(navigator, 'clipboard');
  const writeText = () => Promise.reject(new DOMException('', 'NotAllowedError'));
  Object.defineProperty(navigator, 'clipboard', { value: { writeText }, configurable: true });
  Object.defineProperty(document, 'execCommand', { value: () => false, configurable: true });
  t.after(() => Object.defineProperty(navigator, 'clipboard', before ?? { value: undefined }));
  const said = { text: 'Saved', speaker: null };
  const draft = { block: 'b', text: 'Unsaved', speaker: null, before: said, at: 0, span: [0, 1] };
  const drafts = { all: atom(new Map([['b', draft]])), drop() {} };
  const shown = show(t, Orphans, { drafts, isThere: () => false, language: null } as never);
  const told = () => toasts.get().map(({ text }) => text);
  shown.querySelector('button')!.click();
  await eventually('it is said', () => told().length > 0, 4000);
  assert.match(told().join(' '), /doesn’t allow copying here/);
});
