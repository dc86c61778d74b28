import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { openPostgres } from '../../../src/storage/postgres/connection.ts';
import type { DatabaseUnfitCode } from '../../../src/storage/postgres/fitness.ts';
import { ask, openedDatabase, postgresCluster } from '../../support/postgres.ts';
import { transactionPooler } from '../../support/transaction-pooler.ts';

const cluster = await postgresCluster({ after });

it('makes its tables once, whichever node comes first', async (t) => {
  const reports: string[] = [];
  const report = (message: string): void => void reports.push(message);
  const opened = [1, 2, 3].map(() => openedDatabase(t, cluster.url, report));
  const ids = (await Promise.all(opened)).map(({ logId }) => logId);
  assert.equal(new Set(ids).size, 1);
  assert.match(reports[0]!, /runs with fsync off/);
});

it('says what is wrong with a database in a sentence, without the password', async (t) => {
  const url = (change: (url: URL) => void): string => {
    const changed = new URL(cluster.url);
    changed.password = 'geheim';
    change(changed);
    return changed.href;
  };
  await ask(cluster.url, 'create role guest login');
  await ask(cluster.url, 'create database fresh');
  await ask(
    cluster.url,
    "create database ascii template template0 encoding 'SQL_ASCII' locale 'C'",
  );
  const port = await transactionPooler(t, new URL(cluster.url));
  const schema = (version: number) =>
    ask(cluster.url, `update mitschrift.log set schema = ${version}`);
  const asIs = async () => {};
  const unfit: [DatabaseUnfitCode, RegExp, string, () => Promise<unknown>][] = [
    ['unreachable', /does not answer \(ECONNREFUSED\)/, url((to) => (to.port = '1')), asIs],
    ['unreachable', /no database nothing at 127/, url((to) => (to.pathname = 'nothing')), asIs],
    ['refused', /refuses the user/, url((to) => (to.username = 'nobody')), asIs],
    [
      'no-rights',
      /may not make tables/,
      url((to) => ([to.username, to.pathname] = ['guest', 'fresh'])),
      asIs,
    ],
    ['not-utf8', /encoded as SQL_ASCII/, url((to) => (to.pathname = 'ascii')), asIs],
    ['pooler', /pooler in transaction mode/, url((to) => (to.port = String(port))), asIs],
    ['malformed', /cannot be read/, 'postgres://user:geheim@host:port/x', asIs],
    ['schema-newer', /newer release .*\(2, not 1\)/, cluster.url, () => schema(2)],
    ['schema-older', /older release .*\(0, not 1\)/, cluster.url, () => schema(0)],
    [
      'schema-other',
      /another state .* before its release/,
      cluster.url,
      async () => {
        await schema(1);
        // As an earlier commit made them.
        const older = 'drop table mitschrift.tickets; alter table mitschrift.log drop made_by';
        await ask(cluster.url, older);
      },
    ],
  ];
  for (const [code, message, to, prepare] of unfit) {
    await prepare();
    const error = await openPostgres({ url: to }).then(
      () => assert.fail(`${code} was not noticed`),
      (thrown: Error & { code: string }) => thrown,
    );
    assert.equal(error.code, code, error.stack);
    assert.match(error.message, message);
    assert.doesNotMatch(error.message, /geheim|guest|nobody/);
  }
});
