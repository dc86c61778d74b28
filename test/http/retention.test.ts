import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { type TestService, startService, withAda } from '../support/http-client.ts';
import { tempDir } from '../support/temp-dir.ts';

type Counts = { notes: number; audio: number };
type Shown = {
  own: { notes_days?: number | null; takes_effect_at: string | null };
  server: { notes_days: number | null; longest: boolean; takes_effect_at: string | null };
  soon: (Counts & { at: string }) | null;
  waiting: (Counts & { shared: number; before: string }) | null;
  protected: { recording_id: string; reason: string | null }[];
};
type Item = { recording_id: string; part: string; at: string; rule: string; hold: object | null };
type Preview = Counts & { items: Item[]; shared: number; protected: number };
type Log = {
  removed: { at: string; part: string; rule: string; kind: string; started_at: string }[];
};

const hour = 3_600_000;
const day = 24 * hour;

/** A service whose retention looks all the time, by a clock that is moved. */
async function withClock(t: TestContext, options: { dataDir?: string } = {}) {
  let moved = 0;
  const retention = { now: () => Date.now() + moved, everyMs: 20 };
  const service = await startService(t, { ...options, trial: { retention } });
  return {
    service,
    now: retention.now,
    move: (ms: number) => (moved += ms),
  };
}

async function note(service: TestService, token: string, daysAgo: number): Promise<string> {
  const started_at = new Date(Date.now() - daysAgo * day).toISOString();
  return await service.settled(token, { started_at, kind: 'solo' });
}
const get = async <T>(service: TestService, token: string, path: string): Promise<T> =>
  (await service.call<T>('GET', path, { token })).body;
const statusOf = async (service: TestService, token: string, id: string): Promise<number> =>
  (await service.call('GET', `/recordings/${id}`, { token })).status;

test('a shorter period waits a day, a large part of the library for a yes, and what went is what was foreseen', async (t) => {
  const { service, move, now } = await withClock(t);
  const token = await service.setUp();
  const ids: string[] = [];
  for (const days of [100, 50, 40, 1]) ids.push(await note(service, token, days));
  const [oldest = '', held = '', old = '', young = ''] = ids;
  await service.call('PATCH', `/recordings/${held}`, {
    token,
    json: { hold: { reason: 'Radio' } },
  });
  const set = await service.call<Shown>('PUT', '/retention', { token, json: { notes_days: 30 } });
  assert.equal(set.status, 200);
  const effect = Date.parse(set.body.own.takes_effect_at ?? '');
  assert.ok(Math.abs(effect - now() - day) < hour);
  assert.equal(set.body.waiting, null);
  assert.deepEqual(
    set.body.protected.map(({ recording_id, reason }) => [recording_id, reason]),
    [[held, 'Radio']],
  );
  const preview = await get<Preview>(service, token, '/retention/preview?days=3');
  assert.deepEqual(
    preview.items
      .map((one) => [one.recording_id, one.part, one.rule, one.hold !== null])
      .toSorted(),
    [
      [oldest, 'notes', 'user', false],
      [held, 'notes', 'user', true],
      [old, 'notes', 'user', false],
    ].toSorted(),
  );
  assert.deepEqual([preview.notes, preview.audio, preview.protected], [2, 0, 1]);
  assert.equal(set.body.soon?.notes, 2);

  move(23 * hour);
  assert.equal((await get<Shown>(service, token, '/retention')).waiting, null);
  move(2 * hour);
  const { waiting } = await get<Shown>(service, token, '/retention');
  assert.deepEqual([waiting?.notes, waiting?.audio, waiting?.shared], [2, 0, 0]);
  for (const id of ids) assert.equal(await statusOf(service, token, id), 200);

  const confirmed = await service.call<Shown>('POST', '/retention/confirm', {
    token,
    json: { before: waiting?.before },
  });
  assert.equal(confirmed.body.waiting, null);
  await eventually('they are gone', async () => {
    const found = [await statusOf(service, token, oldest), await statusOf(service, token, old)];
    return found.every((status) => status === 404);
  });
  for (const id of [held, young]) assert.equal(await statusOf(service, token, id), 200);
  const { removed } = await get<Log>(service, token, '/retention/log');
  assert.deepEqual(
    removed.map(({ part, rule, kind }) => [part, rule, kind]),
    [
      ['notes', 'user', 'solo'],
      ['notes', 'user', 'solo'],
    ],
  );

  // Lifted, it is given a day as well, and then asked for again.
  await service.call('PATCH', `/recordings/${held}`, { token, json: { hold: null } });
  assert.equal((await get<Shown>(service, token, '/retention')).waiting, null);
});

test('the audio of a folder goes without a question where it is a small part; what is put into it is given a day', async (t) => {
  const { service, move } = await withClock(t);
  const token = await service.setUp();
  const [one, other] = [await note(service, token, 60), await note(service, token, 60)];
  for (let n = 0; n < 20; n += 1) await note(service, token, 0);
  const { body: folder } = await service.call<{ id: string }>('POST', '/folders', {
    token,
    json: { name: 'Interviews', retention: { audio_days: 30 } },
  });
  const put = async (id: string) =>
    await service.call('PATCH', `/recordings/${id}`, { token, json: { folder: folder.id } });
  await put(one);
  // Its documents are written with the folder first.
  await eventually('it is foreseen', async () => {
    const { items } = await get<Preview>(service, token, '/retention/preview?days=2');
    return (
      items.map((item) => [item.recording_id, item.part, item.rule].join()).join(' ') ===
      `${one},audio,folder`
    );
  });
  const heard = async (id: string) =>
    (await service.call('GET', `/recordings/${id}/audio`, { token })).status;
  assert.equal(await heard(one), 200);
  move(25 * hour);
  await eventually('its audio is gone', async () => (await heard(one)) === 404);
  assert.equal(await statusOf(service, token, one), 200);
  assert.equal(await heard(other), 200);
  const { removed } = await get<Log>(service, token, '/retention/log');
  assert.deepEqual(
    removed.map(({ part, rule }) => [part, rule]),
    [['audio', 'folder']],
  );
});

test('what has no audio any more is not read again because of a period of audio', async (t) => {
  const { service, move } = await withClock(t);
  const token = await service.setUp();
  const ids = [await note(service, token, 60), await note(service, token, 60)];
  const { body: folder } = await service.call<{ id: string }>('POST', '/folders', {
    token,
    json: { name: 'Interviews', retention: { audio_days: 20 } },
  });
  await service.call('PATCH', `/recordings/${ids[0]}`, { token, json: { folder: folder.id } });
  await service.call('PUT', '/retention', { token, json: { audio_days: 30 } });
  move(25 * hour);
  const { waiting } = await get<Shown>(service, token, '/retention');
  await service.call('POST', '/retention/confirm', { token, json: { before: waiting?.before } });
  await eventually('their audio is gone', async () => {
    const all = ids.map((id) => service.call('GET', `/recordings/${id}/audio`, { token }));
    return (await Promise.all(all)).every(({ status }) => status === 404);
  });
  const { storage } = service.services;
  const getMany = storage.getMany.bind(storage);
  let reads = 0;
  t.mock.method(storage, 'getMany', async (name: string, keys: string[]) => {
    reads += keys.filter((key) => key.startsWith('r/')).length;
    return await getMany(name, keys);
  });
  await eventually('nothing is read', async () => {
    reads = 0;
    await get<Shown>(service, token, '/retention');
    return reads === 0;
  });
});

test('the period of the server is the longest where it says so, and begins a day after it was set', async (t) => {
  const { service, move } = await withClock(t);
  const admin = await service.setUp();
  const anna = await service.addUser('anna');
  const id = await note(service, anna, 60);
  await service.call('PUT', '/retention', { token: anna, json: { notes_days: null } });
  const json = { retention: { notes_days: 30 } };
  assert.equal((await service.call('PUT', '/config', { token: admin, json })).status, 200);
  move(3 * day);
  // For ever, says Anna.
  const free = await get<Shown>(service, anna, '/retention');
  assert.deepEqual([free.server.notes_days, free.waiting], [30, null]);
  await service.call('PUT', '/config', {
    token: admin,
    json: { retention: { longest: true } },
  });
  const bound = await get<Shown>(service, anna, '/retention');
  assert.equal(bound.server.longest, true);
  assert.notEqual(bound.server.takes_effect_at, null);
  assert.equal(bound.waiting, null);
  move(25 * hour);
  assert.equal((await get<Shown>(service, anna, '/retention')).waiting?.notes, 1);
  assert.equal(await statusOf(service, anna, id), 200);
});

test('notes that cannot be deleted keep no other from being deleted, of their owner or of others', async (t) => {
  let moved = 0;
  let tries = 0;
  const failing: string[] = [];
  const retention = {
    now: () => Date.now() + moved,
    everyMs: 20,
    roundMax: 2,
    beforeTaking(id: string) {
      if (!failing.includes(id)) return;
      tries += 1;
      throw new Error('the disk failed');
    },
  };
  const { service, token: ada } = await withAda(t, { trial: { retention } });
  const ben = await service.addUser('ben');
  failing.push(await note(service, ada, 90), await note(service, ada, 80));
  const [last, other] = [await note(service, ada, 70), await note(service, ben, 60)];
  for (const token of [ada, ben])
    await service.call('PUT', '/retention', { token, json: { notes_days: 30 } });
  moved = 25 * hour;
  for (const token of [ada, ben]) {
    const { waiting } = await get<Shown>(service, token, '/retention');
    const json = { before: waiting?.before };
    assert.equal((await service.call('POST', '/retention/confirm', { token, json })).status, 200);
  }
  await eventually('the others are gone', async () => {
    const found = [await statusOf(service, ada, last), await statusOf(service, ben, other)];
    return found.every((status) => status === 404);
  });
  await eventually('they are tried again', () => tries > 4);
  for (const id of failing) assert.equal(await statusOf(service, ada, id), 200);
});

test('a note that is given a later day while a round is under way stays', async (t) => {
  let moved = 0;
  let token = '';
  let dated = '';
  const retention = {
    now: () => Date.now() + moved,
    everyMs: 20,
    async beforeTaking(id: string) {
      if (id !== dated) return;
      const json = { started_at: new Date().toISOString() };
      await service.call('PATCH', `/recordings/${id}`, { token, json });
    },
  };
  const service = await startService(t, { trial: { retention } });
  token = await service.setUp();
  dated = await note(service, token, 90);
  const last = await note(service, token, 80);
  for (let n = 0; n < 20; n += 1) await note(service, token, 0);
  await service.call('PUT', '/retention', { token, json: { notes_days: 30 } });
  moved = 25 * hour;
  await eventually('the other is gone', async () => (await statusOf(service, token, last)) === 404);
  assert.equal(await statusOf(service, token, dated), 200);
});

test('periods of the server hold for what guest and deleted users left, and administrators let it go', async (t) => {
  const { service, move } = await withClock(t);
  const admin = await service.setUp();
  const ben = await service.addUser('ben');
  const cleo = await service.addUser('cleo');
  const benId = service.accounts.findUser('ben')!.userId;
  const left = await note(service, ben, 60);
  const ofGuest = await note(service, admin, 60);
  const given = { token: admin, json: { owner: 'guest' } };
  assert.equal((await service.call('PATCH', `/recordings/${ofGuest}`, given)).status, 200);
  assert.equal((await service.call('DELETE', '/users/ben', { token: admin })).status, 204);
  const json = { retention: { notes_days: 30, longest: true } };
  assert.equal((await service.call('PUT', '/config', { token: admin, json })).status, 200);
  await get(service, admin, '/retention');
  move(2 * day);
  for (const owner of ['guest', benId]) {
    const path = `?owner=${owner}`;
    const strange = await service.call('GET', `/retention${path}`, { token: cleo });
    assert.equal(strange.status, 403);
    const { waiting } = await get<Shown>(service, admin, `/retention${path}`);
    assert.equal(waiting?.notes, 1);
    const confirm = (token: string) =>
      service.call('POST', `/retention/confirm${path}`, {
        token,
        json: { before: waiting.before },
      });
    assert.equal((await confirm(cleo)).status, 403);
    assert.equal((await confirm(admin)).status, 200);
  }
  await eventually('both are gone', async () =>
    [await statusOf(service, admin, left), await statusOf(service, admin, ofGuest)].every(
      (status) => status === 404,
    ),
  );
});

test('the period of a folder holds for a recording without documents, too', async (t) => {
  const { service, move } = await withClock(t);
  const token = await service.setUp();
  service.engines.hold('transcribe');
  const started_at = new Date(Date.now() - 60 * day).toISOString();
  const { recording_id: id } = (await service.upload(token, { started_at })).body;
  await service.reaches(id, 'transcribing.recognising');
  await service.call('POST', `/recordings/${id}/cancel`, { token });
  await service.reaches(id, 'idle.kept');
  service.engines.release('transcribe');
  for (let n = 0; n < 10; n += 1) await note(service, token, 0);
  const { body: folder } = await service.call<{ id: string }>('POST', '/folders', {
    token,
    json: { name: 'Interviews', retention: { audio_days: 30 } },
  });
  await service.call('PATCH', `/recordings/${id}`, { token, json: { folder: folder.id } });
  const { items } = await get<Preview>(service, token, '/retention/preview?days=2');
  assert.deepEqual(
    items.map((item) => [item.recording_id, item.part, item.rule]),
    [[id, 'audio', 'folder']],
  );
  move(25 * hour);
  await eventually('its audio is gone', async () => {
    const { removed } = await get<Log>(service, token, '/retention/log');
    return removed.some(({ part }) => part === 'audio');
  });
});

test('what becomes a note behind its period is given a day, in which the preview names it', async (t) => {
  const clock = movedDate(t);
  const service = await startService(t, { trial: { retention: { everyMs: 20 } } });
  let token = await service.setUp();
  await service.call('PUT', '/retention', { token, json: { notes_days: 30 } });
  const id = await service.settled(token, { kind: 'meeting' });
  clock.move(31 * day);
  token = await service.login('ada');
  for (let n = 0; n < 10; n += 1) await note(service, token, 0);
  await service.named(token, id);
  const { items } = await get<Preview>(service, token, '/retention/preview?days=2');
  assert.deepEqual(
    items.map((one) => one.recording_id),
    [id],
  );
  assert.ok(Date.parse(items[0]?.at ?? '') - Date.now() > 23 * hour);
  clock.move(25 * hour);
  await eventually('it is gone', async () => (await statusOf(service, token, id)) === 404);
});

test('where recordings lie on a disk of their own, it begins beside folders that no fact speaks of', async (t) => {
  const [dataDir, disk] = [await tempDir(t), await mkdtemp('/dev/shm/mitschrift-')];
  t.after(() => rm(disk, { recursive: true }));
  await symlink(disk, join(dataDir, 'recordings'));
  const unknown = '01JD8Y7QK3W6H5V4N2M1R0P9ZX';
  for (const name of ['lost+found', unknown]) await mkdir(join(disk, name));
  await writeFile(join(disk, unknown, 'audio.wav'), 'sound');
  const { service, move } = await withClock(t, { dataDir });
  const [aside = '', ...others] = await readdir(join(dataDir, 'quarantine'));
  assert.deepEqual([aside.slice(0, 26), others], [unknown, []]);
  assert.deepEqual(await readdir(join(dataDir, 'quarantine', aside)), ['audio.wav']);
  const token = await service.setUp();
  const old = await note(service, token, 40);
  assert.deepEqual((await readdir(disk)).toSorted(), [old, 'lost+found']);
  await service.call('PUT', '/retention', { token, json: { notes_days: 30 } });
  move(25 * hour);
  const { waiting } = await get<Shown>(service, token, '/retention');
  await service.call('POST', '/retention/confirm', { token, json: { before: waiting?.before } });
  await eventually('it is gone', async () => (await statusOf(service, token, old)) === 404);
});

/** Time in this process, until the test ends; it goes on by itself. */
function movedDate(t: TestContext) {
  const Real = Date;
  let moved = 0;
  class Moved extends Real {
    constructor(...given: [] | [string | number]) {
      if (given.length === 0) super(Moved.now());
      else super(given[0]);
    }
    static override now = () => Real.now() + moved;
  }
  globalThis.Date = Moved as DateConstructor;
  t.after(() => (globalThis.Date = Real));
  return { move: (ms: number) => (moved += ms) };
}
