import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSpeechFile } from '../../src/audio/speech-file.ts';
import { speechRate } from '../../src/audio/wav.ts';
import { localDiarizer } from '../../src/speech/diarization/diarize.ts';
import { localProcess } from '../../src/speech/local/local-process.ts';
import { linesOf, synthesise, writeDialogue } from '../support/dialogues.ts';
import { modelsDir } from '../support/models.ts';
import { ratesOf } from '../support/speaker-rates.ts';
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
      const lines = linesOf(voices, voices * 8);
      // Each fifth line begins before the one before it ends.
      const overlapping = lines.map((line, at) => (at % 5 === 4 ? { ...line, gap: -0.5 } : line));
      const rates = await ratesOf(overlapping, root);
      const row = (what: string, value: number, aim: string): Measured => ({
        what: `${voices} voices, ${what}`,
        ours: `${(value * 100).toFixed(1)} %`,
        bare: `${rates.speakers} found`,
        ratio: value,
        aim,
      });
      yield row('word error rate', rates.wordErrors, '≤ 0.2');
      yield row('diarization error rate', rates.diarizationErrors, '≤ 0.1');
      yield row('words under the right speaker', rates.rightSpeaker, '≥ 0.95');
    }
    const [short, long] = [
      await longDialogue(root, shortMinutes),
      await longDialogue(root, longMinutes),
    ];
    const what = `telling speakers apart, ${longMinutes} minutes against ${shortMinutes}`;
    yield {
      what: `${what}: processor time of a minute (${long.speakers} voices found)`,
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

/** Two people talk, then two others for most of the time; at the end the first two are back. */
async function longDialogue(root: string, minutes: number) {
  const path = join(root, `${minutes}.wav`);
  const [ours, theirs] = [
    await synthesise(linesOf(2, 16)),
    await synthesise(linesOf(2, 16).map((line) => ({ ...line, speaker: line.speaker + 2 }))),
  ];
  const times = Math.ceil((minutes * 60 * speechRate) / ours.samples.length);
  const once = Math.max(1, Math.floor(times / 6));
  const parts = Array.from(
    { length: times },
    (_, at) => (at < once || at >= times - once ? ours : theirs).samples,
  );
  await writeDialogue(path, parts);
  const engineProcess = localProcess();
  const diarizer = (await localDiarizer(modelsDir, engineProcess))!;
  const audio = await openSpeechFile(path);
  try {
    const { signal } = new AbortController();
    const found = await diarizer.diarize(audio, { speakers: null, signal, onProgress() {} });
    const pid = engineProcess.pid!;
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    const mib = Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024;
    return { ms: (await cpuTime(pid)) / 1000, mib, speakers: found.voices.length };
  } finally {
    await audio.close();
    await diarizer.close();
    await rm(path);
  }
}
