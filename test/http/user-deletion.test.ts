import assert from 'node:assert/strict';
import {
  access,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  readlink,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileSetupCodes } from '../../src/accounts/setup-code.ts';
import { dataFolder } from '../../src/shared/data-directory.ts';
import { eventually } from '../support/eventually.ts';
import { recordingById } from '../../projections/recordings.ts';
import { accountsParts } from '../support/accounts-parts.ts';
import { openAccounts } from '../../src/accounts/accounts.ts';
import {
  type TestService,
  rawRequest,
  startService,
  wav,
  withAda,
} from '../support/http-client.ts';
import { listQuarantined } from '../../src/storage/quarantine.ts';
import { tempDir } from '../support/temp-dir.ts';
import { slowUpload } from '../support/slow-upload.ts';

test('what is being done for a deleted user ends, everything is kept, and nothing writes any more', async (t) => {
  const { service, token } = await withAda(t);
  const ben = await service.addUser('ben');
  const benId = service.accounts.findUser('ben')!.userId;
  const upload = async (kind: string) => (await service.upload(ben, { kind })).body.recording_id;
  const saved = await upload('solo');
  await service.reaches(saved, 'idle.saved');
  const waiting = await upload('meeting');
  await service.reaches(waiting, 'awaiting-speakers');
  service.engines.fail('transcribe');
  const failed = await upload('solo');
  await service.reaches(failed, 'error');
  service.engines.mend('transcribe');
  service.engines.hold('entitle');
  const [writing, other] = [await upload('solo'), (await service.upload(token)).body.recording_id];
  await service.reaches(writing, 'transcribing.entitling');

  assert.equal((await service.call('DELETE', '/users/ben', { token })).status, 204);
  const listed = await service.call<{ left: object[] }>('GET', '/users', { token });
  assert.deepEqual(
    listed.body.left.map((one) => ({ ...one, bytes: 0 })),
    [{ user_id: benId, recordings: 4, bytes: 0 }],
    'what they left can be handed over',
  );
  assert.deepEqual(await statesOf(service, [saved, waiting, failed, writing]), [
    'idle.saved',
    'idle.kept',
    'error',
    'idle.kept',
  ]);
  service.engines.releaseAll();
  await service.reaches(other, 'idle.saved');
  // Words and audio are there; the documents are where an administrator of the host deletes them.
  for (const id of [saved, waiting, failed, writing]) {
    const row = await recordingById(service.storage, id);
    await access(join(service.dataDir, 'recordings', id, row!.audio!.path));
  }
  await assert.rejects(access(join(service.dataDir, 'spaces', benId)), { code: 'ENOENT' });
  const aside = await readdir(join(service.dataDir, 'quarantine', 'spaces'));
  assert.deepEqual(
    aside.map((name) => name.slice(0, 26)),
    [benId],
  );
});

test('a note that is being put together keeps nothing else of a deleted user going, and its documents are put aside too', async (t) => {
  const { service, token } = await withAda(t, { browserLimits: { graceMs: 300 } });
  const ben = await service.addUser('ben');
  const benId = service.accounts.findUser('ben')!.userId;
  const upload = async () => (await service.upload(ben, {}, { audio: wav(2) })).body.recording_id;
  const shortened = await upload();
  await service.reaches(shortened, 'idle.saved');
  service.engines.hold('entitle');
  service.engines.hold('write');
  const others = [await upload()];
  const json = { from: 0.5, to: 1 };
  const asked = await service.call('POST', `/recordings/${shortened}/remove`, { token: ben, json });
  assert.equal(asked.status, 202);
  others.push(await upload());
  await service.reaches(shortened, 'transcribing.writing');
  for (const id of others) await service.reaches(id, 'transcribing.entitling');

  assert.equal((await service.call('DELETE', '/users/ben', { token })).status, 204);
  assert.deepEqual(await statesOf(service, others), ['idle.kept', 'idle.kept']);
  service.engines.releaseAll();
  await service.reaches(shortened, 'idle.saved');
  const space = join(service.dataDir, 'spaces', benId);
  await eventually('its documents are put aside', () =>
    access(space).then(
      () => false,
      () => true,
    ),
  );
  const aside = join(service.dataDir, 'quarantine', 'spaces');
  const names = await readdir(aside, { recursive: true });
  // Those before, and those written since, which a look may have found twice.
  assert.ok(names.filter((name) => name.endsWith('.md')).length >= 6, names.join());
});

test('what a deleted user left is the administrators’ to list, hand over and erase without reading it, and nobody else’s', async (t) => {
  const { service, token } = await withAda(t);
  const [ben, cleo] = [await service.addUser('ben'), await service.addUser('cleo')];
  const idOf = (name: string) => service.accounts.findUser(name)!.userId;
  const benId = idOf('ben');
  const ids: string[] = [];
  for (const title of ['Eins', 'Zwei']) ids.push(await service.settled(ben, { title }));
  const list = (who: string) => service.call('GET', `/recordings?owner=${benId}`, { token: who });
  const read = (who: string) => service.call('GET', `/recordings/${ids[0]}`, { token: who });
  assert.deepEqual([(await list(token)).status, (await read(token)).status], [403, 404]);
  const earlier = async (who: string) => {
    const at = await service.store.head();
    return await service.call('GET', `/recordings/${ids[0]}?at=${at}`, { token: who });
  };
  await service.call('DELETE', '/users/ben', { token });
  const { status, body } = await list(token);
  assert.deepEqual([status, (body['recordings'] as unknown[]).length], [200, 2]);
  const left = await read(token);
  assert.equal(left.status, 200);
  assert.deepEqual([left.body['title'], left.body['utterances']], [null, []]);
  assert.deepEqual([left.body['owner'], left.body['kind']], [benId, 'solo']);
  assert.deepEqual([(await list(cleo)).status, (await read(cleo)).status], [403, 404]);
  const [first, second] = ids as [string, string];
  for (const [method, path] of [
    ['GET', 'audio'],
    ['GET', 'peaks'],
    ['GET', 'export?format=md'],
    ['GET', 'events'],
    ['GET', 'versions'],
    ['POST', 'ticket'],
    ['POST', 'reprocess'],
  ] as const) {
    const { status: no } = await service.call(method, `/recordings/${first}/${path}`, {
      token,
      ...(method === 'POST' ? { json: {} } : {}),
    });
    assert.equal(no, 404, path);
  }
  const hand = (json: object) => service.call('PATCH', `/recordings/${first}`, { token, json });
  assert.equal((await hand({ owner: 'cleo', title: 'Mine' })).status, 404);
  assert.equal((await hand({ title: 'Mine' })).status, 404);
  const handed = await hand({ owner: 'cleo' });
  assert.equal(handed.status, 200);
  const said = JSON.stringify([left.body, body, handed.body, await earlier(token)]);
  for (const word of ['Eins', 'Zwei', 'secret plan', 'Hello', 'talk.wav', '.md']) {
    assert.ok(!said.includes(word), word);
  }
  await service.reaches(first, 'idle.saved');
  const { documents } = (
    await service.call<{ documents: { index: string } }>('GET', `/recordings/${first}`, {
      token: cleo,
    })
  ).body;
  const path = `/transcripts/${encodeURIComponent(documents.index)}`;
  assert.equal((await service.call('GET', path, { token: cleo })).status, 200);
  assert.equal((await read(token)).status, 404, 'it is somebody’s again');
  assert.equal((await service.call('DELETE', `/recordings/${second}`, { token })).status, 204);
  assert.deepEqual(await readdir(join(service.dataDir, 'recordings')), [first]);
  const security = service.logged
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ category, msg }) => category === 'security' && String(msg).startsWith('recording '));
  assert.deepEqual(
    security.map(({ msg, recording_id, from, to, by }) => [msg, recording_id, from, to, by]),
    [
      ['recording handed over', first, benId, idOf('cleo'), idOf('ada')],
      ['recording erased', second, undefined, undefined, idOf('ada')],
    ],
  );
  assert.doesNotMatch(JSON.stringify(security), /Eins|Zwei|talk|\.md/);

  // What was put aside of it is gone too, and nothing else of what was.
  const aside = async () => {
    const folder = join(service.dataDir, 'quarantine');
    const names = (await readdir(folder, { recursive: true })).filter((name) =>
      name.endsWith('.md'),
    );
    const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
    return ids.map((id) => texts.filter((text) => text.includes(id)).length);
  };
  assert.deepEqual(await aside(), [3, 0]);
  assert.equal((await service.call('DELETE', `/recordings/${first}`, { token: cleo })).status, 204);
  assert.deepEqual(await aside(), [0, 0]);
});

test('documents of a deleted user are not brought up to date any more', async (t) => {
  const { service, token } = await withAda(t, { browserLimits: { graceMs: 300 } });
  const ben = await service.addUser('ben');
  const benId = service.accounts.findUser('ben')!.userId;
  const ids: string[] = [];
  for (const title of ['Eins', 'Zwei']) ids.push(await service.settled(ben, { title }));
  const [first, second] = ids.toSorted() as [string, string];
  const json = { name: 'Clients' };
  const { id: tag } = (await service.call<{ id: string }>('POST', '/tags', { token: ben, json }))
    .body;
  service.engines.hold('write');
  const changes = ids.map((id) => ({ recording_id: id, add_tags: [tag] }));
  await service.call('POST', '/recordings/bulk', { token: ben, json: { changes } });
  await service.reaches(first, 'transcribing.writing');
  assert.equal((await service.call('DELETE', '/users/ben', { token })).status, 204);
  service.engines.releaseAll();
  await eventually(
    'none is left',
    async () => (await service.services.refreshing.left(benId)) === 0,
  );
  const written: string[] = [];
  for await (const { type } of service.store.read(`recording-${second}`)) written.push(type);
  assert.equal(written.filter((type) => type === 'documents.saved').length, 1);
});

test('a deletion that was interrupted before its work was ended is finished at the next start', async (t) => {
  const { service, token } = await withAda(t);
  const ben = await service.addUser('ben');
  const benId = service.accounts.findUser('ben')!.userId;
  service.engines.hold('transcribe');
  const { recording_id: id } = (await service.upload(ben)).body;
  await service.reaches(id, 'transcribing');
  // As a process leaves it that dies right after the fact.
  const dying = await openAccounts({
    ...(await accountsParts(service.store)),
    kept: service.services.kept,
    settings: () => service.services.config.settings(),
    setupCodes: fileSetupCodes(dataFolder(service.dataDir).setupCode),
    log: service.services.log,
    endWork: () => Promise.reject(new Error('killed')),
  });
  await assert.rejects(dying.deleteUser('ben', { by: 'ada' }), /killed/);
  await service.close();
  const after = await startService(t, { dataDir: service.dataDir });
  // In the background: nobody has to wait for it.
  await after.reaches(id, 'idle.kept');
  const space = join(after.dataDir, 'spaces', benId);
  await eventually('the space is put aside', () =>
    access(space).then(
      () => false,
      () => true,
    ),
  );
  assert.equal((await after.call('GET', '/users', { token })).status, 200);
});

test('documents of a deleted user are put aside whole on another disk, too', async (t) => {
  const [dataDir, disk] = [await tempDir(t), await mkdtemp('/dev/shm/mitschrift-')];
  t.after(() => rm(disk, { recursive: true }));
  await symlink(disk, join(dataDir, 'quarantine'));
  const { service, token } = await withAda(t, { dataDir });
  const ben = await service.addUser('ben');
  const benId = service.accounts.findUser('ben')!.userId;
  const space = join(dataDir, 'spaces', benId);
  await service.settled(ben, { title: 'Eins' });
  await symlink('nowhere', join(space, 'link'));
  const before = await contentsBelow(space);
  assert.equal((await service.call('DELETE', '/users/ben', { token })).status, 204);
  await assert.rejects(access(space), { code: 'ENOENT' });
  const { entries } = await listQuarantined(disk);
  assert.deepEqual(
    entries.map(({ kind, id }) => [kind, id]),
    [['documents', benId]],
  );
  assert.deepEqual(await contentsBelow(join(disk, entries[0]!.name)), before);
});

test('what cannot be put aside of a deleted user keeps the service from nothing', async (t) => {
  const { service, token } = await withAda(t);
  await service.addUser('ben');
  const benId = service.accounts.findUser('ben')!.userId;
  assert.equal((await service.call('DELETE', '/users/ben', { token })).status, 204);
  await service.close();
  const [space, inTheWay] = [
    join(service.dataDir, 'spaces', benId),
    join(service.dataDir, 'quarantine'),
  ];
  await mkdir(space, { recursive: true });
  await writeFile(join(space, 'late.md'), 'late');
  await rm(inTheWay, { recursive: true, force: true });
  await writeFile(inTheWay, '');
  const after = await startService(t, { dataDir: service.dataDir });
  assert.equal((await after.call('GET', '/users', { token })).status, 200);
  await eventually('it is said', async () =>
    after.logged.some((line) => line.includes('deleting a user was not completed')),
  );
  assert.deepEqual(await readdir(space), ['late.md']);
});

test('an upload that ends after its user was deleted becomes no recording', async (t) => {
  const { service, token } = await withAda(t);
  const ben = await service.addUser('ben');
  const upload = await slowUpload(service, ben);
  assert.equal((await service.call('DELETE', '/users/ben', { token })).status, 204);
  assert.equal(await upload.finish(), 404);
  assert.deepEqual(await readdir(join(service.dataDir, 'recordings')), []);
  assert.deepEqual(await readdir(join(service.dataDir, 'uploads')), []);
});

test('what a deleted user had begun to upload goes with them, and nobody else’s', async (t) => {
  const { service, token } = await withAda(t);
  const ben = await service.addUser('ben');
  const begin = async (as: string) => {
    const { status, headers } = await rawRequest(service.url, {
      method: 'POST',
      path: '/uploads',
      headers: {
        Authorization: `Bearer ${as}`,
        'Tus-Resumable': '1.0.0',
        'Upload-Length': '1000',
        'Upload-Metadata': `filename ${Buffer.from('Secret.wav').toString('base64')}`,
      },
    });
    assert.equal(status, 201);
    return String(headers['location']).slice('/uploads/'.length);
  };
  const [theirs, kept] = [await begin(ben), await begin(token)];
  const there = async () => (await readdir(join(service.dataDir, 'resumable'))).toSorted();
  assert.deepEqual(await there(), [theirs, `${theirs}.json`, kept, `${kept}.json`].toSorted());
  assert.equal((await service.call('DELETE', '/users/ben', { token })).status, 204);
  assert.deepEqual(await there(), [kept, `${kept}.json`]);
  const { status } = await rawRequest(service.url, {
    method: 'HEAD',
    path: `/uploads/${theirs}`,
    headers: { 'Tus-Resumable': '1.0.0' },
  });
  assert.equal(status, 404);
});

/** Of plain files what is in them, of links where they lead. */
async function contentsBelow(folder: string): Promise<Record<string, string | null>> {
  const contents: Record<string, string | null> = {};
  for (const name of (await readdir(folder, { recursive: true })).toSorted()) {
    const path = join(folder, name);
    const text = readlink(path).catch(() => readFile(path, 'utf8'));
    contents[name] = await text.catch(() => null);
  }
  return contents;
}

async function statesOf(service: TestService, ids: readonly string[]) {
  await service.projections.applied('all', await service.store.head());
  return await Promise.all(
    ids.map(async (id) => (await recordingById(service.storage, id))?.state),
  );
}
