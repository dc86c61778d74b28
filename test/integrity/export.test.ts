import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { cp, mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openFileKeys } from '../../events/log/file-keys.ts';
import { type DataFolder, dataFolder } from '../../src/shared/data-directory.ts';
import { exportLog } from '../../src/integrity/export-log.ts';
import { importLog } from '../../src/integrity/import-log.ts';
import { withLogAlone } from '../../src/integrity/open-mark.ts';
import { mitschrift, recordedData, verifyAlone } from '../support/recorded-data.ts';
import { eventually } from '../support/eventually.ts';
import { program } from '../support/program.ts';
import { plainFact, sampleFact } from '../support/sample-facts.ts';
import { startServiceProcess } from '../support/service-process.ts';
import { tempDir } from '../support/temp-dir.ts';

const exported = async (data: DataFolder, file: string, decrypt = false): Promise<string> => {
  await withLogAlone(data, (opened) => exportLog(opened, file, { decrypt }));
  return await readFile(file, 'utf8');
};
/** What the scripted engine hears: content. */
const said = 'secret plan';

test('an exported log, imported and exported again, is the same to the byte', async (t) => {
  const { data, recordings } = await recordedData(t);
  const root = await tempDir(t);
  // Line separators that are no line feeds, and what JSON escapes.
  await withLogAlone(data, ({ store }) => {
    const fact = sampleFact('diarization.skipped');
    Object.assign(fact.data, { reason: 'a\u2028b\u2029c\nd\r\u0000"\\ \u{1f600}' });
    return store.append('odd', [fact], 0);
  });
  await (await openFileKeys(data.keys)).forget(recordings[0]!);
  const first = join(root, 'first.jsonl');
  const answer = await mitschrift(data.root, 'export-log', first);
  assert.equal(answer.code, 0, answer.stderr);
  const text = await readFile(first, 'utf8');
  assert.ok(!text.includes(said) && !text.includes('Hello there'));

  const twin = dataFolder(join(root, 'twin'));
  await mkdir(twin.root);
  // Sealed content needs the keys it was sealed with; the list of erasures comes with the log.
  await cp(data.keys, twin.keys, { recursive: true });
  await cp(data.recordings, twin.recordings, { recursive: true });
  await writeFile(join(twin.keys, 'erased.jsonl'), '');
  const elsewhere = join(root, 'elsewhere');
  const keyless = await mitschrift(elsewhere, 'import-log', first);
  assert.equal(keyless.code, 1);
  assert.match(keyless.stderr, /The keys for .*first\.jsonl are missing\. Copy .*\n$/);
  assert.deepEqual(await readdir(elsewhere), ['keys'], 'nothing is left but the folder for them');
  const imported = await mitschrift(twin.root, 'import-log', first);
  assert.equal(imported.code, 0, imported.stdout + imported.stderr);
  assert.match(imported.stdout, /1 erased.*no damage/);
  assert.equal(await exported(twin, join(root, 'second.jsonl')), text);

  const again = await mitschrift(twin.root, 'import-log', first);
  assert.deepEqual([again.code, /empty data directory/.test(again.stderr)], [1, true]);
});

test('a decrypted export can be read by people and sealed again with new keys', async (t) => {
  const { data, recordings } = await recordedData(t);
  const root = await tempDir(t);
  await (await openFileKeys(data.keys)).forget(recordings[0]!);
  const text = await exported(data, join(root, 'open.jsonl'), true);
  const content = text.split('\n').filter((line) => line.includes(said));
  assert.ok(content.length > 0 && content.every((line) => line.includes(recordings[1]!)));

  const twin = dataFolder(join(root, 'twin'));
  await importLog(twin, join(root, 'open.jsonl'));
  assert.equal(await exported(twin, join(root, 'again.jsonl'), true), text);
  const sealed = await exported(twin, join(root, 'sealed.jsonl'));
  assert.ok(!sealed.includes(said));
  assert.notDeepEqual(
    await readFile(join(twin.keys, recordings[1]!)),
    await readFile(join(data.keys, recordings[1]!)),
  );
  assert.deepEqual((await verifyAlone(twin)).checked.keys, { sound: 2, erased: 1 });
});

for (const place of ['alone', 'beside a service'] as const)
  test(`an export that is ended ${place} leaves no file, nor half of one`, async (t) => {
    const { data } = await recordedData(t, { recordings: 1 });
    await withLogAlone(data, async ({ store }) => {
      for (let version = 0; version < manyFacts; version += 1000) {
        const facts = Array.from({ length: 1000 }, (_, n) => plainFact(`${version + n}`));
        await store.append('recording-long', facts, version);
      }
    });
    const service =
      place === 'alone' ? null : await startServiceProcess(data.root, { MITSCHRIFT_PORT: '0' });
    t.after(() => service?.end('SIGKILL'));
    const folder = await tempDir(t);
    const watched = watch(folder);
    t.after(() => watched.close());
    const begun = once(watched, 'change');
    const child = spawn(
      process.execPath,
      [program, 'export-log', join(folder, 'log'), '--decrypt'],
      {
        env: { ...process.env, MITSCHRIFT_DATA: data.root },
        stdio: 'ignore',
      },
    );
    t.after(() => child.kill('SIGKILL'));
    const ended = once(child, 'exit');
    await begun;
    assert.deepEqual(await readdir(folder), ['log.tmp']);
    child.kill('SIGINT');
    assert.deepEqual(await ended, [1, null]);
    await eventually('nothing is left', async () => (await readdir(folder)).length === 0);
    if (service) assert.equal(await service.end('SIGTERM'), 0);
    assert.deepEqual(await readdir(folder), []);
  });

/** Enough for an export to take its time. */
const manyFacts = 50_000;

test('a file that is torn, shortened, reordered or another kind is refused, and leaves nothing', async (t) => {
  const { data } = await recordedData(t, { recordings: 1 });
  const root = await tempDir(t);
  const file = join(root, 'log.jsonl');
  const text = await exported(data, file);
  const lines = text.trimEnd().split('\n');
  const swapped = lines.with(3, lines[4]!).with(4, lines[3]!);
  const newer = lines.with(2, lines[2]!.replace(/"type":"[^"]*"/, '"type":"moon.landed"'));
  const cases: [string, RegExp][] = [
    [text.slice(0, -20), /ends in the middle/],
    [`${lines.slice(0, -1).join('\n')}\n`, /events instead of/],
    [`${swapped.join('\n')}\n`, /does not follow/],
    [`${newer.join('\n')}\n`, /newer version/],
    [`${lines.with(2, '{}').join('\n')}\n`, /Line 3 .* not an event/],
    [`${lines.with(2, '{').join('\n')}\n`, /Line 3 .* not JSON/],
    ['{"hello":"world"}\n', /not an event log exported by this version/],
  ];
  const target = dataFolder(join(root, 'target'));
  await cp(data.keys, target.keys, { recursive: true });
  for (const [wrong, reason] of cases) {
    await writeFile(file, wrong);
    await assert.rejects(importLog(target, file), reason);
  }
  await writeFile(file, text);
  assert.equal((await importLog(target, file)).facts, lines.length - 1);
});
