import { ulid } from 'ulid';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openFileKeys } from '../../events/log/file-keys.ts';
import { openLog } from '../../events/log/level-log.ts';
import type { Segment } from '../../events/facts/transcript.ts';
import { recordingStream } from '../../events/facts/recording.ts';
import { speakerLabel } from '../../projections/recording/join-turns.ts';
import { factTeller, tellImport } from '../support/fact-teller.ts';
import { apiOf, setUp, watchUntil } from '../support/service-process.ts';
import { seeded } from '../support/seeded.ts';
import { type BuiltService, builtService } from './built-service.ts';
import { type Measured, countFrom, seconds } from './measure.ts';
import { said } from './talks.ts';

export const about = 'a meeting of hours: words and speakers joined, documents written';
export const throughBuild = true;

const hoursMax = countFrom('BENCH_MEETING_HOURS', 3);
const speakers = countFrom('BENCH_MEETING_SPEAKERS', 20);
const secondsMax = 2;
const turnSeconds = 3;
const stretchSeconds = 300;
const withinMs = 600_000;

/** Facts of meetings of one to three hours, whose engine has done its work; the service does the rest. */
export async function* bench(): AsyncIterable<Measured> {
  const root = await mkdtemp(join(tmpdir(), 'mitschrift-bench-'));
  try {
    const service = await builtService();
    // The first service of all finds its files on the disk.
    await meeting(service, join(root, 'first'), 1);
    const found: Measurement[] = [];
    for (let hours = 1; hours <= hoursMax; hours += 1) {
      found.push(await meeting(service, join(root, String(hours)), hours));
    }
    const [one] = found;
    for (const [at, { joining, writing, mib }] of found.entries()) {
      const hours = at + 1;
      const what = `${hours} h of ${speakers} speakers against 1 h`;
      const both = joining + writing;
      yield {
        what: `${what}: joined and written, an hour`,
        ours: `${seconds(joining)} + ${seconds(writing)}`,
        bare: `${seconds(one!.joining)} + ${seconds(one!.writing)}`,
        ratio: both / hours / (one!.joining + one!.writing),
        aim: `≤ ${secondsMax} s`,
        met: both <= secondsMax * 1000,
      };
      yield {
        what: `${what}: peak memory of the service`,
        ours: `${Math.round(mib)} MiB`,
        bare: `${Math.round(one!.mib)} MiB`,
        ratio: mib / one!.mib,
        aim: '≤ 1.5',
      };
    }
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

/** Milliseconds from the start of a stage to its result, as the log has it. */
type Measurement = { joining: number; writing: number; mib: number };

async function meeting(
  service: BuiltService,
  dataDir: string,
  hours: number,
): Promise<Measurement> {
  await mkdir(dataDir);
  const first = await service.start(dataDir);
  const token = await setUp(first.url);
  await first.end('SIGTERM');
  const id = ulid();
  await tellMeeting(dataDir, id, hours * 3600);
  const running = await service.start(dataDir);
  const { get, post } = apiOf(running.url, token);
  const until = (status: string) =>
    watchUntil(
      running.url,
      token,
      async () => {
        const now = await get<{ status: string }>(`/status`);
        if (now.status === 'ERROR') throw new Error('the meeting failed');
        return now.status === status;
      },
      withinMs,
    );
  await until('AWAITING_SPEAKERS');
  await post('/speakers', { skip: true });
  await until('IDLE');
  const memory = await readFile(`/proc/${running.pid}/status`, 'utf8');
  await running.end('SIGTERM');
  const store = await opened(dataDir);
  const times = new Map<string, number>();
  for await (const { type, data, at } of store.read(recordingStream(id))) {
    const stage = type === 'stage.started' ? (data as { stage: string }).stage : '';
    times.set(`${type} ${stage}`.trim(), Date.parse(at));
  }
  await store.close();
  const between = (start: string, end: string) => times.get(end)! - times.get(start)!;
  return {
    joining: between('stage.started join', 'turns.joined'),
    writing: between('stage.started write', 'documents.saved'),
    mib: Number(/^VmHWM:\s+(\d+) kB/m.exec(memory)?.[1] ?? 0) / 1024,
  };
}

const opened = async (dataDir: string) =>
  openLog({
    directory: join(dataDir, 'log'),
    keys: await openFileKeys(join(dataDir, 'keys')),
  });

async function tellMeeting(dataDir: string, id: string, duration: number): Promise<void> {
  const store = await opened(dataDir);
  let owner = '';
  for await (const fact of store.read('users', { limit: 1 })) {
    if ('user_id' in fact.data) owner = fact.data.user_id;
  }
  const teller = factTeller(store);
  const recognising = 'transcribing.recognising';
  await tellImport(teller, id, { owner, kind: 'meeting' });
  const started = (stage: 'transcribe' | 'diarize' | 'identify', attempt: number, to: string) =>
    teller.of(id, { type: 'stage.started', data: { stage } }, to, { attempt, run: 1 });
  await started('transcribe', 1, recognising);
  const stretches = Array.from({ length: duration / stretchSeconds }, (_, at): [number, number] => [
    at * stretchSeconds,
    (at + 1) * stretchSeconds,
  ]);
  await teller.of(
    id,
    { type: 'speech.detected', data: { detector: 'none', duration, stretches, warnings: [] } },
    recognising,
    { run: 1, attempt: 1 },
  );
  const random = seeded(1);
  let words = 0;
  for (const [index, [start, end]] of stretches.entries()) {
    const segments: Segment[] = [];
    for (let at = start; at < end; at += turnSeconds) segments.push(spoken(random, at));
    words += segments.length * wordsEach;
    await teller.of(
      id,
      {
        type: 'utterance.recognised',
        data: { index, start, end, words: segments.length * wordsEach, language: 'en' },
        content: { segments },
      },
      recognising,
      { run: 1, attempt: 1 },
    );
  }
  const worker = { engine: 'local', model: 'none' };
  const utterances = stretches.length;
  const completed = { ...worker, language: 'en', utterances, words };
  const attributing = 'transcribing.attributing(diarize.running,identify.running)';
  await teller.of(id, { type: 'transcription.completed', data: completed }, attributing, {
    run: 1,
    attempt: 1,
  });
  await started('diarize', 2, attributing);
  await started('identify', 3, attributing);
  const turns = Array.from({ length: duration / turnSeconds }, (_, i): [number, number, string] => [
    i * turnSeconds,
    i * turnSeconds + turnSeconds - 0.2,
    // Everybody speaks early, then in no order.
    speakerLabel(i < speakers ? i : random.below(speakers)),
  ]);
  await teller.of(
    id,
    { type: 'diarization.completed', data: { ...worker, turns } },
    'transcribing.attributing(diarize.done,identify.running)',
    { run: 1, attempt: 2 },
  );
  await teller.of(
    id,
    { type: 'identification.skipped', data: { reason: 'none' } },
    'transcribing.joining',
    { run: 1, attempt: 3 },
  );
  await store.close();
}

const wordsEach = 8;

function spoken(random: ReturnType<typeof seeded>, start: number): Segment {
  const each = (turnSeconds - 0.3) / wordsEach;
  const words = Array.from({ length: wordsEach }, (_, i) => ({
    text: said(random) + (i === wordsEach - 1 ? '.' : ''),
    start: start + i * each,
    end: start + (i + 1) * each,
  }));
  const text = words.map((word) => word.text).join(' ');
  return { start, end: words.at(-1)!.end, text, words };
}
