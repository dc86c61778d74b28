import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { modelsDir } from '../support/models.ts';
import { seed, seeded, times } from '../support/seeded.ts';
import {
  type ServiceProcess,
  apiOf,
  setUp,
  startServiceProcess,
} from '../support/service-process.ts';
import { storeVariables } from '../support/test-store.ts';
import { tempDir } from '../support/temp-dir.ts';
import { wav } from '../support/http-client.ts';

const rounds = times({ short: 2, long: 20 });

test(`${rounds} times the service is killed while side notes and lines of the summary come: each is there once (SEED=${seed})`, async (t) => {
  const random = seeded(seed);
  const dataDir = await tempDir(t);
  const env = { ...(await storeVariables(dataDir)), MITSCHRIFT_MODELS: modelsDir };
  let service: ServiceProcess = await startServiceProcess(dataDir, env);
  t.after(async () => await service.end('SIGKILL'));
  const token = await setUp(service.url, { username: 'ada' });
  const form = new FormData();
  form.set('file', new Blob([wav()]), 'talk.wav');
  const { recording_id: id } = await apiOf(service.url, token).post<{ recording_id: string }>(
    '/recordings',
    form,
  );
  await eventually('it has documents', async () => {
    const { state } = await apiOf(service.url, token).get<{ state: string }>(`/recordings/${id}`);
    return state === 'idle.saved';
  });
  const ask = (method: string, path: string, key: string, json: object) =>
    fetch(`${service.url}/recordings/${id}/${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': key,
      },
      body: JSON.stringify(json),
    });
  /** As the page does: kept until it is answered, and sent again with its key. */
  const send = async (at: number): Promise<boolean> => {
    try {
      const [written, edited] = await Promise.all([
        ask('POST', 'sidenotes', `note-${at}`, { at, text: `note ${at}` }),
        ask('PATCH', 'summary', `line-${at}`, { edits: [{ add: { text: `line ${at}` } }] }),
      ]);
      return written.status === 201 && edited.status === 200;
    } catch {
      return false;
    }
  };
  const expected: string[] = [];
  let unanswered = 0;
  for (let round = 0; round < rounds || (unanswered === 0 && round < 5 * rounds); round += 1) {
    const doomed = service;
    const dies = 1 + random.below(8);
    let waiting = Array.from({ length: 10 }, (_, place) => 10 * round + place);
    expected.push(...waiting.map((at) => `note ${at}`));
    let death: Promise<unknown> = Promise.resolve();
    const left: number[] = [];
    for (const at of waiting) {
      const sent = send(at);
      if (at % 10 === dies) death = doomed.end('SIGKILL');
      if (!(await sent)) left.push(at);
    }
    await death;
    unanswered += left.length;
    service = await startServiceProcess(dataDir, env);
    // What was answered may be sent again as well: nothing tells a page whether it was.
    waiting = [...left, 10 * round];
    for (const at of waiting) assert.equal(await send(at), true, `note ${at}`);
  }
  assert.ok(unanswered > 0, 'a run in which every note was answered shows nothing');
  type Read = { sidenotes: { text: string }[]; summary: { lines: { text: string }[] } };
  const { sidenotes, summary } = await apiOf(service.url, token).get<Read>(`/recordings/${id}`);
  assert.deepEqual(
    new Set(summary.lines.map(({ text }) => text)),
    new Set(expected.map((text) => text.replace('note', 'line'))),
  );
  assert.equal(summary.lines.length, expected.length);
  assert.deepEqual(
    sidenotes.map(({ text }) => text),
    expected,
  );
});
