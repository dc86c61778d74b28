import assert from 'node:assert/strict';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { findDevice, listDevices } from '../../src/capture/device/devices.ts';
import { openRecentList } from '../../src/capture/device/recent-list.ts';
import { privatePulse } from '../support/pulse.ts';
import { tempDir } from '../support/temp-dir.ts';

test('devices have the names that PortAudio reports, asked afresh each time', async (t) => {
  const root = await tempDir(t);
  const pulse = await privatePulse(t);
  const options = {
    configPath: join(root, 'asound.conf'),
    combinedSource: 'mitschrift_combined_x.monitor',
    env: pulse.env,
  };
  const before = await listDevices(options);
  assert.equal(before.default, 'Desk Mic');
  for (const name of ['Desk Mic', 'Monitor of Büro- Speakers 2-0'])
    assert.ok(before.devices.includes(name), `${name} in ${before.devices.join(', ')}`);

  await pulse.pactl('load-module', 'module-null-sink', 'sink_name=mitschrift_combined_x');
  await pulse.pactl('set-default-source', 'speakers.monitor');
  const after = await listDevices(options);
  assert.equal(after.default, 'Monitor of Büro- Speakers 2-0');
  assert.ok(after.devices.includes('mitschrift-combined'));
  assert.equal(new Set(after.devices).size, after.devices.length);
  // What one of them is called is what a capture finds it by.
  const found = await findDevice('Monitor of Büro- Speakers 2-0', options);
  assert.equal(found.source, 'speakers.monitor');
  assert.equal(found.alsaConfig, await readFile(options.configPath, 'utf8'));
  await assert.rejects(findDevice('Nowhere', options), { code: 'device-gone' });
});

test('pages that are opened one after the other ask once, anew for other sources and after a failure', async () => {
  const recent = openRecentList();
  let asked = 0;
  const ask = async () => ({ devices: [`number ${(asked += 1)}`], default: null });
  const [first, second] = await Promise.all([recent('a', ask), recent('a', ask)]);
  assert.deepEqual([first, second, asked], [second, await recent('a', ask), 1]);
  assert.deepEqual((await recent('b', ask)).devices, ['number 2']);
  const fails = async () => Promise.reject(new Error('no sound'));
  await assert.rejects(recent(null, fails), /no sound/);
  assert.deepEqual((await recent(null, ask)).devices, ['number 3']);
});

test('without an audio server the plain devices are listed, and nothing is an error', async (t) => {
  const root = await tempDir(t);
  const { devices } = await listDevices({
    configPath: join(root, 'asound.conf'),
    combinedSource: null,
    env: { ...process.env, HOME: root, XDG_RUNTIME_DIR: root, PULSE_SERVER: `unix:${root}/none` },
  });
  assert.ok(Array.isArray(devices));
  await assert.rejects(readFile(join(root, 'asound.conf')), { code: 'ENOENT' });
});

test('an audio server that hangs is an error when nothing has moved for 3 seconds', async (t) => {
  const root = await tempDir(t);
  const pulse = await privatePulse(t);
  pulse.hang();
  t.after(() => pulse.wake());
  await assert.rejects(
    listDevices({ configPath: join(root, 'asound.conf'), combinedSource: null, env: pulse.env }),
    { code: 'devices-unavailable', retriable: true },
  );
});

test('a sound library that hangs is one too, and no process stays behind', async (t) => {
  const root = await tempDir(t);
  // Stands before the real one on the PATH and never answers.
  const bin = join(root, 'bin');
  await mkdir(bin);
  await writeFile(join(bin, 'pactl'), '#!/bin/sh\nexec sleep 600\n');
  await chmod(join(bin, 'pactl'), 0o755);
  await assert.rejects(
    listDevices({
      configPath: join(root, 'asound.conf'),
      combinedSource: null,
      env: { ...process.env, PATH: `${bin}:${process.env['PATH']}` },
    }),
    { code: 'devices-unavailable' },
  );
});
