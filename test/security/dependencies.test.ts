import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { withAda } from '../support/http-client.ts';

const root = join(import.meta.dirname, '../..');

test('the service itself loads no native code but that of passwords and of the log', async (t) => {
  const { service, token } = await withAda(t);
  assert.equal((await service.call('GET', '/audio/devices', { token })).status, 200);
  const native = nativeParts(await readFile('/proc/self/maps', 'utf8'));
  assert.ok(native.some((path) => path.includes('/argon2/')));
  // tsx, which runs this test and not the service, brings none.
  const others = native.filter((path) => !/\/(argon2|classic-level)\//.test(path));
  assert.deepEqual(others, []);
});

test('of naudiodon its native part is loaded, and never segfault-handler', async () => {
  const source = `
    import { readFileSync } from 'node:fs';
    import { createRequire } from 'node:module';
    import { loadNaudiodon } from './src/capture/device/device-stream.ts';
    const native = loadNaudiodon();
    const loaded = Object.keys(createRequire(import.meta.url).cache);
    const maps = readFileSync('/proc/self/maps', 'utf8');
    console.log(JSON.stringify({ there: native !== null, loaded, maps }));`;
  const args = ['--import', 'tsx', '--input-type=module', '--eval', source];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: root,
    maxBuffer: 16 * 1024 * 1024,
  });
  const { there, loaded, maps } = JSON.parse(stdout) as {
    there: boolean;
    loaded: string[];
    maps: string;
  };
  const parts = [...new Set([...loaded, ...nativeParts(maps)])];
  const own = parts.filter((path) => path.includes('/naudiodon/'));
  assert.equal(own.length > 0, there);
  for (const path of own) assert.match(path, /\/build\/Release\/naudiodon\.node$/);
  assert.ok(!parts.some((path) => /segfault|\/bindings\//.test(path)));
});

/** Paths of native add-ons that a process has mapped. */
const nativeParts = (maps: string): string[] => [
  ...new Set(
    maps
      .split('\n')
      .filter((line) => line.endsWith('.node'))
      .map((line) => line.slice(line.indexOf('/'))),
  ),
];
