import assert from 'node:assert/strict';
import { test } from 'node:test';
import { usersStream } from '../../events/facts/catalogue.ts';
import { type ProblemAnswer, startService, withAda } from '../support/http-client.ts';

type Group = { id: string; name: string; claim: string | null; members: string[] };
type Directory = {
  users: { id: string; name: string }[];
  groups: { id: string; name: string; members: number }[];
};

test('administrators make groups and choose members; everybody sees whom to share with', async (t) => {
  const { service, token } = await withAda(t);
  const ben = await service.addUser('ben');
  await service.addUser('cleo');
  const asked = async <T>(method: string, path: string, json?: object, as = token) =>
    await service.call<T>(method, path, { token: as, ...(json && { json }) });
  const made = await asked<Group>('POST', '/groups', { name: ' Reading \n room ' });
  assert.deepEqual(
    [made.status, made.body.name, made.body.claim, made.body.members],
    [201, 'Reading room', null, []],
  );
  const { id } = made.body;
  const again = await asked<ProblemAnswer>('POST', '/groups', { name: 'READING room' });
  assert.deepEqual([again.status, again.body.type], [409, '/problems/name-taken']);
  assert.equal((await asked('POST', '/groups', { name: 'Mine' }, ben)).status, 403);
  assert.equal((await asked('GET', '/groups', undefined, ben)).status, 403);

  for (const name of ['cleo', 'BEN', 'ben']) await asked('PUT', `/groups/${id}/members/${name}`);
  assert.equal((await asked('PUT', `/groups/${id}/members/nobody`)).status, 404);
  const listed = await asked<{ groups: Group[] }>('GET', '/groups');
  assert.deepEqual(listed.body.groups, [{ ...made.body, members: ['ben', 'cleo'] }]);
  const renamed = await asked<Group>('PATCH', `/groups/${id}`, { name: 'Readers', claim: 'r:1' });
  assert.deepEqual([renamed.body.name, renamed.body.claim], ['Readers', 'r:1']);

  const directory = async (as: string) =>
    (await asked<Directory>('GET', '/directory', undefined, as)).body;
  const seen = await directory(ben);
  assert.deepEqual(
    [seen.users.map(({ name }) => name), seen.groups],
    [['ada', 'cleo'], [{ id, name: 'Readers', members: 2 }]],
  );
  await asked('PUT', '/config', { sharing: { directory: false } });
  assert.deepEqual(await directory(token), { users: [], groups: [] }, 'in no group');
  assert.deepEqual((await directory(ben)).groups.length, 1);
  await asked('DELETE', `/groups/${id}/members/cleo`);
  await asked('DELETE', '/users/ben');
  assert.deepEqual(
    (await asked<{ groups: Group[] }>('GET', '/groups')).body.groups[0]?.members,
    [],
  );
  assert.equal((await asked('DELETE', `/groups/${id}`)).status, 204);
  assert.equal((await asked('DELETE', `/groups/${id}`)).status, 404);
  for await (const fact of service.store.read(usersStream)) {
    if (fact.type === 'group.created') assert.equal(fact.erased, true);
  }
});

test('a group whose key a crash left is called by no name any more after the next start', async (t) => {
  const { service, token } = await withAda(t);
  const again = {
    token,
    json: { name: 'Readers' },
    headers: { 'Idempotency-Key': 'a-group' },
  };
  const kept = (await service.call<Group>('POST', '/groups', again)).body;
  const { body } = await service.call<Group>('POST', '/groups', { token, json: { name: 'Choir' } });
  await service.store.append(
    usersStream,
    [
      {
        type: 'group.deleted',
        data: { group_id: body.id },
        by: 'system',
        command: 'as it crashed',
      },
    ],
    3,
  );
  await service.close();
  const later = await startService(t, { dataDir: service.dataDir });
  assert.deepEqual((await later.call('POST', '/groups', again)).body, kept, 'repeated');
  assert.deepEqual((await later.call('GET', '/groups', { token })).body, { groups: [kept] });
  for await (const fact of later.store.read(usersStream)) {
    if (fact.type === 'group.created')
      assert.equal(fact.erased ?? false, fact.data.group_id === body.id);
  }
});
