import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { speech, sentences } from '../support/pulse-speech.ts';
import { eventually } from '../support/eventually.ts';
import { privatePulse } from '../support/pulse.ts';
import { apiOf, setUp } from '../support/service-process.ts';
import { builtService, untilListening } from './built-service.ts';
import { percentile, type Measured } from './measure.ts';

export const about = 'an hour of recording: memory and open files at its end';
export const throughBuild = true;
export const onlyByName = true;

const minutes = Number(process.env['BENCH_SOAK_MINUTES'] ?? 60);
const sampleEveryMs = 10_000;
/** Of the whole: what comes before is warming up, and both thirds have as many samples. */
const part = 1 / 6;
const samplesATold = 30;

/** What a process holds at one moment. */
type Held = { anonymous: number; handles: number };

/**
 * Takes as long as it records: only when asked for by name. The compiled service records microphone and
 * speakers together for an hour from a PulseAudio of its own while speech is played into both and a
 * browser's socket listens.
 */
export async function* bench(): AsyncIterable<Measured> {
  const endings: (() => unknown)[] = [];
  const t = { after: (ending: () => unknown) => void endings.unshift(ending) };
  try {
    const root = await mkdtemp(join(tmpdir(), 'mitschrift-soak-'));
    t.after(() => rm(root, { recursive: true, force: true }));
    const held = await record(t, root);
    for (const who of ['service', 'capture'] as const) {
      yield* compared(
        `${who}, ${minutes} minutes of recording: last sixth against the second`,
        held[who],
      );
    }
  } finally {
    for (const ending of endings) await ending();
  }
}

async function record(
  t: { after(ending: () => unknown): void },
  root: string,
): Promise<Record<'service' | 'capture', Held[]>> {
  const pulse = await privatePulse(t);
  const { main } = await builtService();
  const service = await untilListening([main, 'serve'], {
    ...(pulse.env as Record<string, string>),
    MITSCHRIFT_DATA: root,
  });
  t.after(() => service.end());
  const token = await setUp(service.url);
  const api = apiOf(service.url, token);
  await api.post('/audio/combined', { microphone: 'mic.monitor', monitor: 'speakers.monitor' });
  const socket = new WebSocket(`${service.url.replace('http', 'ws')}/ws?token=${token}`);
  socket.on('message', () => undefined);
  t.after(() => socket.terminate());
  const voices = {
    mic: await speech(root, 'mic', sentences.mic),
    speakers: await speech(root, 'speakers', sentences.speakers),
  };

  const begun = await api.post<{ recording_id: string }>('/toggle', {});
  const folder = join(root, 'recordings', begun.recording_id);
  const capture = await eventually('it is captured', () => captureOf(begun.recording_id));
  const end = performance.now() + minutes * 60_000;
  const talking = Promise.all(
    (['mic', 'speakers'] as const).map(async (sink) => {
      while (performance.now() < end) await pulse.play(voices[sink].path, sink);
    }),
  );
  const held = { service: [] as Held[], capture: [] as Held[] };
  while (performance.now() < end) {
    await sleep(sampleEveryMs);
    held.service.push(await heldBy(service.pid));
    held.capture.push(await heldBy(capture));
    if (held.service.length % samplesATold === 1) tell(held);
  }
  await talking;
  const seconds = ((await stat(join(folder, 'audio.wav'))).size - 44) / 32_000;
  const { recording } = await api.get<{ recording: { warnings: unknown } | null }>('/status');
  console.error(
    `${seconds.toFixed(1)} s recorded; warnings: ${JSON.stringify(recording?.warnings)}`,
  );
  await api.post('/toggle', {});
  return held;
}

function* compared(what: string, held: Held[]): Iterable<Measured> {
  const count = Math.max(1, Math.round(held.length * part));
  const middle = held.slice(count, 2 * count);
  const last = held.slice(-count);
  const [ours, bare] = [last, middle].map((some) => median(some.map(({ anonymous }) => anonymous)));
  yield {
    what: `anonymous memory of the ${what}`,
    ours: `${ours!.toFixed(1)} MiB`,
    bare: `${bare!.toFixed(1)} MiB`,
    ratio: ours! / bare!,
    aim: '≤ 1.1',
  };
  const [now, before] = [last, middle].map((some) => median(some.map(({ handles }) => handles)));
  yield {
    what: `open files of the ${what}`,
    ours: String(now),
    bare: String(before),
    ratio: now! / before!,
    aim: '≤ 1.1',
  };
}

function tell(held: Record<'service' | 'capture', Held[]>): void {
  const minute = Math.round((held.service.length * sampleEveryMs) / 60_000);
  const now = Object.entries(held).map(([who, some]) => {
    const { anonymous, handles } = some.at(-1)!;
    return `${who} ${anonymous.toFixed(1)} MiB, ${handles} open files`;
  });
  console.error(`minute ${minute}: ${now.join('; ')}`);
}

const median = (values: number[]): number => percentile(values, 0.5);

async function heldBy(pid: number): Promise<Held> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return {
    anonymous: Number(/^RssAnon:\s+(\d+) kB/m.exec(status)![1]) / 1024,
    handles: (await readdir(`/proc/${pid}/fd`)).length,
  };
}

/** The capture is nobody's child: it is known by the recording it is asked to make. */
async function captureOf(recordingId: string): Promise<number | null> {
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (command.includes('capture-process') && command.includes(recordingId)) return Number(pid);
  }
  return null;
}
