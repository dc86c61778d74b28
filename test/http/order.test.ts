import assert from 'node:assert/strict';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { recordingById } from '../../projections/recordings.ts';
import { changeRecording } from '../../projections/recording/decide.ts';
import { eventually } from '../support/eventually.ts';
import {
  type ProblemAnswer,
  type TestService,
  startService,
  withAda,
} from '../support/http-client.ts';

type Named = { id: string; name: string; colour?: number; recordings?: number; more?: boolean };
type Folders = { folders: Named[]; none: { recordings: number; more: boolean } };
type Page = { transcripts: { recording_id: string; folder: string | null; tags: string[] }[] };
type Line = { folder: string | null; tags: string[]; version: number };
type Documented = { documents: { index: string; transcript: string; summary: string } };

async function notes(service: TestService, token: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let day = 1; day <= count; day += 1) {
    const started_at = `2026-03-${String(day).padStart(2, '0')}T10:00:00Z`;
    const fields = { started_at, kind: day % 2 === 0 ? 'meeting' : 'solo' };
    const id = await service.settled(token, fields);
    ids.push(id);
    if (day % 2 === 1) continue;
    await service.named(token, id);
  }
  return ids;
}

const made = async (service: TestService, token: string, path: string, json: object) => {
  const { status, body } = await service.call<Named>('POST', path, { token, json });
  assert.equal(status, 201);
  return body.id;
};
const idsOf = async (service: TestService, token: string, query: string) =>
  (await service.call<Page>('GET', `/transcripts?${query}`, { token })).body.transcripts.map(
    ({ recording_id }) => recording_id,
  );

test('notes are put into folders and tagged, found by both, and taken out when these are deleted', async (t) => {
  const { service, token } = await withAda(t);
  const [one = '', two = '', three = '', four = ''] = await notes(service, token, 4);
  const board = await made(service, token, '/folders', { name: '  Library \n board ' });
  const choir = await made(service, token, '/folders', { name: 'Choir' });
  const budget = await made(service, token, '/tags', { name: 'budget', colour: 3 });
  const urgent = await made(service, token, '/tags', { name: 'Eilig' });
  const put = async (id: string, json: object) =>
    (await service.call<Line>('PATCH', `/recordings/${id}`, { token, json })).body;

  const first = await put(one, { folder: board, tags: [budget, urgent] });
  assert.deepEqual([first.folder, first.tags], [board, [budget, urgent]]);
  await put(two, { folder: board, add_tags: [budget] });
  await put(three, { folder: choir, add_tags: [budget, urgent], remove_tags: [urgent] });

  assert.deepEqual(await idsOf(service, token, `folder=${board}`), [two, one]);
  assert.deepEqual(await idsOf(service, token, `tag=${budget}`), [three, two, one]);
  assert.deepEqual(await idsOf(service, token, `tag=${budget},${urgent}`), [one]);
  assert.deepEqual(await idsOf(service, token, `folder=${board}&kind=meeting`), [two]);
  assert.deepEqual(await idsOf(service, token, `folder=none`), [four]);
  assert.deepEqual(await idsOf(service, token, `tag=${budget}&from=2026-03-02T00:00:00Z`), [
    three,
    two,
  ]);
  const folders = (await service.call<Folders>('GET', '/folders', { token })).body;
  assert.deepEqual(
    folders.folders.map(({ name, recordings, more }) => [name, recordings, more]),
    [
      ['Choir', 1, false],
      ['Library board', 2, false],
    ],
  );
  assert.deepEqual(folders.none, { recordings: 1, more: false });

  const renamed = await service.call<Named>('PATCH', `/tags/${urgent}`, {
    token,
    json: { name: 'urgent', colour: 8 },
  });
  assert.deepEqual(renamed.body, { id: urgent, name: 'urgent', colour: 8 });
  assert.equal((await service.call('DELETE', `/folders/${board}`, { token })).status, 204);
  assert.deepEqual(await idsOf(service, token, 'folder=none'), [four, two, one]);
  assert.equal((await service.call('DELETE', `/tags/${budget}`, { token })).status, 204);
  const { body } = await service.call<Line>('GET', `/recordings/${one}`, { token });
  assert.deepEqual([body.folder, body.tags], [null, [urgent]]);
  assert.equal((await service.call('DELETE', `/folders/${board}`, { token })).status, 404);

  await service.close();
  const later = await startService(t, { dataDir: service.dataDir });
  const again = (await later.call<Folders>('GET', '/folders', { token })).body;
  assert.deepEqual(
    again.folders.map(({ name }) => name),
    ['Choir'],
  );
  assert.deepEqual(await idsOf(later, token, `folder=${choir}`), [three]);
});

test('a search, a question’s notes and the list of all recordings are narrowed by folder and tags as the library is', async (t) => {
  const { service, token } = await withAda(t);
  const [one = '', two = '', three = ''] = await notes(service, token, 3);
  const board = await made(service, token, '/folders', { name: 'Library board' });
  const gone = await made(service, token, '/folders', { name: 'Gone' });
  const budget = await made(service, token, '/tags', { name: 'budget' });
  const urgent = await made(service, token, '/tags', { name: 'urgent' });
  type Found = { hits: { recording_id: string }[] };
  const found = async (query: string) =>
    (await service.call<Found>('GET', `/search?q=secret${query}`, { token })).body.hits
      .map(({ recording_id }) => recording_id)
      .toSorted();
  type Listed = { recordings: { recording_id: string }[] };
  const listed = async (query: string) =>
    (await service.call<Listed>('GET', `/recordings?${query}`, { token })).body.recordings
      .map(({ recording_id }) => recording_id)
      .toSorted();
  // The index is there before anything is put into a folder.
  assert.deepEqual(await found(''), [one, two, three]);
  const put = async (id: string, json: object) =>
    await service.call('PATCH', `/recordings/${id}`, { token, json });
  await put(one, { folder: board, tags: [budget, urgent] });
  await put(two, { folder: board, tags: [budget] });
  await put(three, { folder: gone });
  const meant: [query: string, ids: string[]][] = [
    [`folder=${board}`, [one, two]],
    [`folder=${board}&tag=${budget},${urgent}`, [one]],
    [`tag=${budget}`, [one, two]],
    [`folder=${gone}`, [three]],
    ['folder=none', []],
    ['folder=unknown', []],
  ];
  for (const [query, ids] of meant) {
    assert.deepEqual(await found(`&${query}`), ids, query);
    assert.deepEqual(await listed(query), ids, query);
    assert.deepEqual((await idsOf(service, token, query)).toSorted(), ids, query);
  }
  assert.deepEqual(await found(`&folder=${board}&kind=meeting`), [two]);
  await service.call('DELETE', `/folders/${gone}`, { token });
  await put(one, { folder: null });
  // Put there while it was deleted.
  await service.recordingService.decide(
    two,
    { by: 'ada', command: 'late' },
    changeRecording({ folder: gone }),
  );
  await eventually('none is in a folder', async () => (await found('&folder=none')).length === 3);
  assert.deepEqual(await listed('folder=none'), [one, two, three]);
  // What has no documents is in the list of recordings, too, and nowhere else.
  const { body } = await service.call<Documented>('GET', `/recordings/${one}`, { token });
  const path = encodeURIComponent(body.documents.index);
  await eventually(
    'it is not being written again',
    async () => (await service.call('DELETE', `/transcripts/${path}`, { token })).status === 204,
  );
  assert.deepEqual(await listed('folder=none'), [one, two, three]);
  assert.deepEqual(await listed(`tag=${budget}&folder=none&limit=1`), [two]);
  assert.deepEqual((await idsOf(service, token, 'folder=none')).toSorted(), [two, three]);
  assert.equal((await service.call('GET', '/search?q=a&tag=,', { token })).status, 422);
});

/** What the front matter of a note's three documents says of its order. */
async function orderIn(service: TestService, token: string, id: string): Promise<string> {
  const { body } = await service.call<Documented>('GET', `/recordings/${id}`, { token });
  const said = new Set<string>();
  for (const path of Object.values(body.documents)) {
    const url = `/transcripts/${encodeURIComponent(path)}`;
    const markdown = (await service.call<string>('GET', url, { token })).body;
    const [, front = ''] = markdown.split('---\n');
    said.add(
      front
        .slice(front.search(/^(folder|tags):/m))
        .replace(/\s+/g, ' ')
        .trim(),
    );
  }
  // While they are written again, one after the other, they differ.
  return [...said].join(' | ');
}

test('documents say the folder and the tags, one note after the other, also when the service ends meanwhile', async (t) => {
  const { service, token } = await withAda(t);
  const ids = await notes(service, token, 3);
  const says = (at: TestService, id: string, wanted: string) =>
    eventually(`${id} says ${wanted}`, async () => (await orderIn(at, token, id)) === wanted);
  const [one = '', two = ''] = ids;
  assert.equal(await orderIn(service, token, one), 'tags: - mitschrift');
  const board = await made(service, token, '/folders', { name: 'Library "board"' });
  const sales = await made(service, token, '/tags', { name: 'Sales call: Köln' });
  const year = await made(service, token, '/tags', { name: '2026' });
  const changes = ids.map((id) => ({ recording_id: id, folder: board, add_tags: [sales, year] }));
  await service.call('POST', '/recordings/bulk', { token, json: { changes } });
  const left = async (at: TestService) =>
    (await at.call<{ refreshing: number }>('GET', '/status', { token })).body.refreshing;
  const first = await left(service);
  assert.ok(first > 0 && first <= 3, `${first} are left`);
  await service.close();
  const later = await startService(t, { dataDir: service.dataDir });
  const all = 'folder: "Library \\"board\\"" tags: - mitschrift - "_2026" - "Sales-call-Köln"';
  for (const id of ids) await says(later, id, all);
  await eventually('none is left', async () => (await left(later)) === 0);
  // What is the same again is not written again.
  const { version } = (await later.call<Line>('GET', `/recordings/${one}`, { token })).body;
  await later.call('PATCH', `/recordings/${one}`, { token, json: { folder: board } });
  await later.call('PATCH', `/recordings/${two}`, { token, json: { folder: null } });
  await says(later, two, 'tags: - mitschrift - "_2026" - "Sales-call-Köln"');
  const { body } = await later.call<Line>('GET', `/recordings/${one}`, { token });
  assert.equal(body.version, version);
  await later.call('DELETE', `/tags/${year}`, { token });
  await says(later, two, 'tags: - mitschrift - "Sales-call-Köln"');
});

test('what has no documents yet is not waited for when it is put elsewhere: they are written with what holds then', async (t) => {
  const { service, token } = await withAda(t);
  const id = await service.settled(token, { kind: 'meeting' });
  const folder = await made(service, token, '/folders', { name: 'Clients' });
  await service.call('PATCH', `/recordings/${id}`, { token, json: { folder } });
  const { refreshing } = service.services;
  const { owner } = (await recordingById(service.storage, id))!;
  await eventually('nothing is left', async () => (await refreshing.left(owner)) === 0);
  await service.named(token, id);
  assert.match(await orderIn(service, token, id), /Clients/);
});

test('documents that could not be written again are so the next time, and keep no other from it', async (t) => {
  const { service, token } = await withAda(t);
  const [one = '', two = ''] = await notes(service, token, 2);
  const folder = await made(service, token, '/folders', { name: 'Clients' });
  const { owner } = (await recordingById(service.storage, one))!;
  // A file stands where the owner's documents are.
  const path = join(service.dataDir, 'spaces', owner);
  await rename(path, `${path}-away`);
  await writeFile(path, '');
  await service.call('PATCH', `/recordings/${one}`, { token, json: { folder } });
  await service.reaches(one, 'error');
  await rm(path);
  await rename(`${path}-away`, path);
  await service.call('POST', `/recordings/${one}/clear`, { token });
  await service.reaches(one, 'idle.saved');
  await service.call('PATCH', `/recordings/${two}`, { token, json: { folder } });
  for (const id of [one, two])
    await eventually(`${id} says its folder`, async () =>
      /Clients/.test(await orderIn(service, token, id)),
    );
});

test('names are given once, whatever their case; what is another’s or too much is refused by name', async (t) => {
  const { service, token } = await withAda(t);
  const ben = await service.addUser('ben');
  const [id = ''] = await notes(service, token, 1);
  const folder = await made(service, token, '/folders', { name: 'Straße' });
  const taken = await service.call<ProblemAnswer>('POST', '/folders', {
    token,
    json: { name: 'straße' },
  });
  assert.deepEqual([taken.status, taken.body.type], [409, '/problems/name-taken']);
  await made(service, ben, '/folders', { name: 'Straße' });
  const [theirs] = (await service.call<Folders>('GET', '/folders', { token: ben })).body.folders;
  const foreign = await service.call<ProblemAnswer>('PATCH', `/recordings/${id}`, {
    token,
    json: { folder: theirs?.id, title: 'Not taken' },
  });
  assert.deepEqual([foreign.status, foreign.body.errors?.[0]?.path], [422, 'folder']);
  const { title } = (await service.call<{ title: string }>('GET', `/recordings/${id}`, { token }))
    .body;
  assert.notEqual(title, 'Not taken', 'all of it or nothing');
  assert.equal(
    (await service.call('PATCH', `/recordings/${id}`, { token: ben, json: { folder } })).status,
    404,
  );
  assert.equal((await service.call('DELETE', `/folders/${folder}`, { token: ben })).status, 404);
  assert.deepEqual(await idsOf(service, ben, `folder=${folder}`), []);
  const tags: string[] = [];
  for (let n = 0; n < 33; n += 1)
    tags.push(await made(service, token, '/tags', { name: `tag ${n}` }));
  await service.call('PATCH', `/recordings/${id}`, { token, json: { tags: tags.slice(0, 32) } });
  const more = await service.call<ProblemAnswer>('PATCH', `/recordings/${id}`, {
    token,
    json: { add_tags: tags.slice(32) },
  });
  assert.deepEqual([more.status, more.body.errors?.[0]?.code], [422, 'too-many-tags']);
  for (const name of ['', ' \n ', 'x'.repeat(81)]) {
    const { status } = await service.call('POST', '/tags', { token, json: { name } });
    assert.equal(status, 422, JSON.stringify(name));
  }
});

test('several notes are put in order at once, and back; a repetition does nothing twice', async (t) => {
  const { service, token } = await withAda(t);
  const ids = await notes(service, token, 3);
  const folder = await made(service, token, '/folders', { name: 'Clients' });
  const tag = await made(service, token, '/tags', { name: 'sales' });
  type Bulk = {
    changed: {
      recording_id: string;
      before: { folder: string | null; tags: string[]; rule_template: string | null };
    }[];
    refused: { recording_id: string; type: string }[];
  };
  const bulk = async (changes: object[], key: string) =>
    (
      await service.call<Bulk>('POST', '/recordings/bulk', {
        token,
        json: { changes },
        headers: { 'Idempotency-Key': key },
      })
    ).body;
  const wanted = [...ids, 'unknown'].map((recording_id) => ({
    recording_id,
    folder,
    add_tags: [tag],
  }));
  const done = await bulk(wanted, 'k1');
  assert.deepEqual(
    done.changed.map(({ recording_id, before }) => [recording_id, before]),
    ids.map((id) => [id, { folder: null, tags: [], rule_template: null }]),
  );
  assert.deepEqual(
    done.refused.map(({ recording_id }) => recording_id),
    ['unknown'],
  );
  assert.equal((await idsOf(service, token, `folder=${folder}&tag=${tag}`)).length, 3);
  const said = async () => {
    let count = 0;
    for await (const { type } of service.store.readAll())
      if (type === 'recording.filed' || type === 'tags.changed') count += 1;
    return count;
  };
  const before = await said();
  await bulk(wanted, 'k1');
  assert.equal(await said(), before, 'nothing was said twice');
  const undone = done.changed.map(({ recording_id, before: there }) => ({
    recording_id,
    ...there,
  }));
  await bulk(undone, 'k2');
  assert.deepEqual(await idsOf(service, token, `folder=${folder}`), []);
  assert.deepEqual(await idsOf(service, token, `tag=${tag}`), []);
  // After a restart the log alone knows the command, and where each was before it.
  await service.close();
  const later = await startService(t, { dataDir: service.dataDir });
  const { body: again } = await later.call<Bulk>('POST', '/recordings/bulk', {
    token,
    json: { changes: wanted },
    headers: { 'Idempotency-Key': 'k1' },
  });
  assert.deepEqual(again.changed, done.changed);
  assert.deepEqual(await idsOf(later, token, `folder=${folder}`), []);
  const { body: back } = await later.call<Bulk>('POST', '/recordings/bulk', {
    token,
    json: { changes: undone },
    headers: { 'Idempotency-Key': 'k2' },
  });
  assert.deepEqual(
    back.changed.map(({ before: there }) => there),
    ids.map(() => ({ folder, tags: [tag], rule_template: null })),
  );
});

test('what is put into a folder while that is deleted is in none', async (t) => {
  const { service, token } = await withAda(t);
  const [one = '', two = '', three = ''] = await notes(service, token, 3);
  const gone = await made(service, token, '/folders', { name: 'Clients' });
  const kept = await made(service, token, '/folders', { name: 'Choir' });
  await service.call('PATCH', `/recordings/${two}`, { token, json: { folder: kept } });
  assert.equal((await service.call('DELETE', `/folders/${gone}`, { token })).status, 204);
  // As a request would that had looked for the folder just before.
  await service.recordingService.decide(
    one,
    { by: 'ada', command: 'late' },
    changeRecording({ folder: gone }),
  );
  await eventually('no folder has both', async () => {
    const ids = await idsOf(service, token, 'folder=none');
    return ids.length === 2 && ids[0] === three && ids[1] === one;
  });
  const page = await idsOf(service, token, 'folder=none&limit=1');
  assert.deepEqual(page, [three]);
  assert.deepEqual(await idsOf(service, token, `folder=${gone}`), []);
  const { body } = await service.call<Folders>('GET', '/folders', { token });
  assert.deepEqual(body.none, { recordings: 2, more: false });
  const { body: list } = await service.call<Page>('GET', '/transcripts', { token });
  assert.deepEqual(
    list.transcripts.map(({ folder }) => folder),
    [null, kept, null],
  );
  const { body: line } = await service.call<Line>('GET', `/recordings/${one}`, { token });
  assert.equal(line.folder, null);
});

test('who gets a recording of another gets it without folder and tags', async (t) => {
  const { service, token } = await withAda(t);
  const ben = await service.addUser('ben');
  const [id = ''] = await notes(service, token, 1);
  const folder = await made(service, token, '/folders', { name: 'Clients' });
  await service.call('PATCH', `/recordings/${id}`, { token, json: { folder, owner: 'ben' } });
  await service.reaches(id, 'idle.saved');
  assert.deepEqual(await idsOf(service, ben, 'folder=none'), [id]);
  assert.deepEqual(await idsOf(service, token, `folder=${folder}`), []);
});

test('a recording begins in the folder that was chosen for it', async (t) => {
  const { service, token } = await withAda(t);
  const folder = await made(service, token, '/folders', { name: 'Clients' });
  const { recording_id: id } = (await service.upload(token, { folder })).body;
  const facts: { type: string; command: string }[] = [];
  for await (const { type, command } of service.store.read(`recording-${id}`))
    facts.push({ type, command });
  assert.deepEqual(
    facts.slice(0, 2).map(({ type }) => type),
    ['audio.imported', 'recording.filed'],
  );
  assert.equal(facts[0]?.command, facts[1]?.command, 'one append');
  await service.reaches(id, 'idle.saved');
  assert.deepEqual(await idsOf(service, token, `folder=${folder}`), [id]);
  const refused = await service.upload<ProblemAnswer>(token, { folder: 'another' });
  assert.deepEqual([refused.status, refused.body.errors?.[0]?.path], [422, 'folder']);
  const toggled = await service.call<ProblemAnswer>('POST', '/toggle', {
    token,
    json: { action: 'start', folder: 'another' },
  });
  assert.deepEqual([toggled.status, toggled.body.errors?.[0]?.path], [422, 'folder']);
});

test('a folder says of what kind and in which language recordings are that begin in it, unless they say so themselves', async (t) => {
  const { service, token } = await withAda(t);
  type Configured = Named & { kind: string | null; language: string | null };
  const { body: plain } = await service.call<Configured>('POST', '/folders', {
    token,
    json: { name: 'Clients' },
  });
  assert.deepEqual([plain.kind, plain.language], [null, null]);
  const { id: folder } = plain;
  const { body: changed } = await service.call<Configured>('PATCH', `/folders/${folder}`, {
    token,
    json: { kind: 'meeting', language: 'de-AT' },
  });
  const clients = {
    id: folder,
    name: 'Clients',
    kind: 'meeting',
    language: 'de',
    shared: 0,
    template: null,
    retention: null,
  };
  assert.deepEqual(changed, clients);
  const begun = async (fields: Record<string, string>) => {
    const { recording_id: id } = (await service.upload(token, fields)).body;
    for await (const { data } of service.store.read(`recording-${id}`)) {
      const { kind, language } = data as { kind: string; language: string | null };
      return [kind, language];
    }
    return [];
  };
  assert.deepEqual(await begun({ folder, started_at: '2026-03-01T10:00:00Z' }), ['meeting', 'de']);
  assert.deepEqual(await begun({ folder, kind: 'solo', language: 'auto' }), ['solo', null]);
  assert.deepEqual(await begun({}), ['solo', null]);
  // What a sender is mostly used for counts where nothing else says it.
  assert.deepEqual(await begun({ folder, usual_kind: 'solo' }), ['meeting', 'de']);
  assert.deepEqual(await begun({ usual_kind: 'meeting' }), ['meeting', null]);
  await service.call('POST', '/rules', {
    token,
    json: { when: { file_name: '*' }, then: { kind: 'solo' } },
  });
  assert.deepEqual(await begun({ usual_kind: 'meeting' }), ['solo', null]);
  // The same key with less said is the same command.
  const key = { headers: { 'Idempotency-Key': 'k' } };
  const first = await service.upload(token, { folder, kind: 'meeting' }, key);
  const again = await service.upload(token, { folder }, key);
  assert.equal(again.body.recording_id, first.body.recording_id);
  const other = await service.upload<ProblemAnswer>(token, { folder, kind: 'solo' }, key);
  assert.equal(other.status, 409);
  await service.call('PATCH', `/folders/${folder}`, { token, json: { name: 'C', language: null } });
  await service.close();
  const later = await startService(t, { dataDir: service.dataDir });
  const { folders } = (await later.call<{ folders: Configured[] }>('GET', '/folders', { token }))
    .body;
  assert.deepEqual(
    folders.map(({ name, kind, language }) => [name, kind, language]),
    [['C', 'meeting', null]],
  );
});

test('a folder whose making is asked for again after a restart is the same one', async (t) => {
  const { service, token } = await withAda(t);
  const wanted = { token, json: { name: 'Clients' }, headers: { 'Idempotency-Key': 'k' } };
  const first = await service.call<Named>('POST', '/folders', wanted);
  await service.close();
  const later = await startService(t, { dataDir: service.dataDir });
  const again = await later.call<Named>('POST', '/folders', wanted);
  assert.deepEqual([again.status, again.body], [201, first.body]);
  assert.equal((await later.call<Folders>('GET', '/folders', { token })).body.folders.length, 1);
});
