import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { openPostgres } from '../../../src/storage/postgres/connection.ts';
import { within } from '../../support/eventually.ts';
import { postgresCluster } from '../../support/postgres.ts';
import { tcpProxy } from '../../support/tcp-proxy.ts';

const leaseMs = 1_000;
/** Far less than a question may take until it alone shows that nobody answers: 35 s. */
const noticedMs = 10_000;
const cluster = await postgresCluster({ after });

it('a server that is gone without a word is noticed within a lease by all connections, also those that wait', async (t) => {
  const proxy = await tcpProxy(t, cluster.url);
  const url = new URL(cluster.url);
  url.port = new URL(proxy.url).port;
  const db = await openPostgres({ url: url.href, leaseMs });
  t.after(() => db.close());
  await new Promise<void>((opened) => db.channels.listen('test', { heard() {}, opened }));
  const question = { text: 'select 1 as one' };
  await Promise.all([db.ask(question), db.ask(question), db.askApart(question)]);

  proxy.freeze();
  const asked = [db.ask(question), db.ask({ text: 'select pg_sleep(20)' })];
  const apart = db.askApart(question);
  const outcomes = await within('it is noticed', Promise.allSettled(asked), noticedMs);
  for (const outcome of outcomes)
    assert.equal(outcome.status === 'rejected' && outcome.reason.code, 'BUSY');
  const answer = await within('it is noticed apart', apart, noticedMs);
  assert.equal('outcome' in answer && answer.outcome, 'unknown');
  // What is opened from then on goes on.
  assert.deepEqual(await within('it goes on', db.ask(question), noticedMs), [{ one: 1 }]);
  assert.ok('rows' in (await db.askApart(question)));
});
