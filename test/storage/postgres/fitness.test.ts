import assert from 'node:assert/strict';
import { type TestContext, after, it } from 'node:test';
import pg from 'pg';
import { type AddressInfo, connect, createServer } from 'node:net';
import { openPostgresLog } from '../../../src/storage/postgres/postgres-log.ts';
import { memoryKeys } from '../../support/memory-store.ts';
import { plainFact } from '../../support/sample-facts.ts';
import { rejects } from '../../events/store-contract.ts';
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
    ['unreachable', /doesn’t respond \(ECONNREFUSED\)/, url((to) => (to.port = '1')), asIs],
    ['unreachable', /\/nothing doesn’t exist/, url((to) => (to.pathname = 'nothing')), asIs],
    ['refused', /rejects user or password/, url((to) => (to.username = 'nobody')), asIs],
    [
      'no-rights',
      /may not create tables/,
      url((to) => ([to.username, to.pathname] = ['guest', 'fresh'])),
      asIs,
    ],
    ['not-utf8', /encoded as SQL_ASCII/, url((to) => (to.pathname = 'ascii')), asIs],
    ['pooler', /pooler in transaction mode/, url((to) => (to.port = String(port))), asIs],
    ['malformed', /can’t be read/, 'postgres://user:geheim@host:port/x', asIs],
    ['schema-newer', /newer version .*\(99, not \d+\)/, cluster.url, () => schema(99)],
    ['schema-other', /unreleased state/, cluster.url, () => schema(0)],
    [
      'schema-other',
      /unreleased state/,
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

it('refuses the node that does not fit, and those that do share what they have', async (t) => {
  const small = await postgresCluster(t, { connections: 22 });
  const open = async (keepsAll: boolean, connectionsMax = 6) => {
    const db = await openPostgres({ url: small.url, keepsAll, connectionsMax });
    t.after(() => db.close());
    return db;
  };
  const fits = await open(true);
  const alsoFits = await open(true);
  await assert.rejects(open(true), {
    code: 'connections',
    message: /allows 22, 14 are in use, and a node needs 9\. Raise max_connections/,
  });
  const command = await open(false);
  await command.ask({ text: 'select 1' });
  // What others take since is not missing where it is kept; the command has one, and its questions wait for that.
  const taken = await takeAll(t, small.url);
  assert.ok(taken > 0);
  const sleep = { text: 'select pg_sleep(0.02)' };
  const questions = [fits, alsoFits, command].flatMap((db) =>
    Array.from({ length: 12 }, () => db.ask(sleep)),
  );
  await Promise.all(questions);
  await assert.rejects(open(false), {
    code: 'connections',
    message: /has too few free connections\. Raise/,
  });
});

it('waits for a server that is starting', async (t) => {
  let refused = 0;
  const server = createServer((client) => {
    client.on('error', () => {});
    if (refused < 3) {
      refused += 1;
      client.once('data', () => client.end(startingUp));
      return;
    }
    const { hostname, port } = new URL(cluster.url);
    const to = connect(Number(port), hostname);
    to.on('error', () => {});
    to.on('close', () => client.destroy());
    client.on('close', () => to.destroy());
    client.pipe(to).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const url = new URL(cluster.url);
  url.port = String((server.address() as AddressInfo).port);
  await ask(cluster.url, 'create database starting');
  url.pathname = 'starting';
  const db = await openPostgres({ url: url.href });
  t.after(() => db.close());
  assert.equal(refused, 3);
});

/** `ErrorResponse`: 57P03, the database system is starting up. */
const startingUp = (() => {
  const fields = Buffer.from('SFATAL\0VFATAL\0C57P03\0Mthe database system is starting up\0\0');
  const head = Buffer.alloc(5, 'E');
  head.writeUInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
})();

it('says that rights were taken away, and goes on when they are granted again', async (t) => {
  await ask(cluster.url, 'create role node login');
  await ask(cluster.url, 'create database ours owner node');
  const [owners, nodes] = [new URL(cluster.url), new URL(cluster.url)];
  owners.pathname = 'ours';
  [nodes.pathname, nodes.username] = ['ours', 'node'];
  const db = await openPostgres({ url: nodes.href });
  t.after(() => db.close());
  const log = openPostgresLog({ db, keys: memoryKeys() });
  t.after(() => log.close());
  await log.append('recording-1', [plainFact('1')], 0);
  await ask(owners.href, 'revoke insert on mitschrift.facts from node');
  const refused = await rejects(log.append('recording-1', [plainFact('2')], 1), 'BUSY');
  assert.match(
    refused.message,
    /^In the database .*, the user of this node no longer has the rights it needs\. Make /,
  );
  assert.equal(log.health().state, 'recovering');
  await ask(owners.href, 'grant insert on mitschrift.facts to node');
  await log.append('recording-1', [plainFact('2')], 1);
  assert.equal(log.health().state, 'ok');
});

/** All that the server has left. */
async function takeAll(t: TestContext, url: string): Promise<number> {
  for (let taken = 0; ; taken += 1) {
    const client = new pg.Client(url);
    client.on('error', () => {});
    const isTaken = await client.connect().then(
      () => true,
      (error: Error & { code?: string }) => assert.equal(error.code, '53300') ?? false,
    );
    if (!isTaken) return taken;
    t.after(() => client.end());
  }
}
