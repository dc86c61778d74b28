import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect, withAda } from '../support/http-client.ts';

/** With everybody listening a fact costs reads for those with whom its recording is shared alone. */
test('what is said in a note of a folder is looked up for those with whom it is shared, however many listen', async (t) => {
  const { service, token: ada } = await withAda(t);
  const names = Array.from({ length: 12 }, (_, at) => `user${at}`);
  const tokens = [];
  for (const name of names) tokens.push(await service.addUser(name));
  const { body: folder } = await service.call<{ id: string }>('POST', '/folders', {
    token: ada,
    json: { name: 'Interviews' },
  });
  const path = `/recordings/${await service.settled(ada)}`;
  const file = await service.call('PATCH', path, { token: ada, json: { folder: folder.id } });
  assert.equal(file.status, 200);
  const mine = connect(service.url, ada);
  t.after(mine.close);
  for (const token of tokens) {
    const listener = connect(service.url, token);
    t.after(listener.close);
    await listener.until(({ type }) => type === 'status');
  }
  const { storage } = service.services;
  let reads = 0;
  const count = (name: 'get' | 'getMany') => {
    const read = storage[name].bind(storage) as (projection: string, ...rest: unknown[]) => unknown;
    t.mock.method(storage, name, (projection: string, ...rest: unknown[]) => {
      if (projection === 'access') reads += 1;
      return read(projection, ...rest);
    });
  };
  count('get');
  count('getMany');
  const json = { title: 'Another' };
  assert.equal((await service.call('PATCH', path, { token: ada, json })).status, 200);
  await mine.until(({ type, event }) => type === 'transition' && event === 'title.changed');
  assert.ok(reads < names.length, `${reads} reads for a folder that nobody shares`);
});
