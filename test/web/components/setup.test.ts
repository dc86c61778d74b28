import { show } from './dom.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { flushSync } from 'svelte';
import FailedDownloads from '../../../web/pages/setup/FailedDownloads.svelte';
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
  await eventually('it is said', () => shown.textContent.includes(failed));
  const text = shown.textContent ?? '';
  for (const part of ['Parakeet could not be downloaded.', 'internet', 'models.mirror', 'drive'])
    assert.ok(text.includes(part), part);
  assert.equal(shown.querySelectorAll('a[href="/setup?step=speech"]').length, 1);
  shown.querySelector<HTMLButtonElement>('button')!.click();
  await eventually('it is gone when it is tried again', () => {
    flushSync();
    return !shown.textContent?.includes('could not be downloaded');
  });
  assert.ok(asked.includes('POST /models/p/install'));
});
