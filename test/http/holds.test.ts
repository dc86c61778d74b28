import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ProblemAnswer, type TestService, withAda } from '../support/http-client.ts';

type Held = { hold: { until: string | null; by: string | null; reason: string | null } | null };
type OnHold = ProblemAnswer & { by: string | null; until: string | null };

const note = (service: TestService, token: string) => service.settled(token, { kind: 'solo' });
const held = async (service: TestService, token: string, id: string) =>
  (await service.call<Held>('GET', `/recordings/${id}`, { token })).body.hold;
const protect = async (service: TestService, token: string, id: string, hold: object | null) =>
  await service.call<Held>('PATCH', `/recordings/${id}`, { token, json: { hold } });

test('what is protected from deletion cannot be erased, alone or with others, until that is lifted', async (t) => {
  const { service, token } = await withAda(t);
  const [one, other] = [await note(service, token), await note(service, token)];
  const until = '2099-03-01T23:00:00Z';
  const placed = await protect(service, token, one, { until, reason: 'Radio wants it' });
  assert.equal(placed.status, 200);
  assert.deepEqual(placed.body.hold, { until, by: 'ada', reason: 'Radio wants it' });
  assert.deepEqual(await held(service, token, one), placed.body.hold);
  type Page = { transcripts: (Held & { recording_id: string; filename: string })[] };
  const { transcripts } = (await service.call<Page>('GET', '/transcripts', { token })).body;
  const row = transcripts.find(({ recording_id: id }) => id === one);
  assert.equal(row?.hold?.until, until);

  const refused = await service.call<OnHold>('DELETE', `/recordings/${one}`, { token });
  assert.equal(refused.status, 409);
  assert.deepEqual(
    [refused.body.type, refused.body.by, refused.body.until],
    ['/problems/on-hold', 'ada', until],
  );
  const path = `/transcripts/${encodeURIComponent(row?.filename ?? '')}`;
  assert.equal((await service.call('DELETE', path, { token })).status, 409);
  type Bulk = { erased: number; refused: { recording_id: string; type: string }[] };
  const bulk = await service.call<Bulk>('POST', '/recordings/bulk/erase', {
    token,
    json: { recording_ids: [one, other], count: 2 },
  });
  assert.equal(bulk.body.erased, 1);
  assert.deepEqual(
    bulk.body.refused.map(({ recording_id, type }) => [recording_id, type]),
    [[one, '/problems/on-hold']],
  );

  // Over, then placed without an end, then lifted.
  assert.equal(
    (await protect(service, token, one, { until: '2020-01-01T00:00:00Z' })).body.hold,
    null,
  );
  assert.deepEqual((await protect(service, token, one, {})).body.hold, {
    until: null,
    by: 'ada',
    reason: null,
  });
  assert.equal((await service.call('DELETE', `/recordings/${one}`, { token })).status, 409);
  assert.equal((await protect(service, token, one, null)).body.hold, null);
  assert.equal((await service.call('DELETE', `/recordings/${one}`, { token })).status, 204);
});

test('an administrator protects the note of somebody else, without a word of it, and lifts that', async (t) => {
  const { service, token: admin } = await withAda(t);
  const anna = await service.addUser('anna');
  const id = await note(service, anna);
  const answer = await protect(service, admin, id, {});
  assert.equal(answer.status, 200);
  assert.equal((answer.body as Held & { title: string | null }).title, null);
  assert.equal((await held(service, anna, id))?.by, 'ada');
  assert.equal((await service.call('DELETE', `/recordings/${id}`, { token: anna })).status, 409);
  const both = { hold: null, title: 'Mine' };
  const more = await service.call('PATCH', `/recordings/${id}`, { token: admin, json: both });
  assert.equal(more.status, 404);

  assert.equal((await protect(service, admin, id, null)).body.hold, null);
  assert.equal((await service.call('DELETE', `/recordings/${id}`, { token: anna })).status, 204);
});

test('an administrator protects a note also when it is shared with them', async (t) => {
  const { service, token: admin } = await withAda(t);
  const anna = await service.addUser('anna');
  const id = await note(service, anna);
  const share = { token: anna, json: { user: 'ada' } };
  assert.equal((await service.call('PUT', `/recordings/${id}/access`, share)).status, 200);
  assert.equal((await protect(service, admin, id, {})).status, 200);
  assert.equal((await held(service, anna, id))?.by, 'ada');
  const both = { hold: null, title: 'Mine' };
  const more = await service.call('PATCH', `/recordings/${id}`, { token: admin, json: both });
  assert.equal(more.status, 403);
  assert.equal((await protect(service, admin, id, null)).status, 200);
  assert.equal(await held(service, anna, id), null);
});
