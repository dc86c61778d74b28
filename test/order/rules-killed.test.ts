import assert from 'node:assert/strict';
import { cp, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { startService, withAda } from '../support/http-client.ts';
import { tempDir } from '../support/temp-dir.ts';

test('a service that is killed between the first fact and the documents puts a recording in order once', async (t) => {
  let reach = () => {};
  const reached = new Promise<void>((resolve) => (reach = resolve));
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  t.after(() => release());
  const { service, token } = await withAda(t, {
    stages: {
      async entitle() {
        reach();
        await held;
      },
    },
  });
  const made = async (path: string, json: object) =>
    (await service.call<{ id: string }>('POST', path, { token, json })).body.id;
  const board = await made('/folders', { name: 'Board' });
  const secret = await made('/tags', { name: 'secret' });
  const filing = await made('/rules', { when: { source: 'upload' }, then: { folder: board } });
  const tagging = await made('/rules', { when: { said: 'secret' }, then: { tags: [secret] } });
  const { recording_id: id } = (await service.upload(token)).body;
  await reached;
  // What is on the disk now is what `kill -9` leaves.
  const dataDir = join(await realpath(await tempDir(t)), 'data');
  const isLeft = (path: string) => !/LOCK$|\.sock$/.test(path);
  await cp(service.dataDir, dataDir, { recursive: true, filter: isLeft });
  const later = await startService(t, { dataDir });
  await later.reaches(id, 'idle.saved');
  const put: object[] = [];
  for await (const { type, data } of later.store.read(`recording-${id}`))
    if (type === 'recording.filed' || type === 'tags.changed') put.push(data);
  assert.deepEqual(put, [
    { folder: board, rule: filing },
    { tags: [secret], rules: [tagging] },
  ]);
});
