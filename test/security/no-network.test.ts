import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { speak } from '../support/espeak.ts';
import { modelsDir } from '../support/models.ts';
import { testProgram } from '../support/program.ts';
import { tempDir } from '../support/temp-dir.ts';

const run = promisify(execFile);

test('without any network a recording becomes documents, and the service tries to reach nothing outside', async (t) => {
  const dataDir = await tempDir(t);
  const outside = await tempDir(t);
  const [audio, trace] = [join(outside, 'talk.wav'), join(outside, 'trace')];
  await cp(modelsDir, join(dataDir, 'models'), { recursive: true });
  await speak('good morning everyone and welcome to the weekly planning meeting', audio);
  const driver = [process.execPath, testProgram('test/support/no-network-process')];
  const inside = `ip link set lo up && exec "$@"`;
  const asRoot = process.getuid?.() === 0 ? [] : ['--map-root-user'];
  const command = ['sh', '-c', inside, 'sh', ...driver, dataDir, audio, trace];
  const { stdout } = await run('unshare', ['--net', ...asRoot, ...command]);
  type Check = { id: string; status: string; detail: string; remedy: { text: string } };
  const { status, checks } = JSON.parse(stdout) as { status: string; checks: Check[] };
  assert.equal(status, 'IDLE');
  const [service, address] = ['service', 'address'].map((id) =>
    checks.find((one) => one.id === id)!,
  );
  assert.equal(service!.status, 'ok', 'the doctor looked with the eyes of the service');
  assert.equal(address!.status, 'missing');
  assert.match(address!.detail, /^Mitschrift doesn’t respond at 127\.0\.0\.1:\d+\.$/);
  assert.match(address!.remedy.text, /Check the log/);
  const lines = (await readFile(trace, 'utf8')).split('\n');
  const addresses = lines.flatMap((line) => /sin6?_addr\D*"?([\d.:a-f]+)"?/.exec(line)?.[1] ?? []);
  const elsewhere = addresses.filter((address) => !/^(?:127\.|::1$)/.test(address));
  assert.ok(
    lines.some((line) => line.includes('AF_UNIX')),
    'strace saw what is asked of this host',
  );
  assert.deepEqual(elsewhere, []);
});
