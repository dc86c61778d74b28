import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { show } from './dom.ts';
import { settingGroups } from '../../../src/config/settings-page.ts';
import { settingKeys, settingOf } from '../../../src/config/schema.ts';
import {
  type SettingField,
  boundsOf,
  changedKeys,
  numberFault,
  patchOf,
  sourceOf,
  typed,
  valuesOf,
  withAddresses,
} from '../../../web/pages/settings/draft.ts';
import { flushSync } from 'svelte';
import { type Status, connection, status } from '../../../web/client/feed.ts';
import HealthRow from '../../../web/pages/settings/HealthRow.svelte';
import Backup from '../../../web/pages/settings/Backup.svelte';
import { router } from '../../../web/app/routes.ts';
import { session } from '../../../web/client/session.ts';
import NotesFolder from '../../../web/pages/account/NotesFolder.svelte';
import SettingsPage from '../../../web/pages/settings/SettingsPage.svelte';
import { words } from '../../../web/pages/settings/words.ts';
import german from '../../../web/pages/settings/words.de.ts';
import { eventually } from '../../support/eventually.ts';
import { settled } from './sockets.ts';

const groups = settingGroups('en') as unknown as { id: string; settings: SettingField[] }[];
const fields = groups.flatMap(({ settings }) => settings);
const field = (key: string): SettingField => fields.find((one) => one.key === key)!;
const defaults = Object.fromEntries(fields.map((one) => [one.key, one.default]));

test('every setting is on the page once, every choice has labels, every group an introduction', () => {
  assert.deepEqual(fields.map(({ key }) => key).toSorted(), [...settingKeys].toSorted());
  for (const { key, type, choices } of fields)
    assert.equal(choices.length > 1, type === 'choice', key);
  for (const said of [words.get(), german] as Record<string, unknown>[]) {
    for (const { id } of groups) assert.equal(typeof said[`${id}Intro`], 'string', id);
  }
  const sentences = (language: 'de' | 'en') =>
    settingGroups(language).flatMap(({ title, settings }) => [
      title,
      ...settings.map(({ description }) => description),
    ]);
  const english = new Set(sentences('en'));
  assert.deepEqual(
    sentences('de').filter((sentence) => english.has(sentence)),
    [],
    'said in English',
  );
});

test('only what differs is sent; what is back at its default is no longer set', () => {
  const stored = { ...defaults, 'llm.timeout': 60, 'stt.language': 'de' };
  const draft = {
    ...stored,
    'llm.timeout': 600,
    'stt.language': 'en',
    'server.allowed_hosts': ['a'],
  };
  const keys = changedKeys(draft, stored);
  assert.deepEqual(keys.toSorted(), ['llm.timeout', 'server.allowed_hosts', 'stt.language']);
  assert.deepEqual(patchOf(keys, draft, fields), {
    llm: { timeout: null },
    stt: { language: 'en' },
    server: { allowed_hosts: ['a'] },
  });
  assert.deepEqual(changedKeys({ ...stored, 'server.allowed_hosts': [] }, stored), []);
  assert.deepEqual(valuesOf({ stt: { language: 'de' }, llm: { timeout: 1 } }), {
    'stt.language': 'de',
    'llm.timeout': 1,
  });
});

test('a value comes from the environment, from a person, or is the default', () => {
  assert.equal(sourceOf(field('llm.timeout'), 600, ['llm.timeout']), 'environment');
  assert.equal(sourceOf(field('llm.timeout'), 600, []), 'default');
  assert.equal(sourceOf(field('llm.timeout'), 60, []), 'set');
});

test('a number that the page takes is one that the service takes, at every bound of every setting', () => {
  for (const one of fields.filter(({ type }) => type === 'number')) {
    const { min, max } = boundsOf(one);
    assert.ok(min > -Infinity && max < Infinity, one.key);
    const { schema } = settingOf(one.key);
    for (const value of [min - 1, min, min + 0.5, (min + max) / 2, max, max + 1, 'many', null]) {
      const fault = numberFault(one, value);
      // Zero is the bound of what has to be more than nothing: only the service refuses it.
      if (value === min && !schema.safeParse(min).success) continue;
      assert.equal(fault === undefined, schema.safeParse(value).success, `${one.key}: ${value}`);
    }
  }
});

test('what is typed becomes a value: numbers, lists a line each, nothing where it may be nothing', () => {
  assert.equal(typed(field('llm.timeout'), ' 30 '), 30);
  assert.equal(typed(field('llm.timeout'), 'soon'), 'soon');
  assert.equal(typed(field('llm.timeout'), ''), '');
  assert.equal(typed(field('llm.context'), ''), null);
  assert.equal(typed(field('stt.model'), ' large '), 'large');
  assert.equal(typed(field('stt.model'), '  '), null);
  assert.deepEqual(typed(field('server.allowed_hosts'), 'a.example\n\nb.example\n'), [
    'a.example',
    'b.example',
  ]);
});

test('the page of backups says how far one is, and what came of it', (t) => {
  t.after(() => status.set(null));
  const shown = show(t, Backup, {});
  const button = shown.querySelector<HTMLButtonElement>('button[type=submit]')!;
  const begun = { path: '/media/b', started_at: '2026-11-22T13:00:00Z', files: 12, error: null };
  const say = (change: object) => {
    status.set({
      backup: { ...begun, bytes: null, ended_at: null, ...change },
    } as unknown as Status);
    flushSync();
  };
  say({ state: 'running' });
  assert.match(shown.textContent, /Backing up: 12 files so far/);
  assert.ok(button.disabled, 'one at a time');
  assert.equal(shown.querySelector('input')!.value, '/media/b', 'the same folder is offered again');
  say({ state: 'done', bytes: 2_340_000_000, ended_at: '2026-11-22T13:01:00Z' });
  assert.match(shown.textContent, /The backup contains 12 files \(2\.3 GB\)\./);
  assert.ok(!button.disabled);
  say({ state: 'failed', error: 'No space left.', ended_at: '2026-11-22T13:01:00Z' });
  assert.match(shown.querySelector('[role=alert]')!.textContent, /No space left/);
});

test('what is wrong leads to where it is set up', (t) => {
  const link = (id: string, remedy: object | null, isRight = false) => {
    const check = {
      id,
      title: id,
      status: isRight ? 'ok' : 'limited',
      detail: 'so',
      code: 'so',
      remedy,
      link: '/docs/settings#servers',
    };
    const shown = show(t, HealthRow, { check, onmended: async () => undefined } as never);
    return shown.querySelector('a[href^="/settings"]')?.getAttribute('href');
  };
  assert.equal(link('language', { text: 'so' }), '/settings?part=language');
  assert.equal(link('speech', { text: 'so' }), '/settings?part=speech');
  const request = { method: 'POST', path: '/models/m/install' };
  assert.equal(link('speech', { text: 'so', request }), '/settings?part=models');
  assert.equal(link('disk', { text: 'so' }), undefined);
  assert.equal(link('language', null, true), undefined);
});

/** What `GET /config` and `GET /config/schema` answer, of two groups; anything else is empty. */
function answerOfSettings({ url }: Request): Response {
  const { pathname } = new URL(url);
  if (pathname === '/config/schema') {
    const shown = groups.filter(({ id }) => id === 'notes' || id === 'server');
    return Response.json({ groups: shown });
  }
  const config: Record<string, Record<string, unknown>> = {};
  for (const [key, value] of Object.entries(defaults)) {
    const [group = '', name = ''] = key.split('.');
    (config[group] ??= {})[name] = value;
  }
  return Response.json(pathname === '/config' ? { config, overridden: [] } : {});
}

function asAdministrator(t: TestContext): void {
  session.set({ token: 't', username: 'ada', is_admin: true } as never);
  t.after(() => session.set(null));
}

test('links beside the settings stay where they are when the groups come, and keep the focus', async (t) => {
  asAdministrator(t);
  let answerAll = () => {};
  const isAnswered = new Promise<void>((resolve) => (answerAll = resolve));
  t.mock.method(globalThis, 'fetch', async (request: Request) => {
    await isAnswered;
    return answerOfSettings(request);
  });
  router.open('/settings');
  const page = show(t, SettingsPage, {});
  const backup = page.querySelector<HTMLElement>('a[href$="part=backup"]')!;
  backup.focus();
  answerAll();
  await eventually(
    'the groups are there',
    () => (flushSync(), page.querySelector('.group') !== null),
    4000,
  );
  for (let k = 0; k < 20; k += 1) await settled();
  assert.ok(document.activeElement === backup);
  assert.ok(page.querySelector('a[href$="part=backup"]') === backup);
});

test('Save with a fault in another part of the settings leads to the field that is wrong', async (t) => {
  asAdministrator(t);
  t.mock.method(globalThis, 'fetch', async (request: Request) => answerOfSettings(request));
  router.open('/settings?part=server');
  const page = show(t, SettingsPage, {});
  const upload = () => page.querySelector<HTMLInputElement>('#setting-limits-upload_mb');
  await eventually('it is read', () => (flushSync(), upload() !== null), 4000);
  upload()!.value = '0';
  const input = document.createEvent('Event');
  input.initEvent('input', true);
  upload()!.dispatchEvent(input);
  router.open('/settings?part=notes');
  flushSync();
  assert.ok(upload() === null);
  [...page.querySelectorAll('button')].find((one) => one.textContent === 'Save')!.click();
  const focused = () => document.activeElement?.id === 'setting-limits-upload_mb';
  await eventually('it has the focus', () => (flushSync(), focused()), 4000);
});

test('a key is sent with the address that is shown beside it: another administrator may have set another one', async (t) => {
  asAdministrator(t);
  const shown = 'https://models.example/v1';
  const put: unknown[] = [];
  t.mock.method(globalThis, 'fetch', async (request: Request) => {
    if (request.method === 'PUT') put.push(await request.json());
    const { pathname } = new URL(request.url);
    if (pathname === '/config/schema')
      return Response.json({ groups: groups.filter(({ id }) => id === 'language') });
    const answer = answerOfSettings(request);
    if (pathname !== '/config') return answer;
    const { config } = await answer.json();
    Object.assign(config.llm, { base_url: shown });
    return Response.json({ config, overridden: [] });
  });
  router.open('/settings?part=language');
  const page = show(t, SettingsPage, {});
  const key = () => page.querySelector<HTMLInputElement>('#setting-llm-api_key');
  await eventually('it is read', () => (flushSync(), key() !== null), 4000);
  key()!.value = 'sk-1';
  const input = document.createEvent('Event');
  input.initEvent('input', true);
  key()!.dispatchEvent(input);
  flushSync();
  [...page.querySelectorAll('button')].find((one) => one.textContent === 'Save')!.click();
  await eventually('it is sent', () => put.length > 0);
  assert.deepEqual(put, [{ llm: { api_key: 'sk-1', base_url: shown } }]);
  const draft = { 'embeddings.api_key': null, 'stt.api_key': 'sk-2' };
  assert.deepEqual(withAddresses(Object.keys(draft), draft, ['stt.base_url']), Object.keys(draft));
});

test('what is typed while Save is on its way stays, and can be saved', async (t) => {
  asAdministrator(t);
  let answerSaving = () => {};
  const isAnswered = new Promise<void>((resolve) => (answerSaving = resolve));
  let saved: { limits?: object } = {};
  t.mock.method(globalThis, 'fetch', async (request: Request) => {
    const answer = answerOfSettings(request);
    if (request.method !== 'PUT') return answer;
    saved = await request.json();
    await isAnswered;
    const { config } = await answer.json();
    Object.assign(config.limits, saved.limits);
    return Response.json({ config, overridden: [] });
  });
  router.open('/settings?part=server');
  const page = show(t, SettingsPage, {});
  const upload = () => page.querySelector<HTMLInputElement>('#setting-limits-upload_mb');
  await eventually('it is read', () => (flushSync(), upload() !== null), 4000);
  const type = (text: string) => {
    upload()!.value = text;
    const input = document.createEvent('Event');
    input.initEvent('input', true);
    upload()!.dispatchEvent(input);
    flushSync();
  };
  const save = () =>
    [...page.querySelectorAll('button')].find((one) => one.textContent?.startsWith('Sav'));
  type('11');
  save()!.click();
  await eventually('it is sent', () => 'limits' in saved);
  type('12');
  answerSaving();
  for (let k = 0; k < 20; k += 1) await settled();
  flushSync();
  assert.equal(upload()!.value, '12');
  await eventually('Save is there', () => (flushSync(), save()?.textContent === 'Save'));
  type('11');
  await eventually('nothing is unsaved', () => (flushSync(), save() === undefined));
});

test('settings that could not be read are all read by "Try again"', async (t) => {
  asAdministrator(t);
  let isAway = true;
  t.mock.method(globalThis, 'fetch', async (request: Request) => {
    if (isAway) throw new TypeError('Failed to fetch');
    return answerOfSettings(request);
  });
  const page = show(t, SettingsPage, {});
  const tryAgain = () =>
    [...page.querySelectorAll('button')].find((one) => one.textContent === 'Try again');
  await eventually('it is said', () => (flushSync(), tryAgain() !== undefined));
  isAway = false;
  tryAgain()!.click();
  await eventually('it is gone', () => (flushSync(), tryAgain() === undefined));
  for (let k = 0; k < 20; k += 1) await settled();
  flushSync();
  assert.notEqual(page.querySelector('.group'), null);
});

test('a folder that was typed stays when what could not be saved is read again', async (t) => {
  let isAway = false;
  let read = 0;
  t.mock.method(globalThis, 'fetch', async () => {
    if (isAway) throw new TypeError('Failed to fetch');
    read += 1;
    return Response.json({ folder: '/notes', may_choose: true, fault: null });
  });
  const shown = show(t, NotesFolder, {});
  const field = () => shown.querySelector('input');
  await eventually('it is read', () => (flushSync(), field()?.value === '/notes'));
  isAway = true;
  field()!.value = '/elsewhere';
  const typedThere = document.createEvent('Event');
  typedThere.initEvent('input', true);
  field()!.dispatchEvent(typedThere);
  shown.querySelector<HTMLElement>('button[type=submit]')!.click();
  await eventually('it is said', () => (flushSync(), shown.querySelector('.says') !== null));
  isAway = false;
  connection.set({ state: 'open' });
  await eventually('it is read again', () => read === 2);
  for (let k = 0; k < 20; k += 1) await settled();
  flushSync();
  assert.equal(field()!.value, '/elsewhere');
});
