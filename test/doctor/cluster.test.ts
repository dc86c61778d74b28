import assert from 'node:assert/strict';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { served } from '../../projections/served.ts';
import { checksAlone } from '../../src/cli/doctor-alone.ts';
import { hostFrom } from '../../src/shared/data-directory.ts';
import { joinCluster } from '../../src/storage/cluster-member.ts';
import { type CheckAnswer, checkIn, lookAtAll } from '../../src/doctor/check.ts';
import { clusterLooks } from '../../src/doctor/cluster-checks.ts';
import type { ClusterSettings, NodeRole } from '../../src/shared/cluster-settings.ts';
import { openBlobs } from '../../src/storage/blobs/open-blobs.ts';
import { generationOf } from '../../src/storage/postgres/generation.ts';
import { postgresOwnership } from '../../src/storage/postgres/ownership.ts';
import { ask, openedDatabase, postgresCluster } from '../support/postgres.ts';
import { eventually } from '../support/eventually.ts';
import { s3Server } from '../support/s3-server.ts';
import { tempDir } from '../support/temp-dir.ts';
import type { Language } from '../../src/words/params.ts';
import { transactionPooler } from '../support/transaction-pooler.ts';

const postgres = await postgresCluster({ after });
const log = { warn() {} };
const { signal } = new AbortController();

test('a store that nodes do not share, clocks apart, rows that nothing keeps, nodes that died or are of another release', async (t) => {
  const [here, there] = [await tempDir(t), await tempDir(t)];
  const one = await node(t, here, 'work');
  // As a directory that was copied, and is mounted at one of them only.
  await cp(join(here, 'log.json'), join(there, 'log.json'));
  const other = await node(t, there, 'serve');
  const settings = settingsOf(here, 'all');
  await eventually('both are written down', async () => (await one.member.nodes()).length === 2);

  const now = Date.now.bind(Date);
  const hour = t.mock.method(Date, 'now', () => now() + 3_600_000);
  const ahead = (await look({ cluster: settings, behind: null }, ['database-clock'])).get(
    'database-clock',
  )!;
  hour.mock.restore();
  assert.equal(ahead.status, 'limited');
  assert.match(
    ahead.detail,
    /^This computer’s clock is 3,600(\.\d)? seconds ahead of the database’s/,
  );
  const checks = await look({ cluster: settings, behind: null });
  const files = checks.get('files')!;
  assert.equal(files.status, 'missing');
  assert.match(files.detail, /^These nodes don’t use \S+: \S+ \d+ \(serve\)\.$/);
  assert.match(files.remedy!.text, /^Mount the same directory/);
  assert.equal(checks.get('database')!.status, 'ok', checks.get('database')!.detail);
  assert.equal(checks.get('database-clock')!.status, 'ok');
  assert.equal(checks.get('projector')!.status, 'missing');
  assert.equal(checks.get('nodes')!.status, 'ok', checks.get('nodes')!.detail);

  const { projector } = generationOf(served);
  await one.ownership.claim(projector, signal);
  const sql = `update mitschrift.nodes set about = jsonb_set(about, '{version}', '"0.0.9"') where id = '${other.member.self.id}'`;
  await ask(postgres.url, sql);
  const behind = await look({ cluster: settings, behind: async () => 3 });
  assert.equal(behind.get('projector')!.status, 'limited');
  assert.match(behind.get('projector')!.detail, /^The lists are 3 events behind; \S+ \d+/);
  assert.equal(behind.get('nodes')!.status, 'limited');
  assert.match(behind.get('nodes')!.detail, /: 0\.0\.9/);

  // Who knows the whole of it may go on with the upload: an administrator does not.
  const upload = '0123456789abcdef0123456789abcdef';
  await one.ownership.claim(`upload:${upload}`, signal);
  await eventually('it is written down', async () => {
    const [working] = await one.member.nodes();
    return working!.holds.map(({ name }) => name).join() === `${projector},upload:01234567…`;
  });
  const written = JSON.stringify(await ask(postgres.url, 'select * from mitschrift.nodes'));
  assert.ok(!written.includes(upload));

  await one.ownership.close();
  const lost = (await look({ cluster: settings, behind: null })).get('nodes')!;
  assert.equal(lost.status, 'missing', 'only one that serves is left');
  await other.member.leave();
  const [row] = await other.member.nodes();
  assert.deepEqual([row!.role, row!.there, row!.holds], ['work', false, []]);
});

test('without a service, a bucket is not said to be empty', async (t) => {
  const { url } = await s3Server(t, { keepsConditions: true });
  const host = hostFrom({
    MITSCHRIFT_DATA: await tempDir(t),
    MITSCHRIFT_DATABASE_URL: postgres.url,
    MITSCHRIFT_BLOBS_URL: url(),
    MITSCHRIFT_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  });
  const ids = (await checksAlone(host)).map(({ id }) => id);
  assert.ok(ids.includes('database') && !ids.includes('space'), ids.join());
});

test('a database that is away, behind a pooler, or has no tables: said in each language, and nothing is made there', async (t) => {
  const dir = await tempDir(t);
  await ask(postgres.url, 'create database nothing');
  const port = await transactionPooler(t, new URL(postgres.url));
  const through = (change: (url: URL) => void): string => {
    const url = new URL(postgres.url);
    change(url);
    return url.href;
  };
  const urls: [url: string, code: string, english: RegExp, german: RegExp, todo: RegExp][] = [
    [
      through((url) => (url.port = '9')),
      'database-silent',
      /^The database postgres:\/\/127\.0\.0\.1:9\/\w+ doesn’t respond \(ECONNREFUSED\)\.$/,
      /^Die Datenbank postgres:\S+ antwortet nicht \(ECONNREFUSED\)\.$/,
      /^Starten Sie sie, oder prüfen Sie/,
    ],
    [
      through((url) => (url.port = String(port))),
      'database-pooler',
      /^A connection pooler in transaction mode is in front of postgres:/,
      /^Vor postgres:\S+ steht ein Connection Pooler im Transaktionsmodus\.$/,
      /^Verbinden Sie direkt/,
    ],
    [
      through((url) => (url.pathname = '/nothing')),
      'database-empty',
      /\/nothing has no tables of Mitschrift\.$/,
      /\/nothing hat keine Tabellen von Mitschrift\.$/,
      /^Starten Sie einen Knoten/,
    ],
    [
      'postgres://user:geheim@host:port/x',
      'database-url-wrong',
      /^MITSCHRIFT_DATABASE_URL can’t be read\.$/,
      /^MITSCHRIFT_DATABASE_URL ist nicht lesbar\.$/,
      /^Verwenden Sie postgres:/,
    ],
  ];
  for (const [databaseUrl, code, english, german, todo] of urls) {
    const cluster = { ...settingsOf(dir, 'all'), databaseUrl };
    const checks = await lookIn(['en', 'de'], { cluster, behind: null });
    const [database, datenbank] = checks.map((one) => one.get('database')!);
    assert.deepEqual([database!.status, database!.code], ['missing', code]);
    assert.match(database!.detail, english);
    assert.match(datenbank!.detail, german);
    assert.match(datenbank!.remedy!.text, todo);
    for (const id of ['database-clock', 'files', 'projector', 'nodes']) {
      assert.equal(checks[0]!.get(id)!.remedy!.text, 'Fix the database first.');
    }
  }
  const schemas = await ask(urls[2]![0], "select 1 from pg_namespace where nspname = 'mitschrift'");
  assert.deepEqual(schemas, []);
});

test('a store of files that cannot be used is said in each language, with what to do', async (t) => {
  const directory = (name: string) => join(root, name);
  const root = await tempDir(t);
  const { logId } = await openedDatabase(t, postgres.url);
  await mkdir(directory('empty'));
  await mkdir(directory('foreign'));
  await writeFile(join(directory('foreign'), 'log.json'), '{}');
  await mkdir(directory('other'));
  await writeFile(join(directory('other'), 'log.json'), '{"format":1,"log":"another"}');
  const bucket = await s3Server(t, { keepsConditions: true });
  bucket.behave('busy');
  const stores: [url: string, code: string, english: string, german: string, todo: RegExp][] = [
    [
      pathToFileURL(directory('empty')).href,
      'files-unknown-place',
      `No node has used ${directory('empty')} for this data so far.`,
      `Bisher hat kein Knoten ${directory('empty')} für diese Daten verwendet.`,
      /^Prüfen Sie, ob es eingehängt ist/,
    ],
    [
      pathToFileURL(directory('foreign')).href,
      'files-foreign',
      `${directory('foreign')} contains a file that isn’t Mitschrift’s: log.json.`,
      `${directory('foreign')} enthält eine Datei, die nicht von Mitschrift ist: log.json.`,
      /^Verwenden Sie ein anderes Verzeichnis/,
    ],
    [
      pathToFileURL(directory('other')).href,
      'files-of-other-log',
      `${directory('other')} has the files of another event log (another, not ${logId}). Nothing was changed.`,
      `${directory('other')} enthält die Dateien eines anderen Ereignislogs (another, nicht ${logId}). Es wurde nichts geändert.`,
      /^Verwenden Sie ein anderes Verzeichnis/,
    ],
    [
      bucket.url(),
      'files-unusable',
      `${shownBucket(bucket.url())} can’t be used at the moment: it responds with HTTP 503.`,
      `${shownBucket(bucket.url())} ist derzeit nicht verwendbar: Die Antwort ist HTTP 503.`,
      /^Prüfen Sie den Speicher und MITSCHRIFT_BLOBS_URL\.$/,
    ],
    [
      's3://notes/a%20b',
      'blobs-url-wrong',
      'MITSCHRIFT_BLOBS_URL can’t be read: a prefix consists of letters, digits, . _ - and /.',
      'MITSCHRIFT_BLOBS_URL ist nicht lesbar: Ein Präfix besteht aus Buchstaben, Ziffern, . _ - und /.',
      /^Verwenden Sie file:/,
    ],
  ];
  for (const [blobsUrl, code, english, german, todo] of stores) {
    const cluster = { ...settingsOf(root, 'all'), blobsUrl };
    const checks = await lookIn(['en', 'de'], { cluster, behind: null }, ['files']);
    const [files, dateien] = checks.map((one) => one.get('files')!);
    assert.deepEqual([files!.status, files!.code], ['missing', code]);
    assert.deepEqual([files!.detail, dateien!.detail], [english, german]);
    assert.match(dateien!.remedy!.text, todo);
  }
});

/** A bucket as the setting names it, without its region. */
function shownBucket(url: string): string {
  const { host, pathname, searchParams } = new URL(url);
  return `s3://${host}${pathname.replace(/\/$/, '')}?endpoint=${searchParams.get('endpoint')}`;
}

/** @param ids of the checks wanted; all unless given */
async function look(
  parts: Parameters<typeof clusterLooks>[0],
  ids?: readonly string[],
): Promise<Map<string, CheckAnswer>> {
  const [checks] = await lookIn(['en'], parts, ids);
  return checks!;
}

/** The same findings in several languages. */
async function lookIn(
  languages: readonly Language[],
  parts: Parameters<typeof clusterLooks>[0],
  ids?: readonly string[],
): Promise<Map<string, CheckAnswer>[]> {
  const looks = clusterLooks(parts).filter(({ id }) => ids?.includes(id) ?? true);
  const checks = await lookAtAll(looks, log);
  return languages.map(
    (language) => new Map(checks.map((check) => [check.id, checkIn(language, check)])),
  );
}

/** Of a service that is one of a cluster only what others see. */
async function node(t: TestContext, directory: string, role: NodeRole) {
  const cluster = settingsOf(directory, role);
  const db = await openedDatabase(t, postgres.url);
  const ownership = postgresOwnership(db, { leaseMs: 60_000 });
  t.after(() => ownership.close());
  const { logId } = db;
  const blobs = await openBlobs(cluster.blobsUrl, { logId, ownership });
  const member = await joinCluster({ cluster, db, ownership, blobs, log });
  // A service asks for this name as long as it runs.
  await (await ownership.claim('recording:a', signal))?.release();
  return { member, ownership };
}

const settingsOf = (directory: string, role: NodeRole): ClusterSettings => ({
  databaseUrl: postgres.url,
  blobsUrl: pathToFileURL(directory).href,
  sharedDirectory: directory,
  role,
  workSlots: 2,
  masterKey: Buffer.alloc(32, 7),
});
