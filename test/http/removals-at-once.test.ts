import assert from 'node:assert/strict';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import type { KeyStore } from '../../events/key-store.ts';
import { recordingStream } from '../../events/facts/recording.ts';
import { verifyData } from '../../src/integrity/verify.ts';
import { dataFolder } from '../../src/shared/data-directory.ts';
import { eventually } from '../support/eventually.ts';
import { filesBelow } from '../support/files-below.ts';
import { type TestService, startService } from '../support/http-client.ts';
import { machineFolder } from '../support/test-store.ts';

/*
 * Whatever removes something of a recording, and whatever writes it again, at once and in both orders: what was
 * answered is done, in the folder, over HTTP and by the log, also after a restart.
 */

const kinds = ['delete one', 'delete another', 'delete all', 'erase', 'hand over', 'reprocess'];

type Made = { id: string; paths: Record<'index' | 'transcript' | 'summary', string> };

test('every pair of removals of a recording at once leaves what the log says, and nothing else', async (t) => {
  // The service's own way of writing documents.
  let service = await startService(t, { stages: { write: undefined } });
  const token = await service.setUp();
  await service.addUser('ben');
  const pairs = kinds
    .filter((kind) => kind !== 'delete another')
    .flatMap((first) => kinds.map((second) => [first, second] as const));
  const made: Made[] = [];
  for (const [first, second] of pairs) {
    const one = await documented(service, token, `${first}, ${second}`);
    made.push(one);
    const asked = await Promise.all([first, second].map((kind) => ask(service, token, one, kind)));
    const what = `${first} ∥ ${second}`;
    for (const [index, { status }] of asked.entries())
      assert.ok([200, 202, 204, 404, 409].includes(status), `${what}: ${index}: ${status}`);
    assert.ok(asked[0]!.status < 300 || asked[1]!.status < 300, `${what}: one is done at least`);
    await settled(service, one.id);
    await agrees(service, one, what);
  }
  await soundNow(service);
  const { dataDir } = service;
  await service.close();
  service = await startService(t, { dataDir, stages: { write: undefined } });
  for (const [index, one] of made.entries())
    await agrees(service, one, `${pairs[index]!.join(' ∥ ')}, restarted`);
  await soundNow(service);
  await t.test('verify names what is there although it was deleted', () =>
    namesWhatIsLeft(service),
  );
});

async function documented(service: TestService, token: string, title: string): Promise<Made> {
  const id = await service.settled(token, { title });
  const detail = await service.call<{ documents: Made['paths'] }>('GET', `/recordings/${id}`, {
    token,
  });
  return { id, paths: detail.body.documents };
}

function ask(service: TestService, token: string, { id, paths }: Made, kind: string) {
  const drop = (path: string) =>
    service.call('DELETE', `/transcripts/${encodeURIComponent(path)}`, { token });
  switch (kind) {
    case 'delete one':
      return drop(paths.summary);
    case 'delete another':
      return drop(paths.transcript);
    case 'delete all':
      return drop(paths.index);
    case 'erase':
      return service.call('DELETE', `/recordings/${id}`, { token });
    case 'hand over':
      return service.call('PATCH', `/recordings/${id}`, { token, json: { owner: 'ben' } });
    default:
      return service.call('POST', `/recordings/${id}/reprocess`, { token, json: {} });
  }
}

/** Nothing works on it any more. */
async function settled({ store }: TestService, id: string): Promise<void> {
  await eventually(`${id} has settled`, async () => {
    let last = '';
    for await (const { to } of store.read(recordingStream(id))) last = to ?? last;
    return last.startsWith('idle');
  });
}

/** Compares documents, in their folders and over HTTP, audio and key with what the log says. */
async function agrees(service: TestService, { id }: Made, what: string): Promise<void> {
  const wanted = new Map<string, string>();
  let [owner, last] = ['', ''];
  for await (const fact of service.store.read(recordingStream(id))) {
    last = fact.to ?? last;
    if ('owner' in fact.data) ({ owner } = fact.data);
    if (fact.type === 'documents.saved') {
      wanted.clear();
      for (const [name, path] of Object.entries(fact.content?.paths ?? {}))
        wanted.set(name, `${owner}/${path}`);
    }
    if (fact.type === 'documents.deleted')
      for (const name of fact.data.documents) wanted.delete(name);
  }
  const isErased = last === 'idle.erased';
  if (isErased) wanted.clear();
  const found: string[] = [];
  for (const { name, bytes } of await filesBelow(join(service.dataDir, 'spaces')))
    if (bytes.includes(id)) found.push(name);
  assert.deepEqual(found.toSorted(), [...wanted.values()].toSorted(), what);
  if (!isErased) return;
  const { keys } = service.services as unknown as { keys: KeyStore };
  assert.equal(await keys.find(id), 'erased', what);
  for await (const fact of service.store.read(recordingStream(id))) {
    if (fact.type !== 'audio.imported') continue;
    await assert.rejects(service.services.audio.open(id, fact.data), { code: 'ENOENT' }, what);
  }
}

async function namesWhatIsLeft(service: TestService): Promise<void> {
  const token = await service.login('ada');
  const { userId } = service.accounts.findUser('ada')!;
  const [one, other] = [
    await documented(service, token, 'one'),
    await documented(service, token, 'other'),
  ];
  const summary = join(service.dataDir, 'spaces', userId, one.paths.summary);
  const kept = await filesBelow(join(service.dataDir, 'recordings', other.id));
  const { path: audio } = kept.find(({ name }) => name.endsWith('.wav'))!;
  const key = join(service.dataDir, 'keys', other.id);
  const copy = join(service.dataDir, 'keys', `.migrating-${other.id}`);
  const [words, sound, secret] = await Promise.all([summary, audio, key].map((at) => readFile(at)));
  assert.equal((await ask(service, token, one, 'delete one')).status, 204);
  assert.equal((await ask(service, token, other, 'erase')).status, 204);
  await soundNow(service);
  await mkdir(dirname(audio), { recursive: true });
  await writeFile(summary, words!);
  await writeFile(audio, sound!);
  await writeFile(key, secret!);
  await writeFile(copy, secret!);
  const report = await verified(service);
  const left = report.findings.map(({ kind, path }) => [kind, path]).toSorted();
  const below = (path: string) => relative(service.dataDir, path);
  const wanted = [audio, copy, key].map((path) => ['left', below(path)]);
  assert.deepEqual(left, [...wanted, ['left', `spaces/${userId}`]].toSorted());
  assert.deepEqual(
    report.advice.map(({ code }) => code),
    ['delete-leftovers'],
  );
  // It can be deleted again.
  assert.equal((await ask(service, token, one, 'delete one')).status, 204);
  for (const path of [audio, copy, key]) await rm(path);
  await soundNow(service);
}

async function soundNow(service: TestService): Promise<void> {
  const { sound, findings } = await verified(service);
  assert.deepEqual([sound, findings], [true, []]);
}

async function verified({ dataDir, services }: TestService) {
  const { store, keys, blobs } = services as unknown as Parameters<typeof verifyData>[0];
  const data = dataFolder(machineFolder(dataDir), dataDir);
  return await verifyData({ store, keys, blobs, data });
}
