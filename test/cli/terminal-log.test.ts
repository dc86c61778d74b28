import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { tempDir } from '../support/temp-dir.ts';

const root = join(import.meta.dirname, '../..');
const service = `${process.execPath} --import tsx src/cli/mitschrift.ts serve`;

/** What the service prints until it asks for its first user, standard error among it. */
async function printedAtStart(t: TestContext, command: [string, ...string[]]): Promise<string[]> {
  const dataDir = await tempDir(t);
  const [program, ...args] = command;
  const child = spawn(program, args, {
    cwd: root,
    env: { ...process.env, MITSCHRIFT_DATA: dataDir, MITSCHRIFT_PORT: '0', NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line.trimEnd());
    if (line.includes('no user yet')) break;
  }
  // `script` does not pass the end on to what it runs: all of the group.
  process.kill(-child.pid!, 'SIGKILL');
  await ended;
  return lines;
}

test('on a terminal the service speaks to a person', async (t) => {
  const lines = await printedAtStart(t, [
    'script',
    '--quiet',
    '--flush',
    '--command',
    service,
    '/dev/null',
  ]);
  const [listening, address, noUser] = lines.slice(-3);
  assert.match(listening!, /^\[\d\d:\d\d:\d\d\] INFO: listening \{"url":"http:\S+"\}$/);
  assert.match(address!, /^Mitschrift is at http:/);
  assert.match(
    noUser!,
    /^\[\d\d:\d\d:\d\d\] WARN: no user yet: .* \{"setup_code":"\S+"\}$/,
    lines.join('\n'),
  );
});

test('into a pipe it writes JSON lines', async (t) => {
  const lines = await printedAtStart(t, ['sh', '-c', `exec ${service} 2>&1`]);
  const entries = lines
    .filter((line) => !/^(?:Mitschrift is|Create the first administrator) at /.test(line))
    .map((line) => JSON.parse(line) as { level: number; msg: string });
  assert.ok(entries.some(({ msg }) => msg === 'listening'));
});
