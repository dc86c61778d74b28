import { show } from './dom.ts';
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { flushSync } from 'svelte';
import { ApiError } from '../../../web/client/api.ts';
import { session } from '../../../web/client/session.ts';
import AssemblyDialogs from '../../../web/pages/recording/AssemblyDialogs.svelte';
import DetailsDialog from '../../../web/pages/recording/DetailsDialog.svelte';
import People from '../../../web/pages/recording/People.svelte';
import { eventually } from '../../support/eventually.ts';

const recording = {
  recording_id: 'r',
  kind: 'solo',
  started_at: '2026-01-01T10:00:00Z',
  people: ['Ada'],
  utterances: [],
  speakers: [],
  links: 0,
};
const refusedAt = (path: string, message: string) => ({
  type: '/problems/invalid',
  title: 'Not valid',
  status: 422,
  errors: [{ path, message }],
});

async function submitted(dialog: HTMLElement, isThere: () => boolean): Promise<void> {
  dialog.querySelector('form')!.requestSubmit();
  await eventually('it is refused', () => (flushSync(), isThere()), 3000);
}

/** At its field, and nowhere with the name that the interface has for it. */
function isAtField(dialog: HTMLElement, name: string, message: string): void {
  const field = dialog.querySelector('[aria-invalid=true]')!;
  const fault = document.getElementById(
    field.getAttribute('aria-describedby')!.split(' ').at(-1)!,
  )!;
  assert.ok(fault.textContent.includes(message), fault.textContent);
  assert.doesNotMatch(dialog.textContent, new RegExp(`${name}.*:`));
}

test('a date that is not taken is said at its field', async (t) => {
  const problem = refusedAt('started_at', 'This date is in the future.');
  const onsubmit = () => Promise.reject(new ApiError(problem));
  const dialog = show(t, DetailsDialog, { recording, onsubmit, onclose() {} } as never);
  await submitted(dialog, () => dialog.textContent.includes('in the future'));
  isAtField(dialog, 'started_at', 'in the future');
});

test('people who are not taken are said at their field', async (t) => {
  const problem = refusedAt('people.0', 'This name is too long.');
  t.mock.method(globalThis, 'fetch', async () => Response.json(problem, { status: 422 }));
  const part = show(t, People, { recording } as never);
  part.querySelector('button')!.click();
  flushSync();
  await submitted(part, () => part.textContent.includes('too long'));
  isAtField(part, 'people', 'too long');
});

/** What the service answers while a note is joined with another that is read by others since. */
function answers(t: TestContext): void {
  const transcripts = [{ recording_id: 'other', title: 'Choir', created_at: recording.started_at }];
  t.mock.method(globalThis, 'fetch', async ({ method, url }: Request) => {
    if (method === 'POST')
      return Response.json(refusedAt('shared', 'Others can read it.'), { status: 422 });
    return Response.json(url.includes('/transcripts') ? { transcripts } : { grants: [] });
  });
}

test('who joins a note that others read since is told what they will read, and may go on', async (t) => {
  answers(t);
  session.set({ token: 't', username: 'ada', is_admin: true } as never);
  t.after(() => session.set(null));
  const props = { what: 'join', recording, at: 0, ondone() {}, onclose() {} };
  const dialog = show(t, AssemblyDialogs, props as never);
  await eventually('notes are listed', () => (flushSync(), dialog.textContent.includes('Choir')));
  const means = 'will read what is added';
  assert.ok(!dialog.textContent.includes(means));
  await submitted(dialog, () => /read what is added|Others can read/.test(dialog.textContent));
  assert.ok(dialog.textContent.includes(means), dialog.textContent);
  assert.doesNotMatch(dialog.textContent, /shared:/);
});
