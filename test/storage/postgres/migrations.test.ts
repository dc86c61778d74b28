import assert from 'node:assert/strict';
import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { sessionRows } from '../../../src/accounts/sessions.ts';
import { pendingJobs } from '../../../src/storage/pending-jobs.ts';
import { openPostgres } from '../../../src/storage/postgres/connection.ts';
import { postgresKept } from '../../../src/storage/postgres/kept.ts';
import { schemaFingerprint, schemaVersion } from '../../../src/storage/postgres/schema.ts';
import { openSealedTexts } from '../../../src/storage/sealed-texts.ts';
import { ask, openedDatabase, postgresCluster } from '../../support/postgres.ts';
import { apiOf, startServiceProcess } from '../../support/service-process.ts';
import { tempDir } from '../../support/temp-dir.ts';

/*
 * `test/fixtures/postgres-v1` is what a node of the release 888c70e left: `pg_dump` of its database, and the files it shares.
 * A user, anna, with a recording that has documents and another title than at first, and one that was erased.
 */
const fixture = join(import.meta.dirname, '../../fixtures/postgres-v1');

/** The SQL of each version. What is not as it is here has no number of its own: databases that are there would lack it. */
const fingerprints: Record<number, string> = {
  2: '6ddef5525ef875e8c36f6e24e291d6aa70c9e810ebcc551007b74621d733518b',
  3: 'ec5c92124b4c5f27b40f005f583c06d38217a6eeac4fa04833dde99012b4494c',
  4: 'a28911d07d9df4c004c79e55e3ec2859e0ddeeb8750f39cb49e7cc23ce95e84b',
  5: 'b6346cb1f2e5e82062d53c4c7a483666141eb5e826ddaa06d8cc5b889ab87a12',
  6: 'f4aca3c0e32e481a2aa1732cc42e115f22ffd8df938aa24c5e576983b52e3f43',
  7: '47a645c0ed5489c06f45ec8acb7503f2a7eb49934eeb6920fee3ef139dc7914d',
};

const cluster = await postgresCluster({ after });

it('has a number for each change of its tables and functions', () => {
  assert.equal(
    schemaFingerprint(),
    fingerprints[schemaVersion],
    'add a migration (it may be empty for functions alone), and its fingerprint here',
  );
});

it('opens tables that 888c70e made, brings them up, and serves what is in them', async (t) => {
  const root = await tempDir(t);
  await cp(join(fixture, 'shared'), join(root, 'shared'), { recursive: true });
  const url = await restored();
  await assert.rejects(openPostgres({ url, makesTables: false }), { code: 'schema-older' });
  const service = await startServiceProcess(join(root, 'node'), {
    MITSCHRIFT_DATABASE_URL: url,
    MITSCHRIFT_BLOBS_URL: pathToFileURL(join(root, 'shared')).href,
    MITSCHRIFT_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    MITSCHRIFT_LOG_LEVEL: 'warn',
  });
  t.after(() => service.end('SIGKILL'));
  const login = { username: 'anna', password: 'correct horse battery' };
  const { token } = await apiOf(service.url).post<{ token: string }>('/login', login);
  const api = apiOf(service.url, token);
  type Listed = { recording_id: string; title: string; documents: { transcript: string } };
  const { recordings } = await api.get<{ recordings: Listed[] }>('/recordings');
  assert.deepEqual(
    recordings.map(({ title }) => title),
    ['Kirschmichel'],
  );
  const { documents } = await api.get<Listed>(`/recordings/${recordings[0]!.recording_id}`);
  const transcript = await api.get<string>(
    `/transcripts/${encodeURIComponent(documents.transcript)}`,
  );
  assert.match(transcript, /Zwetschgenkuchen/);
  const errors = service.logged.filter(
    (line) => (JSON.parse(line) as { level: number }).level >= 50,
  );
  assert.deepEqual(errors, []);
  assert.equal(await service.end('SIGTERM'), 0);
});

it('has the same tables and functions, brought up or new', async (t) => {
  const old = await restored();
  await openedDatabase(t, old);
  await openedDatabase(t, cluster.url);
  assert.deepEqual(await made(old), await made(cluster.url));
});

it('nodes of the release before and of this one see the same sessions, jobs and secrets', async (t) => {
  const url = await restored();
  const [before] = await ask<{ hash: string; user_id: string }>(
    url,
    'select hash, user_id from mitschrift.sessions',
  );
  const db = await openedDatabase(t, url);
  const kept = postgresKept(db, Buffer.alloc(32, 7));
  const sessions = kept.of(sessionRows);
  assert.equal((await sessions.get(before!.hash))?.user_id, before!.user_id);

  // What a node of the release before asks.
  const old = async (text: string, values: unknown[] = []) =>
    await db.ask<Record<string, unknown>>({ text, values });
  const ends = 2 ** 42;
  await old(
    `insert into sessions (hash, user_id, created_at, expires_at) values ($1, $2, $3, $4)
      on conflict (hash) do update set expires_at = excluded.expires_at`,
    ['old', 'anna', 1, ends],
  );
  await old('update sessions set expires_at = $2, seen_at = 5 where hash = $1', ['old', ends + 1]);
  const row = { user_id: 'anna', created_at: 1, expires_at: ends + 1, seen_at: 5 };
  assert.deepEqual(await sessions.get('old'), row);
  const used = { ...row, agent: 'A "phone"\0', users_version: 3 };
  await sessions.change(['old', 'new'], () => ({ keep: [used, used], result: 0 }));
  const seen = { ...used, agent: 'A "phone"\ufffd' };
  assert.deepEqual(await old('select * from sessions where hash in ($1, $2)', ['old', 'new']), [
    { hash: 'old', ...seen, created_at: '1', expires_at: `${ends + 1}`, seen_at: '5' },
    { hash: 'new', ...seen, created_at: '1', expires_at: `${ends + 1}`, seen_at: '5' },
  ]);
  await sessions.delete(['old']);
  await old('delete from sessions where hash = $1', ['new']);
  assert.deepEqual(await old('select * from sessions where user_id = $1', ['anna']), []);
  assert.deepEqual(
    (await sessions.list('')).map(({ key }) => key),
    [before!.hash],
  );

  const jobs = pendingJobs(kept);
  await old("insert into pending_jobs values ('r1', 'erase') on conflict do nothing");
  await old("insert into pending_jobs values ('r1', 'erase') on conflict do nothing");
  await jobs.add('r2', 'import');
  await jobs.add('r2', 'import');
  assert.deepEqual(await old('select * from pending_jobs order by 1'), [
    { recording_id: 'r1', job: 'erase' },
    { recording_id: 'r2', job: 'import' },
  ]);
  await jobs.complete('r1', 'erase');
  await old("delete from pending_jobs where recording_id = 'r2'");
  assert.deepEqual([await jobs.list(), await old('select * from pending_jobs')], [[], []]);

  const texts = await openSealedTexts(kept, db, Buffer.alloc(32, 7));
  const text = { name: 'stt.api_key', fingerprint: 'f', text: 'sk-1' };
  await texts.add([text]);
  const sealed = 'select * from secrets where name = $1';
  const [asOld] = await old(sealed, ['stt.api_key']);
  await texts.delete('none');
  await old("delete from secrets where name = 'stt.api_key'");
  assert.deepEqual(
    (await texts.all()).map(({ name }) => name),
    ['master-key'],
  );
  await old('insert into secrets (name, fingerprint, key_id, sealed) values ($1, $2, $3, $4)', [
    asOld?.['name'],
    asOld?.['fingerprint'],
    asOld?.['key_id'],
    asOld?.['sealed'],
  ]);
  assert.deepEqual((await texts.all()).at(-1), text);
});

/** A database as 888c70e left it. */
async function restored(): Promise<string> {
  const name = `v1_${(restores += 1)}`;
  await ask(cluster.url, `create database ${name}`);
  const url = cluster.url.replace(/[^/]*$/, name);
  await ask(url, await readFile(join(fixture, 'dump.sql'), 'utf8'));
  return url;
}
let restores = 0;

/** What there is of us in a database. */
const made = async (url: string): Promise<object> => ({
  columns: await ask(
    url,
    `select table_name, column_name, data_type, column_default, is_nullable, collation_name from information_schema.columns
       where table_schema = 'mitschrift' order by 1, 2`,
  ),
  indexes: await ask(
    url,
    "select indexname, indexdef from pg_indexes where schemaname = 'mitschrift' order by 1",
  ),
  functions: await ask(
    url,
    `select pg_get_functiondef(p.oid) as made from pg_proc p join pg_namespace n on n.oid = p.pronamespace
       where n.nspname = 'mitschrift' order by 1`,
  ),
  version: await ask(url, 'select schema, made_by from mitschrift.log'),
});
