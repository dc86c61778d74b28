import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import { audioServer, type AudioServerName } from './audio-servers.ts';

const run = promisify(execFile);

/** An audio server of the test's own, with null sinks for sound hardware. */
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

/** Which one the tests run against: `MITSCHRIFT_AUDIO_SERVER=pipewire`, or PulseAudio. */
export const testedServer: AudioServerName =
  process.env['MITSCHRIFT_AUDIO_SERVER'] === 'pipewire' ? 'pipewire' : 'pulseaudio';

/** Starts one in a private runtime directory; gone when the test is over. */
export async function privatePulse(
  t: Pick<TestContext, 'after'>,
  server = testedServer,
  { managed = true } = {},
): Promise<PrivatePulse> {
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
  const pactl = async (...args: string[]) =>
    (await run('pactl', args, { env: { ...env, LC_ALL: 'C' }, timeout: 10_000 })).stdout;
  const daemon = audioServer(server, { env, modules: devices, pactl, managed });
  t.after(async () => {
    await daemon.dispose();
    await rm(folder, { recursive: true, force: true });
  });
  await daemon.start();
  return {
    env,
    pactl,
    play: async (path, sink) => void (await run('paplay', [`--device=${sink}`, path], { env })),
    kill: () => daemon.kill(),
    hang: () => daemon.signal('SIGSTOP'),
    wake: () => daemon.signal('SIGCONT'),
    start: () => daemon.start(),
  };
}
