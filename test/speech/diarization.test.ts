import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openSpeechFile } from '../../src/audio/speech-file.ts';
import { localDiarizer } from '../../src/speech/diarization/diarize.ts';
import { localProcess } from '../../src/speech/local/local-process.ts';
import { type Line, linesOf, synthesise, writeDialogue } from '../support/dialogues.ts';
import { folderFor } from '../support/espeak.ts';
import { eventually } from '../support/eventually.ts';
import { copyModel, modelsDir } from '../support/models.ts';
import { ratesOf } from '../support/speaker-rates.ts';

const { signal } = new AbortController();
const options = { speakers: null, signal, onProgress() {} };

const breaksIn = (lines: Line[], seconds: number): Line[] =>
  lines.map((line, at) => (at % 3 === 2 ? { ...line, gap: -seconds } : line));

for (const [whose, speakers, lines] of [
  ['three voices, two of them of one sex', 3, breaksIn(linesOf(3, 9), 0.4)],
  [
    'two voices of one sex',
    2,
    breaksIn(linesOf(2, 6), 0.6).map((line) => ({ ...line, speaker: line.speaker * 2 })),
  ],
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
  const { turns, voices } = await diarizer.diarize(audio, { ...asked, speakers: 1 });
  assert.deepEqual(new Set(turns.map(([, , speaker]) => speaker)), new Set([0]));
  assert.deepEqual(seen, [1]);
  for (const { embedding, seconds } of voices) {
    assert.ok(Math.abs(Math.hypot(...embedding!) - 1) < 1e-3 && seconds > 3);
  }
  const silence = await speechFile(t, new Int16Array(16_000));
  assert.deepEqual(await diarizer.diarize(silence, options), { turns: [], voices: [] });
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
