import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { speak } from '../support/espeak.ts';
import { finished } from '../support/first-document.ts';
import { startLanguageServer } from '../support/language-servers.ts';
import {
  apiOf,
  setUp,
  startServiceProcess,
  type ServiceProcess,
} from '../support/service-process.ts';
import { speechServer } from '../support/speech-servers.ts';
import { tempDir } from '../support/temp-dir.ts';

type Document = { config: Record<string, Record<string, unknown>> };

test('what is configured survives a kill and holds for the next recording, without a restart', async (t) => {
  const dataDir = await tempDir(t);
  const speech = await speechServer('speaches');
  speech.hear = () => [{ text: 'Hallo', start: 0.1, end: 0.4 }];
  const language = await startLanguageServer({ flavour: 'openai', apiKey: 'sk-geheim' });
  t.after(() => Promise.all([speech.close(), language.close()]));
  const path = join(await tempDir(t), 'talk.wav');
  await speak('good morning everyone', path);
  const audio = new Uint8Array(await readFile(path));

  let service = await startServiceProcess(dataDir);
  t.after(() => service.end('SIGKILL'));
  const token = await setUp(service.url);
  const put = async (json: object) => {
    const answer = await fetch(`${service.url}/config`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(json),
    });
    assert.equal(answer.status, 200);
    return (await answer.json()) as Document;
  };
  await put({ stt: { base_url: speech.url }, ui: { language: 'en' } });
  const written = await put({ llm: { base_url: language.url, api_key: 'sk-geheim' } });
  await service.end('SIGKILL');

  service = await startServiceProcess(dataDir);
  const api = apiOf(service.url, token);
  assert.deepEqual((await api.get<Document>('/config')).config, written.config);

  const first = await summaryOf(service, token, audio);
  assert.ok(speech.received.length > 0);
  const asked = language.chats().length;
  assert.ok(asked > 0, 'with the key that was set before the kill');
  await put({ llm: { base_url: null } });
  const second = await summaryOf(service, token, audio);
  assert.equal(language.chats().length, asked);
  assert.notEqual(first, second);
  assert.ok(!service.logged.join('\n').includes('sk-geheim'));
});

async function summaryOf(
  service: ServiceProcess,
  token: string,
  audio: Uint8Array<ArrayBuffer>,
): Promise<string> {
  const { documents } = await finished(service.url, token, audio, { kind: 'solo' });
  const path = `/transcripts/${encodeURIComponent(documents!.summary)}`;
  return await apiOf(service.url, token).get<string>(path);
}
