import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { recordingStream } from '../../events/facts/recording.ts';
import { machineVersion } from '../../machines/recording.ts';
import { withLogAlone } from '../../src/integrity/open-mark.ts';
import { restore } from '../../src/integrity/restore.ts';
import { dataFolder } from '../../src/shared/data-directory.ts';
import { browserClient } from '../support/browser-client.ts';
import { eventually } from '../support/eventually.ts';
import {
  type ProblemAnswer,
  type TestService,
  connect,
  startService,
  withAda,
} from '../support/http-client.ts';
import { program } from '../support/program.ts';
import { mitschrift } from '../support/recorded-data.ts';
import { tempDir } from '../support/temp-dir.ts';

type Backup = {
  path: string;
  state: string;
  started_at: string;
  ended_at: string | null;
  files: number;
  bytes: number | null;
  facts: number | null;
  error: string | null;
};
type Status = { backup?: Backup | null };

test('POST /backup makes one that can be restored; GET /status says what becomes of it, and of the last', async (t) => {
  const { service, token } = await withAda(t);
  await service.settled(token);
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
  assert.ok(
    made.facts! > 0 && made.files > 0 && made.bytes! > 0 && made.started_at <= made.ended_at!,
  );
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
    ['relative', /^must be a full path, starting with \/$/],
    [join(service.dataDir, 'backup'), /inside the data directory/],
    [folder, /^contains something else \(backup\): choose an empty folder$/],
    [join(folder, 'file'), /not a directory/],
    ['/proc/x', /^can’t be created or written to \(ENOENT\): choose another folder$/],
  ] as const) {
    const { status, body } = await begin<ProblemAnswer>(service, token, wrong);
    assert.deepEqual([status, body.errors?.[0]?.path], [422, 'path'], wrong);
    assert.match(body.errors![0]!.message, message);
  }
  await writeFile(join(path, 'backup.json'), '{');
  assert.equal((await begin(service, token, path)).status, 202);
  const failed = await ended(service, token);
  assert.deepEqual([failed.state, failed.facts], ['failed', null]);
  assert.match(failed.error!, /backup\.json is damaged, or was made by a newer version/);
  const headers = { 'accept-language': 'de' };
  const german = await service.call<Status>('GET', '/status', { token, headers });
  assert.match(
    german.body.backup!.error!,
    /backup\.json ist beschädigt oder wurde von einer neueren Version von Mitschrift erstellt\.$/,
  );

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

test('a backup is cancelled by a request and by Ctrl-C, and what was backed up before stays', async (t) => {
  const { service, token } = await withAda(t);
  const path = join(await tempDir(t), 'backup');
  await begin(service, token, path);
  const { facts } = await ended(service, token);
  const marker = await readFile(join(path, 'backup.json'));
  // Enough to copy that it is heard of meanwhile.
  const folder = join(service.dataDir, 'quarantine', 'much');
  await mkdir(folder, { recursive: true });
  for (let n = 0; n < filesMuch; n += 1) await writeFile(join(folder, `${n}`), 'x');
  await service.addUser('ben');

  await begin(service, token, path);
  assert.equal((await service.call('DELETE', '/backup', { token })).status, 204);
  assert.deepEqual((await now(service, token)).state, 'cancelled');
  assert.equal((await service.call('DELETE', '/backup', { token })).status, 204);
  assert.deepEqual(await readFile(join(path, 'backup.json')), marker);

  const env = { ...process.env, MITSCHRIFT_DATA: service.dataDir };
  const command = spawn(process.execPath, [program, 'backup', path], { env, stdio: 'pipe' });
  const said = text(command.stderr);
  await eventually('it runs', async () => (await now(service, token)).state === 'running');
  command.kill('SIGINT');
  assert.match(await said, /The backup was cancelled\. What was backed up before is as it was\./u);
  assert.equal((await now(service, token)).state, 'cancelled');
  assert.deepEqual(await readFile(join(path, 'backup.json')), marker);

  await begin(service, token, path);
  const made = await ended(service, token);
  assert.deepEqual([made.state, made.facts! > facts!], ['done', true]);

  // Without a service: the process itself.
  await service.close();
  const alone = spawn(process.execPath, [program, 'backup', `${path}-2`], { env, stdio: 'pipe' });
  const saidAlone = text(alone.stderr);
  await eventually('it copies', () => existsSync(join(`${path}-2`, 'files-1', 'quarantine')));
  alone.kill('SIGINT');
  assert.match(await saidAlone, /The backup was cancelled/u);
  assert.equal(existsSync(join(`${path}-2`, 'backup.json')), false);
  const nowhere = await mitschrift(service.dataDir, 'backup', '/proc/x');
  assert.equal(nowhere.code, 1);
  assert.match(nowhere.stderr, /\/proc\/x can’t be created or written to \(ENOENT\)/u);
});

const filesMuch = 1500;

const begin = <Body>(service: TestService, token: string, path: string) =>
  service.call<Body>('POST', '/backup', { token, json: { path } });

const now = async (service: TestService, token: string) =>
  (await service.call<Status>('GET', '/status', { token })).body.backup!;

async function ended(service: TestService, token: string): Promise<Backup> {
  await eventually('it has ended', async () => (await now(service, token)).state !== 'running');
  return await now(service, token);
}

test('what happened counts backups by day and who made them', async (t) => {
  const { service, token } = await withAda(t);
  const path = await tempDir(t);
  for (const folder of ['one', 'two']) {
    assert.equal((await begin(service, token, join(path, folder))).status, 202);
    assert.equal((await ended(service, token)).state, 'done');
  }
  type Page = { happened: { type: string; by_name: string; count: number }[] };
  const { body } = await service.call<Page>('GET', '/happened?kind=backups', { token });
  assert.deepEqual(
    body.happened.map(({ type, by_name: by, count }) => [type, by, count]),
    [['backup.completed', 'ada', 2]],
  );
  const all = await service.call<Page>('GET', '/happened?limit=200', { token });
  assert.ok(all.body.happened.some(({ type }) => type === 'backup.completed'));
  assert.ok(!JSON.stringify(all.body).includes(path), 'not where it is');
});

test('late audio that was acknowledged but not yet added is added by the restored server', async (t) => {
  const stages = { capture: undefined };
  const { service, token } = await withAda(t, { stages });
  const rate = 16_000;
  const pcm = randomBytes(2 * 2 * rate);
  const browser = (of: { recordingId?: string } = {}) =>
    browserClient({ url: () => service.url, token, pcm, rate, frameSamples: 800, ...of });
  const first = browser();
  await first.sendTo(rate);
  const id = (await first.stop()).recording_id!;
  await service.reaches(id, 'idle.saved');
  const late = browser({ recordingId: id });
  await late.sendTo(2 * rate);
  const folder = await tempDir(t);
  await begin(service, token, join(folder, 'backup'));
  assert.equal((await ended(service, token)).state, 'done');
  late.vanish();
  await service.close();

  const dataDir = join(folder, 'restored');
  await restore(join(folder, 'backup'), dataFolder(dataDir));
  const browserLimits = { graceMs: 300, restartGraceMs: 0 };
  const restored = await startService(t, { dataDir, stages, browserLimits });
  type Facts = { events: { type: string; data: Record<string, unknown> }[] };
  const events = `/recordings/${id}/events`;
  const again = await restored.login('ada');
  const extended = await eventually('it is added', async () =>
    (await restored.call<Facts>('GET', events, { token: again })).body.events.find(
      ({ type }) => type === 'audio.extended',
    ),
  );
  const path = join(dataDir, 'recordings', id, String(extended.data['path']));
  assert.deepEqual((await readFile(path)).subarray(44), pcm);
});

test('an erasure that a crash left undone before the backup is finished by the restored server', async (t) => {
  const { service, token } = await withAda(t);
  const id = await service.settled(token);
  await service.close();
  await withLogAlone(dataFolder(service.dataDir), async ({ store }) => {
    const stream = recordingStream(id);
    const erased = {
      type: 'recording.erased',
      data: {},
      by: 'system',
      command: 'erasing',
    } as const;
    const states = { from: 'idle.saved', to: 'idle.erased', machine: machineVersion };
    await store.append(stream, [{ ...erased, ...states }], await store.version(stream));
  });
  const folder = await tempDir(t);
  const made = await mitschrift(service.dataDir, 'backup', join(folder, 'backup'));
  assert.equal(made.code, 0, made.stderr);
  const dataDir = join(folder, 'restored');
  // It says that something deleted is still there.
  await restore(join(folder, 'backup'), dataFolder(dataDir));
  assert.ok(existsSync(join(dataDir, 'keys', id)));
  await startService(t, { dataDir });
  await eventually('its key and its audio are gone', () =>
    ['keys', 'recordings'].every((part) => !existsSync(join(dataDir, part, id))),
  );
});
