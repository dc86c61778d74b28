import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { speak } from '../support/espeak.ts';
import { eventually } from '../support/eventually.ts';
import { speechServer } from '../support/speech-servers.ts';
import { tempDir } from '../support/temp-dir.ts';
import { program } from '../support/program.ts';

const root = join(import.meta.dirname, '../..');

/** `mitschrift transcribe` over a temporary folder of the test's own, in the middle of its work. */
async function transcribing(t: TestContext) {
  const folder = await tempDir(t);
  const [temporary, out] = [join(folder, 'tmp'), join(folder, 'out')];
  await mkdir(temporary);
  const file = join(folder, 'talk.wav');
  await speak('good morning everyone', file);
  const server = await speechServer('speaches');
  t.after(() => server.close());
  const run = (onTerminal = false) => {
    server.faults.push({ do: 'hang' });
    const args = [process.execPath, program, 'transcribe', file, '--out', out];
    const terminal = ['script', '--quiet', '--flush', '--command', args.join(' '), '/dev/null'];
    const [name, ...rest] = onTerminal ? terminal : args;
    const child = spawn(name!, rest, {
      cwd: root,
      env: {
        ...process.env,
        TMPDIR: temporary,
        MITSCHRIFT_DATA: join(folder, 'data'),
        MITSCHRIFT_STT_BASE_URL: server.url,
        MITSCHRIFT_STT_MODEL: 'a',
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    t.after(() => child.kill('SIGKILL'));
    return child;
  };
  const ours = async () =>
    (await readdir(temporary)).filter((name) => name.startsWith('mitschrift-'));
  return { run, ours, asked: (count: number) => server.asked(count) };
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  test(`transcribe ended by ${signal} leaves no audio, key or log behind`, async (t) => {
    const { run, ours, asked } = await transcribing(t);
    const child = run();
    await asked(1);
    assert.equal((await ours()).length, 1);
    child.kill(signal);
    const [code] = (await once(child, 'exit')) as [number | null];
    assert.equal(code, 128 + { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 }[signal]);
    assert.deepEqual(await ours(), []);
  });
}

test('transcribe whose terminal is closed leaves no audio, key or log behind', async (t) => {
  const { run, ours, asked } = await transcribing(t);
  const terminal = run(true);
  await asked(1);
  assert.equal((await ours()).length, 1);
  terminal.kill('SIGKILL');
  await eventually('it is removed', async () => (await ours()).length === 0);
});

test('what a killed transcribe left is removed by the next run, and nothing of one that runs', async (t) => {
  const { run, ours, asked } = await transcribing(t);
  const killed = run();
  await asked(1);
  const left = await ours();
  assert.equal(left.length, 1);
  killed.kill('SIGKILL');
  await once(killed, 'exit');
  assert.deepEqual(await ours(), left);
  run();
  await asked(2);
  const running = await ours();
  assert.equal(running.length, 1);
  assert.notDeepEqual(running, left);
  run();
  await asked(3);
  assert.equal((await ours()).length, 2);
  assert.ok((await ours()).includes(running[0]!));
});
