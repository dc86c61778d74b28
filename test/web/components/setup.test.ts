import { show } from './dom.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { flushSync } from 'svelte';
import FailedDownloads from '../../../web/pages/setup/FailedDownloads.svelte';
import { refresh } from '../../../web/client/models.ts';
import { outcomesIn } from '../../../web/pages/setup/steps.ts';
import { eventually } from '../../support/eventually.ts';

test('what was set before the page was loaded is done, what was not is still to come', () => {
  const nothing = {
    stt: { base_url: null },
    llm: { base_url: null },
    audio: { device: null },
    notes: { vault: null },
  };
  assert.deepEqual(outcomesIn(nothing, null), {});
  assert.deepEqual(outcomesIn({ ...nothing, notes: { vault: '/home/ada/Vault' } }, 'Parakeet'), {
    speech: { result: 'done', detail: 'Parakeet' },
    notesFolder: { result: 'done', detail: '/home/ada/Vault' },
  });
});

test('once another model is there, a download that failed is one line to open, not a page of help', async (t) => {
  const before = globalThis.fetch;
  const model = { purpose: 'speech-to-text', progress: null };
  const models = [
    { ...model, id: 'p', title: 'Parakeet', installed: false, error: 'no internet' },
    { ...model, id: 'own', title: 'Own', installed: true, error: null },
  ];
  globalThis.fetch = async () => Response.json({ models, broken: [], command_line: 'node m.js' });
  t.after(() => (globalThis.fetch = before));
  const shown = show(t, FailedDownloads, { ofSpeech: false });
  await refresh();
  await eventually('it is said', () => shown.textContent.includes('Parakeet'));
  const help = [...shown.querySelectorAll('li')].find((one) => one.textContent.includes('drive'))!;
  assert.ok(help.closest('details') !== null);
  await eventually('the command is there', () =>
    help.textContent.includes('node m.js models import FOLDER'),
  );
});

test('a download that failed is said on every step, with what can be done', async (t) => {
  const before = globalThis.fetch;
  const asked: string[] = [];
  const failed = 'github.com: its name is unknown.';
  const model = { id: 'p', title: 'Parakeet', purpose: 'speech-to-text', installed: false };
  globalThis.fetch = async (input) => {
    const { method, url } = input as Request;
    asked.push(`${method} ${new URL(url).pathname}`);
    const error = asked.some((one) => one.startsWith('POST')) ? null : failed;
    return Response.json({ models: [{ ...model, error, progress: null }], broken: [] });
  };
  t.after(() => (globalThis.fetch = before));
  const shown = show(t, FailedDownloads, { ofSpeech: false });
  await refresh();
  await eventually('it is said', () => shown.textContent.includes(failed));
  const text = shown.textContent ?? '';
  for (const part of ['Parakeet could not be downloaded.', 'internet', 'models.mirror', 'drive'])
    assert.ok(text.includes(part), part);
  assert.equal(shown.querySelectorAll('a[href="/setup?step=speech"]').length, 1);
  [...shown.querySelectorAll('button')].find((one) => one.textContent === 'Try again')!.click();
  await eventually('it is gone when it is tried again', () => {
    flushSync();
    return !shown.textContent?.includes('could not be downloaded');
  });
  assert.ok(asked.includes('POST /models/p/install'));
});
