import { anyNumber, speakerCount } from '../../src/shared/speaker-count.ts';
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openSpeechFile } from '../../src/audio/speech-file.ts';
import type { SpeechFile } from '../../src/audio/wav.ts';
import { localDiarizer } from '../../src/speech/diarization/diarize.ts';
import { type LocalProcess, localProcess } from '../../src/speech/local/local-process.ts';
import { type Line, linesOf, synthesise, writeDialogue } from '../support/dialogues.ts';
import { folderFor } from '../support/espeak.ts';
import { eventually } from '../support/eventually.ts';
import { copyModel, modelsDir } from '../support/models.ts';
import { ratesOf } from '../support/speaker-rates.ts';

const { signal } = new AbortController();
const options = { speakers: anyNumber, signal, onProgress() {} };

const breaksIn = (lines: Line[], { seconds, every = 3 }: { seconds: number; every?: number }) =>
  lines.map((line, at): Line => (at % every === every - 1 ? { ...line, gap: -seconds } : line));

for (const [whose, speakers, lines] of [
  ['three voices, two of them of one sex', 3, breaksIn(linesOf(3, 9), { seconds: 0.4 })],
  [
    'two voices of one sex',
    2,
    breaksIn(linesOf(2, 6), { seconds: 0.6 }).map((line) => ({
      ...line,
      speaker: line.speaker * 2,
    })),
  ],
  ...(process.env['MITSCHRIFT_LONG']
    ? [['five voices', 5, breaksIn(linesOf(5, 40), { seconds: 0.5, every: 5 })] as const]
    : []),
] as const)
  test(`${whose}, who break in on each other: each word stands under its own`, async (t) => {
    const rates = await ratesOf(lines, await folderFor(t));
    t.diagnostic(JSON.stringify(rates));
    assert.equal(rates.speakers, speakers);
    assert.ok(rates.wordErrors <= 0.25, `word error rate ${rates.wordErrors}`);
    assert.ok(rates.diarizationErrors <= 0.1, `diarization error rate ${rates.diarizationErrors}`);
    assert.ok(rates.rightSpeaker >= 0.95, `under the right speaker ${rates.rightSpeaker}`);
  });

test('as many speakers are found as there are said to be; silence has none', async (t) => {
  const { audio, diarizer } = await opened(t);
  const seen: number[] = [];
  const asked = { ...options, onProgress: (fraction: number) => seen.push(fraction) };
  const { turns, voices } = await diarizer.diarize(audio, {
    ...asked,
    speakers: speakerCount({ speakers: 1 }),
  });
  assert.deepEqual(new Set(turns.map(([, , speaker]) => speaker)), new Set([0]));
  assert.deepEqual(seen, [1]);
  for (const { embedding, seconds } of voices) {
    assert.ok(Math.abs(Math.hypot(...embedding!) - 1) < 1e-3 && seconds > 3);
  }
  const silence = await speechFile(t, new Int16Array(16_000));
  assert.deepEqual(await diarizer.diarize(silence, options), { turns: [], voices: [] });
});

test('a long recording is asked for window by window: each is a step of the progress, and holds no more than 10 minutes', async () => {
  const asked: { start: number; end: number }[] = [];
  const engineProcess = {
    pid: 1,
    async ask({ start, end }: { start: number; end: number }) {
      asked.push({ start, end });
      const turns = [[start, end, 0]];
      return { span: [start, end], turns, voices: [{ speaker: 0, seconds: 60, embedding: [1] }] };
    },
    async close() {},
  } as unknown as LocalProcess;
  const diarizer = (await localDiarizer(modelsDir, engineProcess))!;
  const seen: number[] = [];
  const audio = { path: '/nowhere', duration: 7200 } as SpeechFile;
  const { turns } = await diarizer.diarize(audio, {
    ...options,
    onProgress: (fraction) => seen.push(fraction),
  });
  assert.ok(asked.length >= 12, String(asked.length));
  assert.ok(asked.every(({ start, end }) => end - start <= 600));
  assert.deepEqual(
    seen,
    asked.map((_, at) => (at + 1) / asked.length),
  );
  assert.deepEqual(turns, [[0, 7200, 0]], 'one person, in one piece');
});

test('cancelling ends the work at once, and the process is gone when the diarizer is closed', async (t) => {
  const { audio, diarizer, engineProcess } = await opened(t);
  const stop = new AbortController();
  const work = diarizer.diarize(audio, { ...options, signal: stop.signal });
  const ended = assert.rejects(work, { name: 'AbortError' });
  await eventually('the process', () => engineProcess.pid !== undefined);
  stop.abort();
  await ended;
  await diarizer.close();
  assert.equal(engineProcess.pid, undefined);
});

test('a process that dies is started again for the window it died over', async (t) => {
  const { audio, diarizer, engineProcess } = await opened(t);
  const work = diarizer.diarize(audio, options);
  await eventually('the process', () => engineProcess.pid !== undefined);
  process.kill(engineProcess.pid!, 'SIGKILL');
  assert.equal((await work).voices.length, 2);
});

test('without both models there is no diarizer; a damaged one is named and never loaded', async (t) => {
  const folder = await folderFor(t);
  assert.equal(await localDiarizer(folder), null);
  await copyModel('espeak-segmentation', folder);
  assert.equal(await localDiarizer(folder), null);
  const embedding = await copyModel('espeak-embedding', folder);
  await rm(join(embedding, 'embedding.onnx'));
  const { audio } = await opened(t);
  const diarizer = (await localDiarizer(folder))!;
  t.after(() => diarizer.close());
  await assert.rejects(diarizer.diarize(audio, options), {
    code: 'model-missing',
    message: /espeak-embedding/,
  });
});

async function opened(t: TestContext) {
  const { samples } = await synthesise(linesOf(2, 4));
  const audio = await speechFile(t, samples);
  const engineProcess = localProcess();
  const diarizer = (await localDiarizer(modelsDir, engineProcess))!;
  t.after(() => diarizer.close());
  return { audio, diarizer, engineProcess };
}

async function speechFile(t: TestContext, samples: Int16Array) {
  const path = join(await folderFor(t), 'speech.wav');
  await writeDialogue(path, samples);
  const audio = await openSpeechFile(path);
  t.after(() => audio.close());
  return audio;
}
