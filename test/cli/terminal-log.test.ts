import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { tempDir } from '../support/temp-dir.ts';

const root = join(import.meta.dirname, '../..');
const service = `${process.execPath} --import tsx src/cli/mitschrift.ts serve`;

/** What the service prints until it says where it listens, standard error among it. */
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
    if (line.startsWith('Mitschrift is at ')) break;
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
  assert.ok(
    lines.some((line) =>
      /^\[\d\d:\d\d:\d\d\] WARN: no user yet: .* \{"setup_code":"\S+"\}$/.test(line),
    ),
    lines.join('\n'),
  );
  assert.match(lines.at(-2)!, /^\[\d\d:\d\d:\d\d\] INFO: listening \{"url":"http:\S+"\}$/);
});

test('into a pipe it writes JSON lines', async (t) => {
  const lines = await printedAtStart(t, ['sh', '-c', `exec ${service} 2>&1`]);
  const entries = lines
    .slice(0, -1)
    .map((line) => JSON.parse(line) as { level: number; msg: string });
  assert.equal(entries.at(-1)!.msg, 'listening');
});
