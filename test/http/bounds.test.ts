import assert from 'node:assert/strict';
import { test } from 'node:test';
import { personalStream } from '../../events/facts/personal.ts';
import { timeKey } from '../../projections/list-page.ts';
import { limits } from '../../src/http/limits.ts';
import { eventually } from '../support/eventually.ts';
import { connect, withAda } from '../support/http-client.ts';

test('one page of what others share looks at so many rows at most, and the cursor goes on behind them', async (t) => {
  const { service, token: owner } = await withAda(t);
  const ben = await service.addUser('ben');
  const id = await service.settled(owner);
  await service.call('PUT', `/recordings/${id}/access`, { token: owner, json: { user: 'ben' } });
  // Entries of the list of what Ben may read that he may read no more, newer than the one that he may.
  const { userId } = service.accounts.findUser('ben')!;
  const tooMany = limits.lookedMax * 2 + 100;
  const entries = Array.from({ length: tooMany }, (_, at): [string, number] => [
    `w/u-${userId}/saved/${timeKey(new Date(Date.now() + at * 1000).toISOString(), `GONE${at}`)}`,
    1,
  ]);
  const checkpoint = await service.storage.checkpoint('recordings');
  await service.storage.commit('recordings', checkpoint!, new Map(entries));
  type Page = { transcripts: { recording_id: string }[]; next_cursor: string | null };
  const read = async (query: string) =>
    (await service.call<Page>('GET', `/transcripts?shared=with-me${query}`, { token: ben })).body;
  let [pages, cursor] = [0, ''];
  const found: string[] = [];
  do {
    const page: Page = await read(`&limit=20${cursor && `&cursor=${cursor}`}`);
    found.push(...page.transcripts.map(({ recording_id: one }) => one));
    cursor = page.next_cursor ?? '';
    pages += 1;
    assert.ok(pages < 10, 'it comes to an end');
  } while (cursor !== '');
  assert.deepEqual(found, [id]);
  assert.equal(pages, 3, 'no page looks at more than its share');
});

test('a client that missed more than it may ask for is told so, and reads again', async (t) => {
  const { service, token } = await withAda(t);
  const before = await service.store.head();
  const { store } = service;
  const deleted = { type: 'tag.deleted', data: { tag: 'NONE' } } as const;
  const metadata = { by: 'system', command: 'many' };
  const stream = personalStream('nobody');
  let version = 0;
  const at = async (after: number) => {
    const client = connect(service.url, token, { after });
    await client.until(({ type }) => type === 'position');
    client.socket.close();
    return client.frames;
  };
  for (let left = limits.catchUpFactsMax + 1; left > 0; left -= 1000) {
    const some = Array.from({ length: Math.min(1000, left) }, () => ({ ...deleted, ...metadata }));
    const stored = await store.append(stream, some, version);
    version = stored.at(-1)!.version;
  }
  const head = await store.head();
  await eventually('all are applied', async () => {
    await service.projections.applied('all', head);
    return true;
  });
  const far = await at(before);
  assert.deepEqual(
    far.map((frame) => [frame.type, frame['skipped']]),
    [
      ['status', undefined],
      ['access', undefined],
      ['position', true],
    ],
  );
  const near = await at(head - 10);
  assert.equal(near.at(-1)!['skipped'], undefined);
});
