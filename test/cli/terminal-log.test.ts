import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { program } from '../support/program.ts';
import { startServiceProcess } from '../support/service-process.ts';
import { tempDir } from '../support/temp-dir.ts';

const root = join(import.meta.dirname, '../..');
const service = `${process.execPath} ${program} serve`;

/** What the service prints, standard error among it, up to the line that the watcher is looking for. */
async function printedUntil(
  t: TestContext,
  command: [string, ...string[]],
  isLast: (line: string) => boolean,
): Promise<string[]> {
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
    if (isLast(line)) break;
  }
  // `script` does not pass the end on to what it runs: all of the group.
  process.kill(-child.pid!, 'SIGKILL');
  await ended;
  return lines;
}

const asksForUser = (line: string): boolean => line.includes('no user exists yet');
const onTerminal: [string, ...string[]] = [
  'script',
  '--quiet',
  '--flush',
  '--command',
  service,
  '/dev/null',
];

test('on a terminal the service speaks to a person', async (t) => {
  const lines = await printedUntil(t, onTerminal, asksForUser);
  const [listening, address, noUser] = lines.slice(-3);
  assert.match(listening!, /^\[\d\d:\d\d:\d\d\] INFO: listening \{"url":"http:\S+"\}$/);
  assert.match(address!, /^Mitschrift is running at http:/);
  assert.match(
    noUser!,
    /^\[\d\d:\d\d:\d\d\] WARN: no user exists yet; .* \{"setup_code":"\S+"\}$/,
    lines.join('\n'),
  );
});

test('on a terminal users are named, not numbered', async (t) => {
  let url = '';
  const post = async (path: string, body: object) =>
    await fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const anna = { username: 'anna', password: 'correct horse battery' };
  const lines = await printedUntil(t, onTerminal, (line) => {
    url ||= /Mitschrift is running at (http:\S+)/.exec(line)?.[1] ?? '';
    if (line.includes('no user exists yet')) {
      // The service is killed when it has logged the refusal, maybe before it has answered.
      const refused = () => post('/login', { ...anna, password: 'wrong' }).catch(() => undefined);
      // It may still be starting, and says so.
      const setUp = async () => {
        while (!(await post('/setup', anna)).ok);
      };
      void setUp().then(refused);
    }
    return line.includes('login failed');
  });
  const about = lines.filter((line) => /first administrator created|login failed/.test(line));
  assert.equal(about.length, 2);
  for (const line of about) assert.match(line, /"user_id":"anna"/);
});

test('into a pipe it writes JSON lines', async (t) => {
  const lines = await printedUntil(t, ['sh', '-c', `exec ${service} 2>&1`], asksForUser);
  const entries = lines
    .filter((line) => !/^(?:Mitschrift is running at|Set up Mitschrift here:) /.test(line))
    .map((line) => JSON.parse(line) as { level: number; msg: string });
  assert.ok(entries.some(({ msg }) => msg === 'listening'));
});

test('a service whose log cannot be written goes on', async (t) => {
  const onFullDisk = ['sh', '-c', 'exec "$@" > /dev/full', 'sh'];
  const command = [...onFullDisk, process.execPath, program, 'serve'];
  const serving = await startServiceProcess(await tempDir(t), {}, [], { command });
  t.after(() => serving.end('SIGKILL'));
  for (const path of ['/recordings', '/health']) await fetch(`${serving.url}${path}`);
  assert.equal((await fetch(`${serving.url}/health`)).status, 200);
  assert.equal(await serving.end('SIGTERM'), 0);
});
