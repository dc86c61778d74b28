import { show } from './dom.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { flushSync } from 'svelte';
import Left from '../../../web/pages/settings/Left.svelte';
import type { Person } from '../../../web/pages/settings/people.ts';
import { eventually } from '../../support/eventually.ts';

const person = (username: string, more: Partial<Person> = {}): Person => ({
  user_id: username,
  username,
  is_admin: false,
  disabled: false,
  totp: false,
  password: true,
  single_sign_on: false,
  built_in: false,
  created_at: null,
  last_seen_at: null,
  recordings: 0,
  bytes: 0,
  vault: null,
  ...more,
});

/** Of the document: Node has events of its own. */
function event(type: string): Event {
  const made = document.createEvent('Event');
  made.initEvent(type, true, true);
  return made;
}

test('what nobody has is handed over by a button; what cannot be is said, the rest is', async (t) => {
  const before = globalThis.fetch;
  t.after(() => (globalThis.fetch = before));
  let left = [{ user_id: 'gone', recordings: 3, bytes: 2_000_000 }];
  const given: string[] = [];
  globalThis.fetch = async (input) => {
    const request = input as Request;
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === '/users') return Response.json({ users: [], left });
    if (request.method === 'GET') {
      assert.equal(searchParams.get('owner'), 'gone');
      const [ids, next_cursor] =
        searchParams.get('cursor') === null ? [['a', 'b'], 'x'] : [['c'], null];
      const recordings = ids.map((recording_id) => ({
        recording_id,
        started_at: '2026-09-30T08:00:00.000Z',
        kind: 'meeting',
        duration: 2520,
      }));
      return Response.json({ recordings, next_cursor });
    }
    if (pathname.endsWith('/b'))
      return Response.json(
        { type: '/problems/not-accepted', title: 'Not now', status: 409 },
        { status: 409 },
      );
    given.push(`${request.method} ${pathname} ${await request.text()}`);
    left = [{ user_id: 'gone', recordings: 1, bytes: 1_000_000 }];
    return Response.json({});
  };
  const people = [person('ada'), person('guest', { built_in: true, user_id: 'guest' })];
  const shown = show(t, Left, { people, onchanged: async () => {} });
  const button = (name: string) =>
    [...shown.querySelectorAll('button')].find(({ textContent }) => textContent?.startsWith(name));
  await eventually('three are left', () => shown.textContent.includes('3 recordings'));
  button('Hand over…')!.click();
  flushSync();
  const to = shown.querySelector('select')!;
  assert.deepEqual(
    [...to.options].map(({ value }) => value),
    ['ada'],
  );
  to.value = 'ada';
  to.dispatchEvent(event('change'));
  shown.querySelector('form')!.dispatchEvent(event('submit'));
  await eventually('one is left', () => shown.textContent.includes('1 recording,'));
  assert.deepEqual(given, [
    'PATCH /recordings/a {"owner":"ada"}',
    'PATCH /recordings/c {"owner":"ada"}',
  ]);
  await eventually('why is said', () => shown.textContent.includes('Not now'));

  // Only when, of what kind and how long they are is shown of them.
  const details = shown.querySelector('details')!;
  details.open = true;
  details.dispatchEvent(event('toggle'));
  await eventually('they are listed', () => shown.querySelectorAll('tbody tr').length === 3);
  assert.match(shown.querySelector('tbody tr')!.textContent ?? '', /2026.*Meeting.*42 min/s);

  given.length = 0;
  button('Delete permanently…')!.click();
  flushSync();
  assert.deepEqual(given, [], 'it is asked first');
  [...shown.querySelectorAll('button')]
    .find(({ textContent }) => textContent === 'Delete permanently')!
    .click();
  await eventually('the others are deleted', () => given.length === 2);
  await eventually(
    'what is left is still listed',
    () => shown.querySelectorAll('tbody tr').length === 3,
  );
  assert.match(shown.textContent, /The others are done/);
  assert.deepEqual(given, ['DELETE /recordings/a ', 'DELETE /recordings/c ']);
});
