import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { settingsFrom } from '../../src/config/environment.ts';
import { chooseEngine } from '../../src/speech/choose-engine.ts';
import { folderFor } from '../support/espeak.ts';
import { modelsDir } from '../support/models.ts';
import { toneFile } from '../support/speech-servers-audio.ts';
import { speechServer } from '../support/speech-servers.ts';

const log = { warn() {} };
async function chosen(t: TestContext, environment: Record<string, string>, dir = modelsDir) {
  const engine = await chooseEngine(settingsFrom(environment), { modelsDir: dir, log });
  t.after(() => engine.close());
  return engine;
}

test('a server is used when its address is set, by the protocol that is set', async (t) => {
  const url = 'http://127.0.0.1:9/v1';
  const compat = await chosen(t, { MITSCHRIFT_STT_BASE_URL: url, MITSCHRIFT_STT_MODEL: 'large' });
  assert.deepEqual([compat.engine, compat.queue, compat.model], ['compat', url, 'large']);
  const native = await chosen(t, {
    MITSCHRIFT_STT_BASE_URL: url,
    MITSCHRIFT_STT_BACKEND: 'native',
  });
  assert.deepEqual([native.engine, native.queue], ['native', 'http://127.0.0.1:9']);
});

test('stt.language is the language of recordings that say none', async (t) => {
  const server = await speechServer('whisper.cpp');
  t.after(() => server.close());
  const engine = await chosen(t, {
    MITSCHRIFT_STT_BASE_URL: server.url,
    MITSCHRIFT_STT_BACKEND: 'native',
    MITSCHRIFT_STT_LANGUAGE: 'de',
  });
  const { audio } = await toneFile(t, 5);
  const { signal } = new AbortController();
  for (const language of [null, 'fr']) await engine.recognise(audio, [0, 5], { language, signal });
  const sent = server.received.map(({ fields }) => fields['language']);
  assert.deepEqual(sent, [['de'], ['fr']]);
});

test('without one this machine is used, when it has a speech model', async (t) => {
  const engine = await chosen(t, {});
  assert.deepEqual([engine.engine, engine.queue, engine.model], ['local', 'local', 'espeak-en']);
});

test('without a server and without a model the error says what to do', async (t) => {
  const empty = await folderFor(t);
  await assert.rejects(
    chosen(t, {}, empty),
    (error: Error & { code?: string; retriable?: boolean }) => {
      assert.deepEqual([error.code, error.retriable], ['no-engine', false]);
      assert.match(error.message, /Install a model under .*`stt\.base_url`/);
      return true;
    },
  );
});
