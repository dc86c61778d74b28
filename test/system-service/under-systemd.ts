/**
 * By hand, as root on Linux with `unshare` and cgroup v2: `npx tsx test/system-service/under-systemd.ts`.
 * Runs the installed unit under a real `systemd --user`, in a mount and cgroup namespace of its own, and
 * prints what became of a running capture when the unit was restarted, killed, stopped and failed.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { adoptCapture } from '../../src/capture/process/client.ts';
import { unitName, unitText } from '../../src/cli/service.ts';
import { builtService } from '../bench/built-service.ts';
import { eventually } from '../support/eventually.ts';
import { privatePulse } from '../support/pulse.ts';
import { apiOf, setUp } from '../support/service-process.ts';
import { tempDir } from '../support/temp-dir.ts';

const run = promisify(execFile);
const cgroup = `/sys/fs/cgroup/${await unified()}mitschrift-test-${process.pid}`;
const port = 8700 + (process.pid % 200);

const undo: (() => unknown)[] = [];
const t = { after: (work: () => unknown) => void undo.unshift(work) };
try {
  await examine();
} finally {
  for (const work of undo) await work();
}
process.exit();

async function examine(): Promise<void> {
  const { main } = await builtService();
  const pulse = await privatePulse(t);
  const root = await tempDir(t);
  const dataDir = join(root, 'data');
  const units = join(root, 'config/systemd/user');
  await mkdir(units, { recursive: true });
  const environment = { MITSCHRIFT_PORT: String(port), MITSCHRIFT_AUDIO_DEVICE: 'Desk Mic' };
  const unit = unitText({ node: process.execPath, program: main, dataDir, environment });
  await writeFile(join(units, unitName), unit);
  const runtime = pulse.env['XDG_RUNTIME_DIR']!;
  const env = {
    ...pulse.env,
    XDG_CONFIG_HOME: join(root, 'config'),
    DBUS_SESSION_BUS_ADDRESS: `unix:path=${join(runtime, 'bus')}`,
  };
  const manager = await userManager(env);
  const systemctl = async (...args: string[]) =>
    (
      await run('nsenter', ['-t', String(manager.pid), '-m', 'systemctl', '--user', ...args], {
        env,
      })
    ).stdout.trim();
  await eventually('systemd runs', () =>
    systemctl('is-system-running').then(
      () => true,
      (error: { stdout?: string }) => /degraded/.test(error.stdout ?? ''),
    ),
  );
  const state = async () =>
    (await systemctl('show', unitName, '-P', 'ActiveState', '-P', 'SubState')).replace('\n', ' ');
  const mainPid = async () => Number(await systemctl('show', unitName, '-P', 'MainPID'));

  await systemctl('start', unitName);
  const url = `http://127.0.0.1:${port}`;
  const answers = () =>
    eventually('it answers', () =>
      fetch(`${url}/health`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
  await answers();
  const token = await setUp(url);
  const api = apiOf(url, token);
  const { recording_id: id } = await api.post<{ recording_id: string }>('/toggle', {});
  const folder = join(dataDir, 'recordings', id);
  const capture = async () => {
    const live = await adoptCapture(folder);
    live?.release();
    return live && { pid: live.pid, samples: live.status().ledger.samples };
  };
  const first = await eventually('it captures', async () => {
    const now = await capture();
    return now && now.samples > 0 ? now : null;
  });
  const recordsOn = async (what: string) => {
    const before = (await capture())?.samples ?? Infinity;
    const later = await eventually(`${what}: it records on`, async () => {
      const now = await capture();
      return now && now.samples > before + 8000 ? now : null;
    });
    console.log(
      `${what}: unit ${await state()}, capture ${later.pid === first.pid ? 'the same' : 'ANOTHER'}`,
    );
  };
  const followed = async () => {
    await answers();
    await eventually('the service follows it', async () => {
      const { recording } = await api.get<{ recording: { duration: number } | null }>('/status');
      return (recording?.duration ?? 0) > 0;
    });
  };

  await recordsOn('start');
  await systemctl('restart', unitName);
  await followed();
  await recordsOn('restart');
  await systemctl('kill', '--kill-whom=main', '-s', 'KILL', unitName);
  await followed();
  await recordsOn('main process killed (as by the OOM killer), restarted by systemd');
  await systemctl('stop', unitName);
  await recordsOn('stop');
  await systemctl('start', unitName);
  await followed();
  await recordsOn('start after stop');
  for (let failure = 0; (await state()) !== 'failed failed'; failure += 1) {
    if (failure > 15) throw new Error(`still ${await state()}`);
    const pid = await eventually(
      'it runs',
      async () => (await state()).startsWith('failed') || (await mainPid()) || null,
    );
    if (typeof pid === 'number') process.kill(pid, 'SIGKILL');
    await eventually('it is gone', async () => (await mainPid()) !== pid);
  }
  await recordsOn('failed for good');
  await systemctl('reset-failed', unitName);
  await systemctl('start', unitName);
  await followed();
  const live = (await adoptCapture(folder))!;
  const { samples, gaps } = live.status().ledger;
  console.log(`${samples} samples, gaps ${JSON.stringify(gaps)}`);
  live.stop();
  await systemctl('stop', unitName);
}

/** A manager in namespaces of its own; what it mounts and makes is not seen outside. */
async function userManager(env: NodeJS.ProcessEnv): Promise<ChildProcess> {
  await mkdir(cgroup);
  t.after(async () => {
    // All that was ever started in it, and nothing else.
    await writeFile(join(cgroup, 'cgroup.kill'), '1');
    await eventually('its processes are gone', async () =>
      (await readFile(join(cgroup, 'cgroup.events'), 'utf8')).includes('populated 0'),
    );
    await run('find', [cgroup, '-depth', '-type', 'd', '-exec', 'rmdir', '{}', ';']);
  });
  const script = `
    mount --make-rprivate / && mount -t tmpfs tmpfs /run && mkdir -p /run/systemd/system &&
    mount -t tmpfs tmpfs /sys/fs && mkdir /sys/fs/cgroup && mount -t cgroup2 cgroup2 /sys/fs/cgroup &&
    { dbus-daemon --session --nofork "--address=$DBUS_SESSION_BUS_ADDRESS" & } &&
    exec /lib/systemd/systemd --user`;
  const join_ = `echo $$ > ${cgroup}/cgroup.procs && exec unshare --mount --cgroup sh -c '${script}'`;
  return spawn('sh', ['-c', join_], { env, stdio: ['ignore', 'ignore', 'inherit'] });
}

/** Where cgroup v2 is mounted, below /sys/fs/cgroup. */
async function unified(): Promise<string> {
  const mounts = await readFile('/proc/mounts', 'utf8');
  const path = /^cgroup2 (\S+)/m.exec(mounts)?.[1];
  if (!path) throw new Error('no cgroup v2');
  return path === '/sys/fs/cgroup' ? '' : `${path.replace('/sys/fs/cgroup/', '')}/`;
}
