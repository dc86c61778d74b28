import { Level } from 'level';
import assert from 'node:assert/strict';
import { cp, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { LoggedFact } from '../../events/facts/catalogue.ts';
import { type DataFolder, dataFolder } from '../../src/shared/data-directory.ts';
import { backup } from '../../src/integrity/backup.ts';
import { exists } from '../../src/shared/files.ts';
import { withLogAlone } from '../../src/integrity/open-mark.ts';
import type { RepairReport } from '../../src/integrity/repair.ts';
import { restore } from '../../src/integrity/restore.ts';
import { harmedTables } from '../../src/integrity/tables/tables.ts';
import { tableEntries, readTable } from '../../src/integrity/tables/table-file.ts';
import type { VerifyReport } from '../../src/integrity/verify.ts';
import { flipped, mitschrift, recordedData, tamper } from '../support/recorded-data.ts';
import { plainFact } from '../support/sample-facts.ts';
import { seeded, times } from '../support/seeded.ts';
import { startServiceProcess } from '../support/service-process.ts';
import { tempDir } from '../support/temp-dir.ts';

/** What compacts as soon as LevelDB opens it: four tables of one level. */
async function aboutToCompact(t: TestContext): Promise<DataFolder> {
  const { data } = await recordedData(t, { recordings: 1 });
  for (let session = 0; session < 3; session += 1) {
    await withLogAlone(data, async ({ store }) => {
      const facts = Array.from({ length: 30 }, (_, n) => plainFact(`${session} ${n}`));
      await store.append('config', facts, session * facts.length);
    });
  }
  return data;
}

/** A copy with one bit flipped over which LevelDB ends the process, once it compacts. */
async function fatal(t: TestContext, data: DataFolder, seed = 1): Promise<DataFolder> {
  const copy = dataFolder(join(await tempDir(t), 'data'));
  await cp(data.root, copy.root, { recursive: true });
  const random = seeded(seed);
  const names = (await readdir(copy.log)).filter((name) => name.endsWith('.ldb'));
  for (let tries = 0; tries < 10_000; tries += 1) {
    const path = join(copy.log, random.pick(names));
    const original = await readFile(path);
    // Where the keys of a table's blocks are; a bit of the index is another story.
    const block = random.pick(readTable(original).blocks.filter(({ part }) => part === 'data'));
    const at = block.offset + random.below(block.bytes);
    await writeFile(path, flipped(original, at, random.below(8)));
    if ((await harmedTables(copy.log)).some(({ endsProcess }) => endsProcess)) return copy;
    await writeFile(path, original);
  }
  throw new Error('no bit of the tables is one over which LevelDB would end the process');
}

/** Writes the log's tables anew, as one. */
const compact = (db: Level): Promise<void> =>
  (db as unknown as { compactRange(from: string, to: string): Promise<void> }).compactRange(
    '\0',
    '\xff',
  );

const factsOf = (data: DataFolder): Promise<LoggedFact[]> =>
  withLogAlone(data, async ({ store }) => {
    const facts: LoggedFact[] = [];
    for await (const fact of store.readAll()) facts.push(fact);
    return facts;
  });

test('tables are read as LevelDB reads them', async (t) => {
  const data = await aboutToCompact(t);
  await tamper(data, compact);
  const found = new Map<string, string>();
  for (const name of (await readdir(data.log)).filter((one) => one.endsWith('.ldb'))) {
    const { indexed, blocks } = readTable(await readFile(join(data.log, name)));
    assert.ok(indexed && blocks.every(({ sound }) => sound));
    for (const { part, content } of blocks) {
      if (part !== 'data') continue;
      const { entries, whole } = tableEntries(content!);
      assert.ok(whole);
      for (const { key, value } of entries) {
        // Type 1 is a value, 0 a deletion.
        if (key.at(-8) === 1)
          found.set(key.toString('latin1', 0, key.length - 8), value.toString());
      }
    }
  }
  const expected = new Map<string, string>();
  await tamper(data, async (db: Level) => {
    for await (const [key, value] of db.iterator<Buffer, string>({ keyEncoding: 'buffer' })) {
      expected.set(key.toString('latin1'), value);
    }
  });
  assert.ok(expected.size > 90);
  assert.deepEqual(found, expected);
});

test('the service is ended by LevelDB once, and says then why it does not start', async (t) => {
  const sound = await aboutToCompact(t);
  // As it was closed in order, nobody looks before LevelDB does: an assertion ends the process. Some
  // bits are such that LevelDB refuses to open the log before it comes to that.
  let data = sound;
  let ended: number | null = 1;
  for (let seed = 1; ended !== null; seed += 1) {
    assert.ok(seed < 10, 'LevelDB is not ended by any of them');
    data = await fatal(t, sound, seed);
    ended = await startServiceProcess(data.root).then(
      (service) => service.end('SIGTERM'),
      ({ message }: Error) => (message.startsWith('the service ended with null') ? null : 1),
    );
  }
  for (const start of ['second', 'third']) {
    await assert.rejects(
      startServiceProcess(data.root),
      /ended with 1:\n.*was not opened because damaged tables would end the process.*\.ldb: bytes [\d,]+ to [\d,]+.*mitschrift repair --out/s,
      `the ${start} start`,
    );
  }
});

test('commands say why they do not open such a log; repair loses only what cannot be read', async (t) => {
  const sound = await aboutToCompact(t);
  const before = await factsOf(sound);
  for (let seed = 1; seed <= times({ short: 1, long: 10 }); seed += 1) {
    const data = await fatal(t, sound, seed);
    const verified = await mitschrift(data.root, 'verify', '--json');
    assert.equal(verified.code, 1, verified.stderr);
    const { findings, advice } = JSON.parse(verified.stdout) as Pick<VerifyReport, 'findings'> & {
      advice: string[];
    };
    const table = findings.find(({ kind }) => kind === 'table');
    assert.match(table!.path!, /^log\/\d+\.ldb$/);
    assert.ok(advice.some((one) => one.includes('mitschrift repair --out')));
    await assertDoctorNames(data, table!.path!);
    const target = join(await tempDir(t), 'salvaged');
    const commands = [
      ['backup', `${target}-not`],
      ['replay', '--check'],
      ['export-log', target],
    ];
    // Which bit it is makes no difference to these.
    for (const command of seed === 1 ? commands : []) {
      const refused = await mitschrift(data.root, ...command);
      assert.deepEqual([refused.code, refused.stdout], [1, ''], command[0]);
      assert.match(refused.stderr, /damaged tables would end the process/);
    }
    const repaired = await mitschrift(data.root, 'repair', '--out', target, '--json');
    const report = JSON.parse(repaired.stdout) as RepairReport;
    assert.equal(report.tables.length, 1);
    const missing = report.unreadable.reduce(
      (sum, { position, upTo }) => sum + upTo - position + 1,
      0,
    );
    // A flipped bit costs the records of one block at most, and those behind them in their streams.
    assert.ok(missing < 40, `${missing} of ${before.length} are missing`);
    const ids = new Set(before.map(({ id }) => id));
    const kept = await factsOf(dataFolder(target));
    assert.ok(kept.length === report.facts && kept.every(({ id }) => ids.has(id)));
    assert.equal(report.facts + missing + report.setAside, before.length);
    const service = await startServiceProcess(target, { MITSCHRIFT_LOG_LEVEL: 'warn' });
    assert.equal(await service.end('SIGTERM'), 0);
  }
});

/** The doctor opens nothing over which it would end, and says the rest all the same. */
async function assertDoctorNames(data: DataFolder, path: string): Promise<void> {
  const { code, stdout } = await mitschrift(data.root, 'doctor', '--json');
  assert.equal(code, 1);
  type Checks = { checks: { id: string; status: string; detail: string }[] };
  const { checks } = JSON.parse(stdout) as Checks;
  const found = checks.find(({ id }) => id === 'log')!;
  assert.equal(found.status, 'missing', found.detail);
  assert.ok(found.detail.includes(path), found.detail);
  assert.equal(checks.find(({ id }) => id === 'data')!.status, 'ok');
}

test('a table that is only read wrongly is named, and the service goes on reading', async (t) => {
  const { data } = await recordedData(t, { recordings: 1 });
  await tamper(data, compact);
  const name = (await readdir(data.log)).find((one) => one.endsWith('.ldb'))!;
  const original = await readFile(join(data.log, name));
  const { blocks } = readTable(original);
  const filter = blocks.find(({ part }) => part === 'filter')!;
  await writeFile(join(data.log, name), flipped(original, filter.offset + 1, 3));
  const verified = await mitschrift(data.root, 'verify', '--json');
  const { findings } = JSON.parse(verified.stdout) as VerifyReport;
  assert.ok(findings.some(({ kind, path }) => kind === 'table' && path === `log/${name}`));
  // Killed, so that the next start looks.
  const first = await startServiceProcess(data.root, { MITSCHRIFT_LOG_LEVEL: 'warn' });
  await first.end('SIGKILL');
  const second = await startServiceProcess(data.root, { MITSCHRIFT_LOG_LEVEL: 'warn' });
  assert.equal((await fetch(`${second.url}/machine`)).status, 401);
  // Whoever comes too early does not make it forgotten.
  await assert.rejects(startServiceProcess(data.root), /is using this data directory/);
  await second.end('SIGKILL');
  // It had been told, and ended all the same.
  await assert.rejects(startServiceProcess(data.root), /was not opened/);
});

test('a backup that rotted neither ends the service nor is restored', async (t) => {
  const data = await aboutToCompact(t);
  const kept = join(await tempDir(t), 'backup');
  await withLogAlone(data, (opened) => backup({ ...opened, data }, kept));
  await tamper({ ...data, log: join(kept, 'log') }, compact);
  const path = join(
    kept,
    'log',
    (await readdir(join(kept, 'log'))).find((one) => one.endsWith('ldb'))!,
  );
  const original = await readFile(path);
  for (
    let at = 0;
    !(await harmedTables(join(kept, 'log'))).some((one) => one.endsProcess);
    at += 1
  ) {
    await writeFile(path, flipped(original, at, 5));
  }
  const refused = { code: 'DAMAGED', message: /mitschrift repair/ };
  await assert.rejects(
    withLogAlone(data, (opened) => backup({ ...opened, data }, kept)),
    refused,
  );
  const target = dataFolder(join(await tempDir(t), 'restored'));
  await assert.rejects(restore(kept, target), refused);
  assert.equal(await exists(target.root), false);
  const answer = await mitschrift(target.root, 'repair', '--backup', kept, '--out', target.root);
  assert.match(answer.stdout, /events saved/, answer.stderr);
});
