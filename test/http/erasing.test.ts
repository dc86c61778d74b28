import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { type TestService, withAda } from '../support/http-client.ts';

type Detail = { documents: Record<'index' | 'transcript' | 'summary', string> };

/** Two recordings of the same day: the second one has the file names that the first one gave up. */
async function inherited(
  service: TestService,
  token: string,
  giveUp: (recordingId: string) => Promise<unknown>,
): Promise<{ first: string; second: string; paths: string[] }> {
  const upload = async () => {
    const fields = { title: 'Budget', started_at: '2026-11-20T09:30:00Z' };
    const id = await service.settled(token, fields);
    const { documents } = (await service.call<Detail>('GET', `/recordings/${id}`, { token })).body;
    return { id, paths: Object.values(documents).toSorted() };
  };
  const first = await upload();
  await giveUp(first.id);
  const second = await upload();
  assert.deepEqual(second.paths, first.paths, 'the names were free');
  return { first: first.id, second: second.id, paths: second.paths };
}

test('DELETE leaves the documents of a recording that has the erased one’s former names', async (t) => {
  const { service, token } = await withAda(t);
  await service.addUser('ben');
  const { userId } = service.accounts.findUser('ada')!;
  const { first, second, paths } = await inherited(service, token, async (id) => {
    const json = { owner: 'ben' };
    const { status } = await service.call('PATCH', `/recordings/${id}`, { token, json });
    assert.equal(status, 200);
    await service.reaches(id, 'idle.saved');
  });
  const space = join(service.dataDir, 'spaces', userId);
  const read = () => Promise.all(paths.map((path) => readFile(join(space, path), 'utf8')));
  const before = await read();
  assert.ok(before.every((text) => text.includes(second)));

  const ben = await service.login('ben');
  assert.equal((await service.call('DELETE', `/recordings/${first}`, { token: ben })).status, 204);
  assert.deepEqual(await read(), before);
  const path = `/transcripts/${encodeURIComponent(paths.find((path) => !path.includes('/'))!)}`;
  assert.equal((await service.call('GET', path, { token })).status, 200);
  // Its own go with it.
  const own = await service.call('DELETE', `/recordings/${second}`, { token });
  assert.equal(own.status, 204);
  for (const path of paths) await assert.rejects(readFile(join(space, path)), { code: 'ENOENT' });
});

test('DELETE removes what was put aside of a recording, and nothing else that was', async (t) => {
  const { service, token } = await withAda(t);
  const [erased, kept] = [await service.settled(token), await service.settled(token)];
  // As a start leaves them that found audio whose facts were not in the log.
  const quarantine = join(service.dataDir, 'quarantine');
  const folders = [`${erased}-1700000000000`, `${erased}-1700000000001`, `${kept}-1700000000000`];
  for (const folder of folders) {
    await mkdir(join(quarantine, folder), { recursive: true });
    await writeFile(join(quarantine, folder, 'audio.wav'), 'what was said');
  }
  assert.equal((await service.call('DELETE', `/recordings/${erased}`, { token })).status, 204);
  assert.deepEqual(await readdir(quarantine), folders.slice(2));
  assert.deepEqual(await readdir(join(service.dataDir, 'recordings')), [kept]);
});
