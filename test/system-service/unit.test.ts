import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { type UnitInput, unitName, unitText } from '../../src/cli/service.ts';
import { startServiceProcess } from '../support/service-process.ts';
import { tempDir } from '../support/temp-dir.ts';
import { program } from '../support/program.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');

for (const whose of ['user', 'system'] as const) {
  test(`systemd itself finds nothing wrong with the ${whose} unit, whatever the paths hold`, async (t) => {
    const dir = await tempDir(t);
    const program = join(dir, 'with space "and" 100% $HOME', 'mitschrift.js');
    // systemd takes no quotes there.
    const node = join(dir, 'with space 100% $HOME', 'node');
    for (const path of [program, node]) await mkdir(join(path, '..'), { recursive: true });
    await symlink(process.execPath, node);
    await writeFile(program, '');
    await writeFile(
      join(dir, unitName),
      unitOf(program, { node, ...(whose === 'system' ? { runsAs: 'daemon' } : {}) }),
    );
    const { stderr } = await run(
      'systemd-analyze',
      [`--${whose}`, '--man=no', '--recursive-errors=no', 'verify', join(dir, unitName)],
      { env: { ...process.env, XDG_RUNTIME_DIR: dir } },
    );
    const about = stderr.split('\n').filter((line) => line.includes(unitName));
    assert.deepEqual(about, []);
  });
}

test('a detached capture survives the unit, and secrets are not in it', () => {
  const unit = unitOf('/opt/mitschrift/dist/src/cli/mitschrift.js');
  assert.match(unit, /^KillMode=process$/m);
  assert.match(unit, /^Restart=on-failure$/m);
  assert.match(unit, /^OOMPolicy=continue$/m);
  assert.throws(() => unitOf('/opt/a\nExecStart=evil'), RangeError);
});

test('install says that Mitschrift runs where it does, and leaves alone what runs elsewhere; uninstall stops it and leaves the data', async (t) => {
  const dir = await tempDir(t);
  const told = 'test "$2" != show || printf "ActiveState=%s\\nMainPID=0\\n" "$UNIT_STATE"';
  const systemctl = `#!/bin/sh\necho "$@" >> "${join(dir, 'called')}"\n${told}\n`;
  await writeFile(join(dir, 'systemctl'), systemctl);
  await chmod(join(dir, 'systemctl'), 0o700);
  const env = {
    ...process.env,
    PATH: `${dir}:${process.env['PATH']}`,
    XDG_CONFIG_HOME: join(dir, 'config'),
    MITSCHRIFT_DATA: join(dir, 'data'),
    MITSCHRIFT_PORT: '8799',
    MITSCHRIFT_STT_API_KEY: 'a secret key',
  };
  const command = async (...args: string[]) => await commandOf(env, args);
  const commandOf = async (given: NodeJS.ProcessEnv, args: string[]) =>
    await run(process.execPath, [program, 'service', ...args], { cwd: root, env: given });
  const { stdout: planned, stderr: leftOut } = await command('install', '--dry-run');
  assert.match(leftOut, /MITSCHRIFT_STT_API_KEY\.\nSet stt\.api_key in the settings/);
  assert.ok(!leftOut.includes('a secret key'));
  assert.match(planned, /MITSCHRIFT_PORT=8799/);
  assert.ok(!planned.includes('a secret key'));
  const { stdout: asGiven } = await commandOf({ ...env, MITSCHRIFT_DATA: '/srv/notes$1' }, [
    'install',
    '--dry-run',
  ]);
  assert.match(asGiven, /^Environment=MITSCHRIFT_DATA=\/srv\/notes\$1$/m);
  await assert.rejects(readFile(join(dir, 'called')), { code: 'ENOENT' });

  // In a terminal: the unit would find the data locked, and be given up.
  const running = await startServiceProcess(env.MITSCHRIFT_DATA);
  t.after(() => running.end('SIGKILL'));
  const unit = join(dir, 'config/systemd/user', unitName);
  const installed = (UNIT_STATE: string) => commandOf({ ...env, UNIT_STATE }, ['install']);
  await assert.rejects(installed('inactive'), { code: 1, stderr: /already running.*Stop it/ });
  await assert.rejects(readFile(unit), { code: 'ENOENT' });
  const { stdout } = await installed('active');
  assert.match(stdout, /is running now[^]*enable-linger/);
  await running.end('SIGTERM');
  await assert.rejects(installed('failed'), { code: 1, stderr: /doesn’t answer.*journalctl/ });
  assert.match(await readFile(unit, 'utf8'), /ExecStart=.* serve/);
  const stateOf = (UNIT_STATE: string) => commandOf({ ...env, UNIT_STATE }, ['status']);
  assert.match((await stateOf('active')).stdout, /^ActiveState=active$/m);
  for (const state of ['failed', 'inactive', 'activating'])
    await assert.rejects(stateOf(state), { code: 1, stdout: new RegExp(`ActiveState=${state}\n`) });
  // A node without its database would start ten times, and be given up.
  const node = { ...env, MITSCHRIFT_DATABASE_URL: 'postgres://a:b@host/notes' };
  const blobs = {
    MITSCHRIFT_BLOBS_URL: 'file:///srv/mitschrift',
    MITSCHRIFT_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
  };
  const later = await commandOf({ ...node, ...blobs }, ['install']);
  assert.match(later.stdout, /Once the secrets are there, start it: systemctl --user restart/);
  await command('uninstall');
  const shown = '--user show mitschrift.service --property=ActiveState,SubState,MainPID';
  await assert.rejects(readFile(unit), { code: 'ENOENT' });
  assert.deepEqual((await readFile(join(dir, 'called'), 'utf8')).trim().split('\n'), [
    shown,
    shown,
    '--user daemon-reload',
    '--user enable mitschrift.service',
    '--user restart mitschrift.service',
    '--user daemon-reload',
    '--user enable mitschrift.service',
    '--user restart mitschrift.service',
    shown,
    shown,
    shown,
    shown,
    shown,
    '--user daemon-reload',
    '--user enable mitschrift.service',
    '--user disable --now mitschrift.service',
    '--user daemon-reload',
  ]);
});

test('a unit of the whole host is printed for root to place, and nothing is installed', async (t) => {
  const { stdout, stderr } = await run(
    process.execPath,
    [program, 'service', 'install', '--system', '--user', 'notes'],
    {
      cwd: root,
      env: { PATH: process.env['PATH'], HOME: await tempDir(t), MITSCHRIFT_PORT: '8799' },
    },
  );
  assert.match(stdout, /^User=notes$/m);
  assert.match(stdout, /^Environment=MITSCHRIFT_DATA=\/var\/lib\/mitschrift$/m);
  assert.match(stdout, /^Environment=MITSCHRIFT_PORT=8799$/m);
  assert.match(stdout, /^ProtectSystem=full$/m);
  // A backup into /tmp, and a capture that outlives the service, would be in a folder that ends with the unit.
  assert.ok(!stdout.includes('PrivateTmp'));
  // Its database may come up later than any number of starts.
  assert.match(stdout, /^StartLimitIntervalSec=0$/m);
  assert.match(stdout, /^RestartSec=10$/m);
  assert.match(stdout, /^WantedBy=multi-user\.target$/m);
  assert.match(stderr, /Nothing was installed.*\/etc\/systemd\/system\/mitschrift\.service/);
});

test('a unit of a node with a bucket names the bucket’s credentials, which it lacks', async (t) => {
  const { stderr } = await run(process.execPath, [program, 'service', 'install', '--system'], {
    cwd: root,
    env: {
      PATH: process.env['PATH'],
      HOME: await tempDir(t),
      MITSCHRIFT_DATABASE_URL: 'postgres://anna:hidden@host/notes',
      MITSCHRIFT_BLOBS_URL: 's3://notes?region=eu-central-1',
      MITSCHRIFT_MASTER_KEY_FILE: '/etc/mitschrift.key',
      AWS_ACCESS_KEY_ID: 'hidden',
      AWS_SECRET_ACCESS_KEY: 'hidden',
    },
  });
  const lacked = 'MITSCHRIFT_DATABASE_URL, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY';
  assert.ok(stderr.includes(`Secrets are not written to the unit: ${lacked}.`), stderr);
  assert.ok(stderr.includes(`Without ${lacked} it doesn’t work.`), stderr);
  assert.ok(!stderr.includes('hidden'));
});

test('a unit of a cluster’s node keeps what makes it one, and names the secrets it lacks', async (t) => {
  const { stdout, stderr } = await run(
    process.execPath,
    [program, 'service', 'install', '--system'],
    {
      cwd: root,
      env: {
        PATH: process.env['PATH'],
        HOME: await tempDir(t),
        MITSCHRIFT_MODELS: 'models',
        MITSCHRIFT_DATABASE_URL: 'postgres://anna:hidden@host/notes',
        MITSCHRIFT_BLOBS_URL: 'file:///srv/mitschrift',
        MITSCHRIFT_ROLE: 'work',
        MITSCHRIFT_WORK_SLOTS: '3',
        MITSCHRIFT_MASTER_KEY: 'hidden',
        MITSCHRIFT_MASTER_KEY_FILE: '/etc/mitschrift.key',
      },
    },
  );
  for (const line of [
    `MITSCHRIFT_MODELS=${join(root, 'models')}`,
    'MITSCHRIFT_BLOBS_URL=file:///srv/mitschrift',
    'MITSCHRIFT_ROLE=work',
    'MITSCHRIFT_WORK_SLOTS=3',
    'MITSCHRIFT_MASTER_KEY_FILE=/etc/mitschrift.key',
  ])
    assert.ok(stdout.includes(`\nEnvironment=${line}\n`), line);
  assert.match(stderr, /Secrets .*: MITSCHRIFT_DATABASE_URL, MITSCHRIFT_MASTER_KEY\.$/m);
  assert.match(stderr, /EnvironmentFile=/);
  assert.ok(!`${stdout}${stderr}`.includes('hidden'));
});

const unitOf = (program: string, given: Partial<UnitInput> = {}) =>
  unitText({
    node: process.execPath,
    program,
    ...given,
    dataDir: '/home/anna/with space/$data',
    environment: { MITSCHRIFT_PORT: '8765' },
  });
