import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import {
  type ProblemAnswer,
  type TestService,
  connect,
  startService,
} from '../support/http-client.ts';
import { mitschrift } from '../support/recorded-data.ts';
import { tempDir } from '../support/temp-dir.ts';

type Backup = {
  path: string;
  state: string;
  started_at: string;
  ended_at: string | null;
  files: number;
  facts: number | null;
  error: string | null;
};
type Status = { backup?: Backup | null };

test('POST /backup makes one that can be restored; GET /status says what becomes of it, and of the last', async (t) => {
  const service = await startService(t);
  const token = await service.setUp();
  const { recording_id: id } = (await service.upload(token)).body;
  await service.reaches(id, 'idle.saved');
  const folder = await tempDir(t);
  const path = join(folder, 'backup');
  assert.equal(await now(service, token), null);

  // Who follows hears of its end, though no fact says it.
  const socket = connect(service.url, token);
  const hears = socket.until(({ backup }) => (backup as Backup | null)?.state === 'done');
  const begun = await begin<{ backup: Backup }>(service, token, path);
  assert.deepEqual([begun.status, begun.body.backup.path], [202, path]);
  await hears;
  const made = await ended(service, token);
  assert.deepEqual([made.path, made.state, made.error], [path, 'done', null]);
  assert.ok(made.facts! > 0 && made.files > 0 && made.started_at <= made.ended_at!);
  const restored = join(folder, 'restored');
  const { code, stderr } = await mitschrift(restored, 'restore', path);
  assert.equal(code, 0, stderr);
  const sound = await mitschrift(restored, 'verify');
  assert.equal(sound.code, 0, sound.stderr);

  const two = await Promise.all(
    ['one', 'two'].map((name) => begin(service, token, join(folder, name))),
  );
  assert.deepEqual(two.map(({ status }) => status).toSorted(), [202, 409], 'one at a time');
  assert.equal((await ended(service, token)).state, 'done');

  // What cannot be one is said at once; what goes wrong later is kept to be read.
  await writeFile(join(folder, 'file'), 'x');
  for (const [wrong, message] of [
    ['relative', /^must be an absolute path$/],
    [join(service.dataDir, 'backup'), /inside the data directory/],
    [folder, /holds something else/],
    [join(folder, 'file'), /not a directory/],
  ] as const) {
    const { status, body } = await begin<ProblemAnswer>(service, token, wrong);
    assert.deepEqual([status, body.errors?.[0]?.path], [422, 'path'], wrong);
    assert.match(body.errors![0]!.message, message);
  }
  await writeFile(join(path, 'backup.json'), '{');
  assert.equal((await begin(service, token, path)).status, 202);
  const failed = await ended(service, token);
  assert.deepEqual([failed.state, failed.facts], ['failed', null]);
  assert.match(failed.error!, /is damaged or of a newer release/);

  const user = await service.addUser('ben');
  assert.equal((await begin(service, user, path)).status, 403);
  const theirs = await service.call<Status>('GET', '/status', { token: user });
  assert.equal('backup' in theirs.body, false);

  // The last that was completed is known after a restart too.
  await service.close();
  const again = await startService(t, { dataDir: service.dataDir });
  const { path: last, state } = await now(again, token);
  assert.deepEqual([dirname(last), state], [folder, 'done']);
});

const begin = <Body>(service: TestService, token: string, path: string) =>
  service.call<Body>('POST', '/backup', { token, json: { path } });

const now = async (service: TestService, token: string) =>
  (await service.call<Status>('GET', '/status', { token })).body.backup!;

async function ended(service: TestService, token: string): Promise<Backup> {
  await eventually('it has ended', async () => (await now(service, token)).state !== 'running');
  return await now(service, token);
}
