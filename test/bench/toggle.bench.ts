import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { make } from '../support/espeak.ts';
import { privatePulse } from '../support/pulse.ts';
import { apiOf, setUp } from '../support/service-process.ts';
import { tempDir } from '../support/temp-dir.ts';
import { builtService, untilListening, untilReady } from './built-service.ts';
import {
  countFrom,
  inTurns,
  medians,
  milliseconds,
  msOf,
  percentile,
  type Measured,
} from './measure.ts';

export const about = 'key press to the first audio on the disk, against PortAudio alone';
export const throughBuild = true;

const run = promisify(execFile);
const repetitions = countFrom('BENCH_PRESSES', 20);
const device = 'Desk Mic';

/** From the key press (`mitschrift toggle` is started) to the first 100 ms on the disk, against PortAudio alone. */
export async function* bench(): AsyncIterable<Measured> {
  const undo: (() => unknown)[] = [];
  const t = { after: (work: () => unknown) => void undo.unshift(work) };
  try {
    const pulse = await privatePulse(t);
    const dataDir = await tempDir(t);
    // A sink on which nothing is played, or in large pieces, gives its first sample two seconds late;
    // microphones do not.
    const quiet = join(dataDir, 'quiet.wav');
    await make('sox', '-n', '-r', '44100', '-c', '2', quiet, 'trim', '0', '600');
    const player = spawn('paplay', ['--latency-msec=20', '--device=mic', quiet], {
      env: pulse.env,
    });
    t.after(() => player.kill());
    const { main } = await builtService();
    const env = {
      ...(pulse.env as Record<string, string>),
      MITSCHRIFT_DATA: dataDir,
      MITSCHRIFT_AUDIO_DEVICE: device,
    };
    const service = await untilListening([main, 'serve'], env);
    t.after(() => service.end());
    await untilReady(service.url);
    const token = await setUp(service.url);
    // Writes the configuration that has the device, for PortAudio alone.
    await apiOf(service.url, token).get('/audio/devices');
    const command = (...args: string[]) =>
      run(process.execPath, [main, 'toggle', ...args], { env });
    const took = await inTurns(
      repetitions,
      async () => {
        const before = new Set(await readdir(join(dataDir, 'recordings')));
        const pressed = performance.now();
        const answered = command();
        const ms = (await firstSamples(join(dataDir, 'recordings'), before)) - pressed;
        const { stdout } = await answered;
        const id = stdout.trim().split(' ').at(-1);
        await apiOf(service.url, token).post(`/recordings/${id}/discard`);
        return ms;
      },
      async () => {
        const configured = { ...env, ALSA_CONFIG_PATH: join(dataDir, 'asound.conf') };
        const script = join(import.meta.dirname, 'bare-capture.mjs');
        const started = performance.now();
        const child = spawn(process.execPath, [script, device, join(dataDir, 'bare.pcm')], {
          env: configured,
          stdio: ['ignore', 'pipe', 'ignore'],
        });
        const exited = once(child, 'exit');
        let heardAt = 0;
        // Its libraries print there as well.
        child.stdout.on('data', (text: Buffer) => {
          if (heardAt === 0 && text.includes('heard')) heardAt = performance.now();
        });
        await exited;
        return heardAt - started;
      },
    );
    const reset = () => msOf(async () => void (await command('--reset')));
    const nothing = () => msOf(async () => void (await run(process.execPath, ['-e', ''])));
    const commands = medians(await inTurns(repetitions, reset, nothing));
    yield {
      what: 'of it the command and its answer, median, against starting node',
      ours: milliseconds(commands.ours),
      bare: milliseconds(commands.bare),
      ratio: commands.ours / commands.bare,
      aim: '',
    };
    // A person feels what is usual, and remembers the worst.
    for (const [name, part] of [
      ['median', 0.5],
      ['worst', 1],
    ] as const) {
      const [ours, bare] = [percentile(took.ours, part), percentile(took.bare, part)];
      yield {
        what: `key press to the first 100 ms on the disk, ${name} of ${repetitions}, against PortAudio alone`,
        ours: milliseconds(ours),
        bare: milliseconds(bare),
        ratio: ours / bare,
        aim: '≤ 1 s',
        met: ours <= 1000,
      };
    }
  } finally {
    for (const work of undo) await work();
  }
}

/** When a recording that was not there before has samples. */
async function firstSamples(recordings: string, before: ReadonlySet<string>): Promise<number> {
  const deadline = performance.now() + 20_000;
  while (performance.now() < deadline) {
    const id = (await readdir(recordings)).find((name) => !before.has(name));
    const file = id && (await stat(join(recordings, id, 'audio.wav')).catch(() => null));
    if (file && file.size > 44) return performance.now();
    await sleep(2);
  }
  throw new Error('nothing was recorded within 20 s');
}
