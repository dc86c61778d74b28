import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { startServiceProcess } from '../support/service-process.ts';
import { tempDir } from '../support/temp-dir.ts';
import { program } from '../support/program.ts';

const root = join(import.meta.dirname, '../..');

const first = 'spaces/01JD8Y7QK3W6H5V4N2M1R0P9ZX-20261120T080910123Z';
const second = '01JD8Y7QK3W6H5V4N2M1R0P9ZY-1763625600000';

async function filled(dataDir: string): Promise<void> {
  for (const name of [first, second]) {
    await mkdir(join(dataDir, 'quarantine', name), { recursive: true });
    await writeFile(join(dataDir, 'quarantine', name, 'talk.md'), 'x'.repeat(2048));
  }
}

async function run(dataDir: string, command: [string, ...string[]], input = '') {
  const [file, ...args] = command;
  // A time that is printed is the computer's own, with its zone.
  const env = { ...process.env, MITSCHRIFT_DATA: dataDir, TZ: 'Europe/Berlin' };
  const child = spawn(file, args, { cwd: root, env });
  child.stdin.end(input);
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { out, err, code };
}

test('without a service: what is there, and nothing is deleted that nobody confirmed', async (t) => {
  const dataDir = await tempDir(t);
  const quarantine = (...args: string[]) =>
    run(dataDir, [process.execPath, program, 'quarantine', ...args]);
  assert.equal((await quarantine()).out, 'The quarantine is empty.\n');
  await filled(dataDir);
  const lines = (await quarantine()).out.trimEnd().split('\n');
  assert.deepEqual(lines, [
    `${second}: folder of an unknown recording 01JD8Y7QK3W6H5V4N2M1R0P9ZY, ` +
      'since 2025-11-20T09:00:00+01:00, 2 KB',
    `${first}: documents of the deleted user 01JD8Y7QK3W6H5V4N2M1R0P9ZX, ` +
      'since 2026-11-20T09:09:10+01:00, 2 KB',
  ]);
  assert.equal((await quarantine('purge')).code, 2);
  assert.equal((await quarantine('purge', first, '--all')).code, 2);
  const unasked = await quarantine('purge', first);
  assert.deepEqual([unasked.code, unasked.out], [1, '']);
  assert.match(unasked.err, /--yes/);
  assert.equal((await quarantine('purge', 'nothing', '--yes')).code, 1);
  const listed = JSON.parse((await quarantine('--json')).out) as { entries: { name: string }[] };
  assert.deepEqual(
    listed.entries.map(({ name }) => name),
    [second, first],
  );

  const purged = await quarantine('purge', first, '--yes');
  assert.deepEqual([purged.code, purged.out], [0, `${first} was deleted permanently.\n`]);
  const [event] = purged.err.trim().split('\n');
  const { category, name } = JSON.parse(event!) as Record<string, unknown>;
  assert.deepEqual([category, name], ['security', first]);
  assert.deepEqual(await readdir(join(dataDir, 'quarantine', 'spaces')), []);
});

test('on a terminal it asks, and only yes deletes', async (t) => {
  const dataDir = await tempDir(t);
  await filled(dataDir);
  const shell = [process.execPath, program, 'quarantine', 'purge', '--all'].join(' ');
  const asked = (answer: string) =>
    run(
      dataDir,
      ['script', '--quiet', '--return', '--flush', '--command', shell, '/dev/null'],
      answer,
    );
  const no = await asked('\n');
  assert.match(no.out, /Delete these 2 entries permanently\? \[y\/N\]/);
  assert.match(no.out, /Nothing was deleted\./);
  assert.equal((await readdir(join(dataDir, 'quarantine'))).length, 2);
  const yes = await asked('y\n');
  assert.equal(yes.code, 0, yes.out);
  assert.deepEqual(await readdir(join(dataDir, 'quarantine')), ['spaces']);
});

test('beside a running service the service does it, and its log says so', async (t) => {
  const dataDir = await tempDir(t);
  const service = await startServiceProcess(dataDir);
  t.after(() => service.end('SIGKILL'));
  await filled(dataDir);
  const purged = await run(dataDir, [
    process.execPath,
    program,
    'quarantine',
    'purge',
    '--all',
    '--yes',
  ]);
  assert.deepEqual([purged.code, purged.err], [0, '']);
  assert.deepEqual(await readdir(join(dataDir, 'quarantine')), ['spaces']);
  await service.end('SIGTERM');
  const events = service.logged
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ category, name }) => category === 'security' && name !== undefined);
  assert.deepEqual(
    events.map(({ name }) => name),
    [second, first],
  );
});
