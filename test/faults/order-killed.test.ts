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
const noteCount = 4;
const tellers = 5;

type Order = { folder: string | null; tags: string[] };
type Answer = {
  changed: { recording_id: string; before: Order }[];
  refused: { recording_id: string }[];
};
type Named = { id: string; name: string };
const ofHouse = '/templates?of=house';
/** Of a round: there may be 100 templates. */
const isFirst = (name: string): boolean => name.endsWith('.0');

test(`${rounds} times the service is killed while words are made and notes put in order: each change is there once, with what undoes it (SEED=${seed})`, async (t) => {
  const random = seeded(seed);
  const dataDir = await tempDir(t);
  const env = { ...(await storeVariables(dataDir)), MITSCHRIFT_MODELS: modelsDir };
  let service: ServiceProcess = await startServiceProcess(dataDir, env);
  t.after(async () => await service.end('SIGKILL'));
  const token = await setUp(service.url, { username: 'ada' });
  const ids: string[] = [];
  for (let number = 0; number < noteCount; number += 1) {
    const form = new FormData();
    form.set('file', new Blob([wav()]), `talk ${number}.wav`);
    const made = await apiOf(service.url, token).post<{ recording_id: string }>(
      '/recordings',
      form,
    );
    ids.push(made.recording_id);
  }
  let sent: (path: string) => void = () => {};
  /** As a page does: sent again with its key until it is answered. */
  const asked = async <T>(path: string, key: string, json: object): Promise<T | null> => {
    try {
      const answer = fetch(`${service.url}${path}`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${token}`,
          'Content-Type': 'application/json',
          'Idempotency-Key': key,
        },
        body: JSON.stringify(json),
      });
      sent(path);
      const response = await answer;
      return response.ok ? ((await response.json()) as T) : null;
    } catch {
      return null;
    }
  };
  /** A folder, a word of it and a tag are made, and all notes put there. @returns null where an answer is missing */
  const put = async (name: string): Promise<{ before: Order[]; now: Order } | null> => {
    const folder = await asked<Named>('/folders', `folder-${name}`, { name });
    const word =
      folder &&
      (await asked<Named>('/words', `word-${name}`, {
        write: `Term ${name}`,
        heard: [`turn ${name}`],
        folder: folder.id,
      }));
    const tag = word && (await asked<Named>('/tags', `tag-${name}`, { name }));
    const template = isFirst(name) ? { name, sections: [{ title: 'Said' }] } : null;
    const isMade =
      template === null || (await asked<Named>(ofHouse, `template-${name}`, template)) !== null;
    if (!folder || !tag || !isMade) return null;
    const now = { folder: folder.id, tags: [tag.id] };
    const changes = ids.map((recording_id) => ({ recording_id, ...now }));
    const answer = await asked<Answer>('/recordings/bulk', `bulk-${name}`, { changes });
    if (answer === null) return null;
    assert.deepEqual(answer.refused, []);
    const before = answer.changed.map(({ before: { folder: from, tags } }) => ({
      folder: from,
      tags,
    }));
    return { before, now };
  };
  let last: Order = { folder: null, tags: [] };
  let unanswered = 0;
  const names: string[] = [];
  for (let round = 0; round < rounds || (unanswered === 0 && round < 5 * rounds); round += 1) {
    const doomed = service;
    const diesAt = random.pick(['/folders', '/words', '/tags', ofHouse, '/recordings/bulk']);
    const dies = diesAt === ofHouse ? 0 : random.below(tellers);
    const after = random.below(40);
    for (let place = 0; place < tellers; place += 1) {
      const name = `order-${round}.${place}`;
      names.push(name);
      const deaths: Promise<unknown>[] = [];
      sent = (path) => {
        if (place !== dies || path !== diesAt || deaths.length > 0) return;
        deaths.push(
          new Promise((resolve) => setTimeout(resolve, after)).then(() => doomed.end('SIGKILL')),
        );
      };
      let done = await put(name);
      sent = () => {};
      if (done === null) unanswered += 1;
      if (deaths.length > 0) {
        await Promise.all(deaths);
        service = await startServiceProcess(dataDir, env);
        // What was answered may be sent again as well: nothing tells a page whether it was.
        done = await put(name);
      }
      assert.ok(done, name);
      assert.deepEqual(done.before, Array<Order>(noteCount).fill(last), name);
      last = done.now;
    }
  }
  assert.ok(unanswered > 0, 'a run in which every change was answered shows nothing');
  const api = apiOf(service.url, token);
  for (const id of ids) {
    const { folder, tags } = await api.get<Order>(`/recordings/${id}`);
    assert.deepEqual({ folder, tags }, last);
  }
  for (const [path, kind] of [
    ['/folders', 'folders'],
    ['/tags', 'tags'],
  ] as const) {
    const there = (await api.get<Record<typeof kind, Named[]>>(path))[kind];
    assert.deepEqual(new Set(there.map(({ name }) => name)), new Set(names));
    assert.equal(there.length, names.length, 'none was made twice');
  }
  const { words } = await api.get<{ words: { write: string }[] }>('/words?of=mine');
  assert.deepEqual(
    words.map(({ write }) => write).toSorted(),
    names.map((name) => `Term ${name}`).toSorted(),
    'each word is there once',
  );
  const { house } = await api.get<{ house: Named[] }>('/templates');
  assert.deepEqual(house.map(({ name }) => name).toSorted(), names.filter(isFirst).toSorted());
  await eventually('documents say where they are', async () => {
    const { refreshing } = await api.get<{ refreshing: number }>('/status');
    return refreshing === 0;
  });
});
