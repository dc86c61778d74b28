import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { speak } from '../support/espeak.ts';
import { eventually } from '../support/eventually.ts';
import { startLanguageServer } from '../support/language-servers.ts';
import { uploadForm } from '../support/service-process.ts';
import { speechServer } from '../support/speech-servers.ts';
import { tempDir } from '../support/temp-dir.ts';
import { wholeService } from '../support/whole-service.ts';

type Status = { status: string; processing: { waiting: { for: string } | null }[] };

test('recordings that wait for a speech server go to the one that is set when it is their turn', async (t) => {
  const first = await heard(t, () => 'words');
  const second = await heard(t, () => 'words');
  first.faults.push({ do: 'wait' });
  const world = await uploading(t, { stt: { base_url: first.url, model: 'whisper-1' } });
  await world.upload();
  await first.asked(1);
  await world.upload();
  await world.upload();
  await world.wait(2, 'speech recognition');
  await world.put({ stt: { base_url: second.url } });
  first.release();
  await world.done();
  assert.equal(first.received.length, 1);
  assert.equal(second.received.length, 2);
});

test('recordings that wait for a language model are not sent to one that was removed meanwhile', async (t) => {
  let said = 'zebra';
  const speech = await heard(t, () => said);
  const language = await startLanguageServer({ flavour: 'openai' });
  t.after(() => language.close());
  let answer!: () => void;
  language.faults.until = new Promise<void>((resolve) => (answer = resolve));
  const world = await uploading(t, {
    stt: { base_url: speech.url, model: 'whisper-1' },
    llm: { base_url: language.url },
  });
  await world.upload();
  await eventually('both slots are taken', () => language.chats().length === 2);
  said = 'giraffe';
  await world.upload();
  await world.wait(2, 'the language model');
  await world.put({ llm: { base_url: null } });
  answer();
  await world.done();
  const sent = language.chats().map(({ body }) => JSON.stringify(body));
  assert.ok(sent.some((body) => body.includes('zebra')));
  assert.ok(!sent.some((body) => body.includes('giraffe')));
});

async function heard(t: TestContext, word: () => string) {
  const server = await speechServer('openai');
  t.after(() => server.close());
  server.hear = () => [{ text: word(), start: 0.2, end: 0.9 }];
  return server;
}

async function uploading(t: TestContext, settings: object) {
  const service = await wholeService(t);
  const path = join(await tempDir(t), 'talk.wav');
  await speak('three spoken words', path);
  const audio = new Uint8Array(await readFile(path));
  const put = (json: object) => service.api().put('/config', json);
  const now = () => service.api().get<Status>('/status');
  await put(settings);
  return {
    put,
    upload: () => service.api().post('/recordings', uploadForm(audio, { kind: 'solo' })),
    wait: (count: number, what: string) =>
      eventually(`${count} wait for ${what}`, async () => {
        const { processing } = await now();
        return processing.filter(({ waiting }) => waiting?.for === what).length === count;
      }),
    done: () => eventually('all is done', async () => (await now()).status === 'IDLE'),
  };
}
