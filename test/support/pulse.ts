import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import { until } from './pulse-until.ts';

const run = promisify(execFile);

/** A PulseAudio daemon of the test's own, with null sinks for sound hardware. */
export type PrivatePulse = {
  env: NodeJS.ProcessEnv;
  pactl(...args: string[]): Promise<string>;
  /** Plays a WAV file into a sink; returns when the last sample has been played. */
  play(path: string, sink: string): Promise<void>;
  /** kill -9. */
  kill(): Promise<void>;
  /** SIGSTOP, SIGCONT. */
  hang(): void;
  wake(): void;
  /** After `kill`: the same sinks and sources again. */
  start(): Promise<void>;
};

/** What is played into `mic` comes out of the source `desk_mic`; `speakers.monitor` hears `speakers`. */
const devices = [
  `module-null-sink sink_name=mic sink_properties=device.description=MicSide`,
  `module-null-sink sink_name=speakers sink_properties='device.description="Büro: Speakers 2.0"'`,
  `module-remap-source source_name=desk_mic master=mic.monitor source_properties='device.description="Desk Mic"'`,
];

/** Starts one in a private runtime directory; gone when the test is over. */
export async function privatePulse(t: Pick<TestContext, 'after'>): Promise<PrivatePulse> {
  const folder = await mkdtemp(join(tmpdir(), 'ms-pulse-'));
  const runtime = join(folder, 'run');
  await mkdir(runtime, { mode: 0o700 });
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    HOME: folder,
    XDG_RUNTIME_DIR: runtime,
    XDG_CONFIG_HOME: folder,
    PULSE_RUNTIME_PATH: join(runtime, 'pulse'),
    PULSE_SERVER: `unix:${join(runtime, 'pulse', 'native')}`,
  };
  let daemon: ChildProcess | undefined;
  const pactl = async (...args: string[]) =>
    (await run('pactl', args, { env: { ...env, LC_ALL: 'C' }, timeout: 10_000 })).stdout;

  const start = async () => {
    daemon = spawn(
      'pulseaudio',
      [
        '-n',
        '--daemonize=no',
        '--exit-idle-time=-1',
        '--disable-shm=yes',
        '--load=module-native-protocol-unix',
        ...devices.map((device) => `--load=${device}`),
      ],
      { env, stdio: 'ignore' },
    );
    await until('the audio server answers', () =>
      pactl('info').then(
        () => true,
        () => false,
      ),
    );
  };
  const kill = async () => {
    const dying = daemon;
    daemon = undefined;
    if (!dying || dying.exitCode !== null || dying.signalCode !== null) return;
    const gone = once(dying, 'exit');
    dying.kill('SIGKILL');
    await gone;
  };
  t.after(async () => {
    await kill();
    await rm(folder, { recursive: true, force: true });
  });
  await start();
  return {
    env,
    pactl,
    play: async (path, sink) => void (await run('paplay', [`--device=${sink}`, path], { env })),
    kill,
    hang: () => void daemon?.kill('SIGSTOP'),
    wake: () => void daemon?.kill('SIGCONT'),
    start,
  };
}
