import assert from 'node:assert/strict';
import { rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { unzip } from '../support/unzip.ts';
import {
  type ProblemAnswer,
  type TestService,
  rawRequest,
  startService,
  withAda,
} from '../support/http-client.ts';

type Page = {
  transcripts: { recording_id: string; documents: Record<string, string> }[];
  next_cursor: string | null;
  previous_cursor: string | null;
};
type Ids = { recording_ids: string[]; all: boolean };
type Erased = {
  erased: number;
  left: string[];
  refused: { recording_id: string; type: string; detail: string }[];
};

/** Notes of successive days, the oldest first. */
async function notes(service: TestService, token: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let day = 1; day <= count; day += 1) {
    const started_at = `2026-03-${String(day).padStart(2, '0')}T10:00:00Z`;
    ids.push(await service.settled(token, { started_at }));
  }
  return ids;
}

test('a page round a note, and the pages above and below it, leave no note out and none twice', async (t) => {
  const { service, token } = await withAda(t);
  const ids = (await notes(service, token, 9)).toReversed();
  const page = async (query: string) =>
    (await service.call<Page>('GET', `/transcripts?limit=3&${query}`, { token })).body;
  const of = ({ transcripts }: Page) => transcripts.map(({ recording_id }) => recording_id);

  const middle = await page(`around=${ids[4]}`);
  assert.deepEqual(of(middle), ids.slice(3, 6));
  const above = await page(`before=${middle.previous_cursor}`);
  assert.deepEqual(of(above), ids.slice(0, 3));
  assert.equal(above.previous_cursor, null, 'it is the first');
  const below = await page(`cursor=${middle.next_cursor}`);
  assert.deepEqual(of(below), ids.slice(6));
  assert.equal(below.next_cursor, null, 'it is the last');
  assert.deepEqual(of(await page(`before=${below.previous_cursor}`)), ids.slice(3, 6));

  const first = await page(`around=${ids[0]}`);
  assert.deepEqual([of(first), first.previous_cursor], [ids.slice(0, 3), null]);
  const last = await page(`around=${ids[8]}`);
  assert.deepEqual([of(last), last.next_cursor], [ids.slice(7), null]);
  assert.deepEqual(of(await page('around=unknown')), ids.slice(0, 3), 'of none: the first page');
  const narrowed = await page(`around=${ids[4]}&to=2026-03-05T10:00:00Z`);
  assert.deepEqual([of(narrowed), narrowed.previous_cursor], [ids.slice(4, 7), null]);

  await service.call('DELETE', `/recordings/${ids[4]}`, { token });
  assert.deepEqual(of(await page(`around=${ids[4]}`)), [ids[3], ids[5], ids[6]]);
  const ben = await service.addUser('ben');
  const theirs = await service.call<Page>('GET', `/transcripts?around=${ids[3]}`, { token: ben });
  assert.deepEqual(theirs.body.transcripts, []);
  const twice = await service.call<ProblemAnswer>('GET', '/transcripts?around=a&before=b', {
    token,
  });
  assert.deepEqual([twice.status, twice.body.errors?.[0]?.code], [422, 'one-place']);
});

test('notes in which somebody speaks are found by page, as names and labels are now', async (t) => {
  const { service, token } = await withAda(t);
  const meetings: string[] = [];
  for (let day = 1; day <= 4; day += 1) {
    const started_at = `2026-03-0${day}T10:00:00Z`;
    const fields = { kind: 'meeting', started_at };
    const id = await service.settled(token, fields);
    const speakers = { SPEAKER_1: day % 2 === 0 ? 'Ada' : 'Änne' };
    await service.named(token, id, speakers);
    meetings.push(id);
  }
  const [first, second, third, fourth] = meetings;
  const by = async (query: string) => {
    const path = `/transcripts?${query}`;
    const { body } = await service.call<Page>('GET', path, { token });
    return { ids: body.transcripts.map(({ recording_id }) => recording_id), ...body };
  };
  const anne = `speaker=${encodeURIComponent('änne'.normalize('NFD'))}`;
  assert.deepEqual((await by(anne)).ids, [third, first]);
  const page = await by(`${anne}&limit=1`);
  assert.deepEqual(page.ids, [third]);
  assert.deepEqual((await by(`${anne}&limit=1&cursor=${page.next_cursor}`)).ids, [first]);
  assert.deepEqual((await by(`${anne}&around=${first}&limit=1`)).ids, [first]);
  assert.deepEqual((await by(`${anne}&kind=solo`)).ids, []);
  assert.deepEqual((await by(`${anne}&to=2026-03-02T00:00:00Z`)).ids, [first]);
  assert.deepEqual((await by('speaker=nobody')).ids, []);

  const renamed = await service.call('PATCH', `/recordings/${second}/speakers`, {
    token,
    json: { speakers: { SPEAKER_1: 'Änne' } },
  });
  assert.equal(renamed.status, 200);
  assert.deepEqual((await by(anne)).ids, [third, second, first]);
  assert.deepEqual((await by('speaker=Ada')).ids, [fourth]);
  await service.call('DELETE', `/recordings/${third}`, { token });
  assert.deepEqual((await by(anne)).ids, [second, first]);

  const ids = async (query: string) =>
    (await service.call<Ids>('GET', `/library/ids${query}`, { token })).body;
  assert.deepEqual(await ids(''), { recording_ids: [fourth, second, first], all: true });
  assert.deepEqual(await ids(`?${anne}`), { recording_ids: [second, first], all: true });
  assert.deepEqual((await ids('?kind=solo')).recording_ids, []);
});

test('several are erased with their number; what is another’s is refused and named', async (t) => {
  const { service, token } = await withAda(t);
  const ben = await service.addUser('ben');
  const [a, b, kept] = await notes(service, token, 3);
  const [theirs] = await notes(service, ben, 1);
  const erase = async (recording_ids: unknown[], count: number, key = 'once') =>
    await service.call<Erased & ProblemAnswer>('POST', '/recordings/bulk/erase', {
      token,
      json: { recording_ids, count },
      headers: { 'Idempotency-Key': key },
    });

  const wrong = await erase([a, b], 3, 'wrong');
  assert.deepEqual([wrong.status, wrong.body.errors?.[0]?.code], [422, 'count-differs']);
  assert.equal((await erase([a, a], 2, 'twice')).body.errors?.[0]?.code, 'recording-named-twice');
  const many = Array.from({ length: 101 }, (_, at) => `r${at}`);
  assert.equal((await erase(many, 101, 'many')).status, 422);
  assert.equal((await erase([], 0, 'none')).status, 422);
  const { body: before } = await service.call<Page>('GET', '/transcripts', { token });
  assert.equal(before.transcripts.length, 3, 'nothing of these was done');

  const done = await erase([a, theirs, b], 3);
  assert.equal(done.status, 200);
  assert.deepEqual(
    [done.body.erased, done.body.refused.map(({ recording_id, type }) => [recording_id, type])],
    [2, [[theirs, '/problems/not-found']]],
  );
  const { body: after } = await service.call<Page>('GET', '/transcripts', { token });
  assert.deepEqual(
    after.transcripts.map(({ recording_id }) => recording_id),
    [kept],
  );
  assert.equal((await service.call('GET', `/recordings/${theirs}`, { token: ben })).status, 200);

  const head = await service.store.head();
  await service.close();
  const again = await startService(t, { dataDir: service.dataDir });
  const repeated = await again.call<Erased>('POST', '/recordings/bulk/erase', {
    token,
    json: { recording_ids: [a, theirs, b], count: 3 },
    headers: { 'Idempotency-Key': 'once' },
  });
  assert.deepEqual(repeated.body, done.body);
  assert.equal(await again.store.head(), head, 'nothing was done twice');
});

test('the documents of several are one zip file, and nothing of another’s is in it', async (t) => {
  const { service, token } = await withAda(t);
  const ben = await service.addUser('ben');
  const ids = await notes(service, token, 3);
  const [theirs] = await notes(service, ben, 1);
  const zip = async (recording_ids: unknown[]) =>
    await rawRequest(service.url, {
      method: 'POST',
      path: '/recordings/bulk/export',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ recording_ids }),
    });
  assert.equal((await zip([ids[0], theirs])).status, 404);
  const { status, headers, bytes } = await zip(ids);
  assert.deepEqual([status, headers['content-type']], [200, 'application/zip']);
  const inside = await unzip(bytes);
  const { body } = await service.call<Page>('GET', '/transcripts', { token });
  assert.deepEqual(
    [...inside.keys()].toSorted(),
    body.transcripts.flatMap(({ documents }) => Object.values(documents)).toSorted(),
  );
  for (const text of inside.values()) assert.notEqual(text, '');

  // With a key, one after the other and both at once: each gets the whole file.
  const keyed = () =>
    rawRequest(service.url, {
      method: 'POST',
      path: '/recordings/bulk/export',
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': 'zip',
      },
      body: JSON.stringify({ recording_ids: ids }),
    });
  for (const again of [await keyed(), await keyed(), ...(await Promise.all([keyed(), keyed()]))]) {
    assert.equal(again.headers['content-type'], 'application/zip');
    assert.deepEqual([...(await unzip(again.bytes)).keys()], [...inside.keys()]);
  }
});

test('a document that is gone is written anew into the zip file of several, and one that cannot be read is named there', async (t) => {
  const { service, token } = await withAda(t);
  const ids = await notes(service, token, 3);
  const { body } = await service.call<Page>('GET', '/transcripts', { token });
  const documentsOf = (id: string | undefined) =>
    body.transcripts.find(({ recording_id }) => recording_id === id)!.documents;
  const space = join(service.dataDir, 'spaces', service.accounts.findUser('ada')!.userId);
  const [gone, linked] = [documentsOf(ids[0])['transcript']!, documentsOf(ids[1])['index']!];
  await rm(join(space, gone));
  await rm(join(space, linked));
  await symlink(join(service.dataDir, 'secret'), join(space, linked));
  await writeFile(join(service.dataDir, 'secret'), 'not for the file');
  const { status, bytes } = await rawRequest(service.url, {
    method: 'POST',
    path: '/recordings/bulk/export',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      'Accept-Language': 'de',
    },
    body: JSON.stringify({ recording_ids: ids }),
  });
  assert.equal(status, 200);
  const inside = await unzip(bytes);
  const all = ids.flatMap((id) => Object.values(documentsOf(id)));
  assert.deepEqual(
    [...inside.keys()].toSorted(),
    ['MISSING.txt', ...all.filter((path) => path !== linked)].toSorted(),
  );
  assert.match(inside.get(gone)!, /This is the secret plan/u);
  const missing = inside.get('MISSING.txt')!;
  assert.ok(missing.includes(`${ids[1]} ${linked}: `), missing);
  assert.match(missing, /nicht lesbar/u);
});
