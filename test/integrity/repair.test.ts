import type { Level } from 'level';
import assert from 'node:assert/strict';
import { cp, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { LoggedFact } from '../../events/facts/catalogue.ts';
import { logKey, streamKey } from '../../events/log/records.ts';
import { recordingStream } from '../../events/facts/recording.ts';
import { type DataFolder, dataFolder } from '../../src/shared/data-directory.ts';
import { backup } from '../../src/integrity/backup.ts';
import { exists } from '../../src/shared/files.ts';
import { withLogAlone } from '../../src/integrity/open-mark.ts';
import {
  type RepairReport,
  repair,
  sourceOfBackup,
  sourceOfData,
} from '../../src/integrity/repair.ts';
import { restore } from '../../src/integrity/restore.ts';
import {
  flipped,
  mitschrift,
  recordedData,
  tamper,
  verifyAlone,
} from '../support/recorded-data.ts';
import { tempDir } from '../support/temp-dir.ts';

const binary = { keyEncoding: 'buffer', valueEncoding: 'buffer' } as const;

const factsOf = (data: DataFolder, stream: string): Promise<LoggedFact[]> =>
  withLogAlone(data, async ({ store }) => {
    const facts: LoggedFact[] = [];
    for await (const fact of store.read(stream)) facts.push(fact);
    return facts;
  });

const allFacts = (data: DataFolder, afterPosition: number): Promise<LoggedFact[]> =>
  withLogAlone(data, async ({ store }) => {
    const facts: LoggedFact[] = [];
    for await (const fact of store.readAll({ afterPosition })) facts.push(fact);
    return facts;
  });

/** Every file of a directory with its bytes. */
async function bytesOf(root: string): Promise<Map<string, string>> {
  const bytes = new Map<string, string>();
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) bytes.set(path, (await readFile(path)).toString('base64'));
  }
  return bytes;
}

/** Two recordings; a record of the first is flipped, in the middle of its stream. */
async function damaged(t: TestContext) {
  const { data, recordings } = await recordedData(t);
  const [cut, whole] = recordings.map((id) => `recording-${id}`) as [string, string];
  const before = await factsOf(data, cut);
  const victim = before[3]!;
  await tamper(data, async (db) => {
    const original = await db.get<Buffer, Buffer>(logKey(victim.position), binary);
    await db.put(logKey(victim.position), flipped(original, 60, 2), binary);
  });
  return { data, cut, whole, before, victim, target: join(await tempDir(t), 'repaired') };
}

test('repair keeps what is before the hole and every other stream, and says what is missing', async (t) => {
  const { data, cut, whole, before, victim, target } = await damaged(t);
  const untouched = await bytesOf(data.root);
  const expected = await bytesOf(data.recordings);
  const answer = await mitschrift(data.root, 'repair', '--out', target, '--json');
  assert.equal(answer.code, 0, answer.stderr);
  const report = JSON.parse(answer.stdout) as RepairReport;
  assert.deepEqual(await bytesOf(data.root), untouched);
  assert.deepEqual(report.unreadable, [
    { position: victim.position, upTo: victim.position, what: 'damaged' },
  ]);
  assert.deepEqual(report.cut, [{ stream: cut, lastVersion: 3, setAside: before.length - 4 }]);
  const aside = (await readFile(report.leftOver!, 'utf8')).trimEnd().split('\n');
  assert.equal(aside.length, 1 + before.length - 4);
  assert.deepEqual(
    aside.slice(1).map((line) => {
      const { record } = JSON.parse(line) as { record: string };
      return (JSON.parse(record) as LoggedFact).id;
    }),
    before.slice(4).map(({ id }) => id),
  );

  const out = dataFolder(target);
  const kept = await factsOf(out, cut);
  assert.deepEqual(
    kept.map(({ id }) => id),
    before.slice(0, 3).map(({ id }) => id),
  );
  const others = await factsOf(out, whole);
  assert.deepEqual(
    others.map(({ position: _position, ...fact }) => fact),
    (await factsOf(data, whole)).map(({ position: _position, ...fact }) => fact),
  );
  assert.equal(others.at(-1)!.to, 'idle.saved');
  const verified = await verifyAlone(out);
  assert.deepEqual([verified.sound, verified.checked.records], [true, report.facts]);
  assert.equal((await bytesOf(out.recordings)).size, expected.size);
  await withLogAlone(out, async ({ store }) => assert.equal(store.health().state, 'ok'));
});

test('repair puts a database together again that LevelDB cannot open', async (t) => {
  const { data } = await recordedData(t, { recordings: 1 });
  const root = await tempDir(t);
  const records = await withLogAlone(data, async ({ store }) => await store.head());
  for (const lost of [/^CURRENT$/, /^MANIFEST/]) {
    for (const name of await readdir(data.log)) if (lost.test(name)) await rm(join(data.log, name));
    await assert.rejects(verifyAlone(data), { code: 'DAMAGED' });
    const report = await repair(sourceOfData(data.root), join(root, lost.source.slice(1, 4)));
    assert.deepEqual(
      [report.facts, report.unreadable, report.leftOver, report.verified.sound],
      [records, [], null, true],
    );
  }
});

test('facts lost at the end, where they leave no gap, are counted by verify and repair', async (t) => {
  const { data } = await recordedData(t, { recordings: 1 });
  const kept = join(await tempDir(t), 'backup');
  const { facts } = await withLogAlone(data, (opened) => backup({ ...opened, data }, kept));
  const last = await allFacts(data, facts - 2);
  const lose = async (db: Level) => {
    for (const { position, stream, version } of last) {
      await db.del(logKey(position), { keyEncoding: 'buffer' });
      await db.del(streamKey(stream, version));
    }
  };
  await tamper(data, lose);
  await tamper({ ...data, log: join(kept, 'log') }, lose);
  const verified = await mitschrift(data.root, 'verify');
  assert.match(verified.stdout, new RegExp(`2 events after position ${facts - 2} are missing`));
  const root = await tempDir(t);
  const repaired = await mitschrift(data.root, 'repair', '--out', join(root, 'a'));
  const line = `positions ${facts - 1} to ${facts} (2 events): missing`;
  assert.ok(repaired.stdout.includes(line), repaired.stdout);
  const { unreadable } = await repair(await sourceOfBackup(kept), join(root, 'b'));
  assert.deepEqual(unreadable, [{ position: facts - 1, upTo: facts, what: 'missing' }]);
});

test('repair takes neither a full directory nor one inside the damaged one', async (t) => {
  const { data } = await recordedData(t, { recordings: 1 });
  const source = sourceOfData(data.root);
  await assert.rejects(repair(source, data.root), /outside/);
  await assert.rejects(repair(source, join(data.root, 'new')), /outside/);
  const other = await recordedData(t, { recordings: 1 });
  await assert.rejects(repair(source, other.data.root), /not empty/);
});

test('neither repair nor restore clears away what it is to read, for a place to build in', async (t) => {
  const { data } = await recordedData(t, { recordings: 1 });
  const beside = await tempDir(t);
  const half = join(beside, 'new.repairing');
  await cp(data.root, half, { recursive: true });
  await assert.rejects(repair(sourceOfData(half), join(beside, 'new')), /built/);
  const kept = join(beside, 'new.restoring', 'backup');
  await withLogAlone(data, (opened) => backup({ ...opened, data }, kept));
  await assert.rejects(restore(kept, dataFolder(join(beside, 'new'))), /built/);
  assert.ok((await verifyAlone(dataFolder(half))).sound);
  assert.equal((await restore(kept, dataFolder(join(beside, 'other')))).verified.sound, true);
});

test('what had been promised and not done is still to be done in what repair makes', async (t) => {
  const { data, recordings } = await recordedData(t);
  const [late, erased] = recordings as [string, string];
  await mkdir(join(data.recordings, late, 'late'));
  await writeFile(join(data.recordings, late, 'late', 'late.json'), '{}');
  await withLogAlone(data, async ({ store, jobs }) => {
    const stream = recordingStream(erased);
    const fact = { type: 'recording.erased', data: {}, by: 'ada', command: 'erase' } as const;
    await store.append(stream, [{ ...fact, to: 'idle.erased' }], await store.version(stream));
    await jobs.add(late, 'keep-audio');
    await jobs.add(erased, 'delete-documents');
  });
  const out = dataFolder(join(await tempDir(t), 'repaired'));
  await repair(sourceOfData(data.root), out.root);
  assert.deepEqual(
    (await withLogAlone(out, ({ jobs }) => jobs.list())).map(
      ({ recordingId, job }) => `${recordingId}/${job}`,
    ),
    [
      `${late}/keep-audio`,
      `${late}/late-audio`,
      `${erased}/delete-documents`,
      `${erased}/erase`,
    ].toSorted(),
  );
});

test('a backup whose log is damaged is not restored, and can be salvaged', async (t) => {
  const { data } = await recordedData(t);
  const root = await tempDir(t);
  const kept = join(root, 'backup');
  const target = dataFolder(join(root, 'restored'));
  const { facts } = await withLogAlone(data, (opened) => backup({ ...opened, data }, kept));
  await tamper({ ...data, log: join(kept, 'log') }, async (db) => {
    const original = await db.get<Buffer, Buffer>(logKey(facts), binary);
    await db.put(logKey(facts), flipped(original, 30, 5), binary);
  });
  await assert.rejects(restore(kept, target), { code: 'DAMAGED' });
  assert.equal(await exists(target.root), false);
  const answer = await mitschrift(target.root, 'repair', '--backup', kept, '--out', target.root);
  assert.equal(answer.code, 0, answer.stderr);
  assert.match(answer.stdout, new RegExp(`position ${facts}: damaged`));
  assert.match(answer.stdout, new RegExp(`${facts - 1} events saved`));
  assert.equal((await verifyAlone(target)).sound, true);
});
