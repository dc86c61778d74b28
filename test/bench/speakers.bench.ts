import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { speechRate } from '../../src/audio/wav.ts';
import { localProcess } from '../../src/speech/local/local-process.ts';
import { type Line, linesOf, synthesise, writeDialogue } from '../support/dialogues.ts';
import { type Rates, ratesOf, ratesOfFile } from '../support/speaker-rates.ts';
import { channelRows, doubtRows, ghostRows, languageRows } from './heard-rows.ts';
import { type Measured, countFrom, seconds } from './measure.ts';
import { cpuTime } from './processor-time.ts';

export const about = 'who said what in synthesised dialogues; a long dialogue against a short one';
export const throughBuild = false;

const longMinutes = countFrom('BENCH_DIALOGUE_MINUTES', 120);
const shortMinutes = longMinutes / 4;

export async function* bench(): AsyncIterable<Measured> {
  const root = await mkdtemp(join(tmpdir(), 'mitschrift-bench-'));
  try {
    for (const voices of [2, 3, 5]) {
      const lines = overlapping(linesOf(voices, voices * 8));
      yield* ratesRows(`${voices} voices`, await ratesOf(lines, root));
    }
    const men = linesOf(2, 16).map((line) => ({ ...line, speaker: line.speaker * 2 }));
    yield* ratesRows('2 voices of one sex', await ratesOf(overlapping(men), root));
    yield* channelRows(root);
    yield* ghostRows(root);
    yield* languageRows();
    yield* doubtRows();
    if (longMinutes === 0) return;
    const [short, long] = [
      await longDialogue(root, shortMinutes),
      await longDialogue(root, longMinutes),
    ];
    yield* ratesRows(`${longMinutes} minutes, 2 of 4 voices return at the end`, long.rates);
    const what = `telling speakers apart, ${longMinutes} minutes against ${shortMinutes}`;
    yield {
      what: `${what}: processor time of a minute (${long.rates.speakers} voices found)`,
      ours: seconds(long.ms),
      bare: seconds(short.ms),
      ratio: long.ms / longMinutes / (short.ms / shortMinutes),
      aim: '≤ 1.3',
    };
    yield {
      what: `${what}: peak memory of the engine`,
      ours: `${Math.round(long.mib)} MiB`,
      bare: `${Math.round(short.mib)} MiB`,
      ratio: long.mib / short.mib,
      aim: '≤ 1.3',
    };
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

/** Each fifth line begins before the one before it ends. */
const overlapping = (lines: readonly Line[]): Line[] =>
  lines.map((line, at) => (at % 5 === 4 ? { ...line, gap: -0.5 } : line));

function ratesRows(whose: string, rates: Rates): Measured[] {
  const row = (what: string, value: number, aim: string): Measured => ({
    what: `${whose}, ${what}`,
    ours: `${(value * 100).toFixed(1)} %`,
    bare: `${rates.speakers} found`,
    ratio: value,
    aim,
  });
  return [
    row('word error rate', rates.wordErrors, '≤ 0.2'),
    row('diarization error rate', rates.diarizationErrors, '≤ 0.1'),
    row('words under the right speaker', rates.rightSpeaker, '≥ 0.95'),
  ];
}

/** Two people talk, then two others for most of the time; at the end the first two are back. */
async function longDialogue(root: string, minutes: number) {
  const path = join(root, `${minutes}.wav`);
  const [ours, theirs] = [
    await synthesise(linesOf(2, 16)),
    await synthesise(linesOf(2, 16).map((line) => ({ ...line, speaker: line.speaker + 2 }))),
  ];
  const times = Math.ceil((minutes * 60 * speechRate) / ours.samples.length);
  const once = Math.max(1, Math.floor(times / 6));
  const parts = Array.from({ length: times }, (_, at) =>
    at < once || at >= times - once ? ours : theirs,
  );
  await writeDialogue(
    path,
    parts.map(({ samples }) => samples),
  );
  let at = 0;
  const said = parts.flatMap(({ samples, said: own }) => {
    const from = at;
    at += samples.length / speechRate;
    return own.map((one) => ({ ...one, start: one.start + from, end: one.end + from }));
  });
  let [ms, mib] = [0, 0];
  const engineProcess = localProcess();
  try {
    const rates = await ratesOfFile(path, said, {
      ...engineProcess,
      // What it took is known until it is closed.
      async close() {
        const pid = engineProcess.pid!;
        const status = await readFile(`/proc/${pid}/status`, 'utf8');
        mib = Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024;
        ms = (await cpuTime(pid)) / 1000;
        await engineProcess.close();
      },
      get pid() {
        return engineProcess.pid;
      },
    });
    return { ms, mib, rates };
  } finally {
    await rm(path);
  }
}
