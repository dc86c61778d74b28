import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { decodeToSpeech } from '../../src/audio/decode.ts';
import { openSpeechFile } from '../../src/audio/speech-file.ts';
import { locateSpeech } from '../../src/speech/detection/spoken-audio.ts';
import { folderFor, make, speak } from '../support/espeak.ts';
import { copyModel, editManifest, modelsDir } from '../support/models.ts';

const signal = new AbortController().signal;

async function audioOf(t: TestContext, folder: string, wav: string) {
  const target = join(folder, 'speech.wav');
  await decodeToSpeech(wav, target, { signal });
  const audio = await openSpeechFile(target);
  t.after(() => audio.close());
  return audio;
}

test('speech is found where it is, with the silence round it left out', async (t) => {
  const folder = await folderFor(t);
  const at = (name: string) => join(folder, name);
  await speak('good morning everyone and welcome', at('a.wav'));
  await speak('thank you for your time', at('b.wav'));
  await make('sox', at('a.wav'), at('a2.wav'), 'pad', '3', '6');
  await make('sox', at('a2.wav'), at('b.wav'), at('both.wav'), 'pad', '0', '4');
  const audio = await audioOf(t, folder, at('both.wav'));
  const { detector, stretches } = await locateSpeech(audio, { secondsMax: 300, signal });
  assert.equal(detector, 'webrtc');
  assert.equal(stretches.length, 2);
  const [[start, end], [next, last]] = stretches as [[number, number], [number, number]];
  assert.ok(start > 2.3 && start <= 3.05, `begins at ${start}`);
  assert.ok(next - end > 4.5 && audio.duration - last > 2.9, `${end} ${next} ${last}`);
});

test('the same audio gives the same plan', async (t) => {
  const folder = await folderFor(t);
  await speak('the quick brown fox jumps over the lazy dog', join(folder, 'a.wav'));
  const audio = await audioOf(t, folder, join(folder, 'a.wav'));
  const plan = () => locateSpeech(audio, { secondsMax: 2, modelsDir, signal });
  const first = await plan();
  assert.deepEqual(await plan(), first);
  assert.ok(first.stretches.length > 1);
});

const noises: [string, string[]][] = [
  ['silence', ['trim', '0', '20']],
  ['hiss', ['synth', '20', 'whitenoise', 'gain', '-20']],
  ['soft hiss', ['synth', '20', 'whitenoise', 'gain', '-45']],
  ['pink noise', ['synth', '20', 'pinknoise', 'gain', '-25']],
  ['a fan', ['synth', '20', 'brownnoise', 'gain', '-15']],
  ['mains hum', ['synth', '20', 'sine', '50', 'gain', '-25']],
];
for (const [name, effect] of noises)
  test(`in ${name} nobody speaks, so nothing is asked of an engine`, async (t) => {
    const folder = await folderFor(t);
    const wav = join(folder, 'noise.wav');
    await make('sox', '-R', '-n', '-r', '16000', '-c', '1', wav, ...effect);
    const audio = await audioOf(t, folder, wav);
    assert.deepEqual((await locateSpeech(audio, { secondsMax: 300, signal })).stretches, []);
  });

test('one short word in a minute of hiss is found', async (t) => {
  const folder = await folderFor(t);
  const at = (name: string) => join(folder, name);
  await speak('yes', at('yes.wav'));
  await make(
    'sox',
    '-R',
    '-n',
    '-r',
    '22050',
    '-c',
    '1',
    at('hiss.wav'),
    'synth',
    '60',
    'whitenoise',
    'gain',
    '-45',
  );
  await make('sox', at('yes.wav'), at('late.wav'), 'pad', '31', '28');
  await make('sox', '-m', at('hiss.wav'), '-v', '1', at('late.wav'), at('both.wav'));
  const audio = await audioOf(t, folder, at('both.wav'));
  const { stretches } = await locateSpeech(audio, { secondsMax: 300, signal });
  assert.ok(
    stretches.some(([start, end]) => start <= 31.1 && end >= 31.3),
    JSON.stringify(stretches),
  );
  const seconds = stretches.reduce((sum, [start, end]) => sum + end - start, 0);
  assert.ok(seconds < 15, `${seconds} s of a minute`);
});

test('a damaged detector model is not loaded, and the plan says why another was used', async (t) => {
  const folder = await folderFor(t);
  await speak('good morning', join(folder, 'a.wav'));
  const audio = await audioOf(t, folder, join(folder, 'a.wav'));
  const model = await copyModel('espeak-segmentation', join(folder, 'models'));
  await editManifest(model, { purpose: 'voice-activity' });
  const file = join(model, 'segmentation.onnx');
  const bytes = await readFile(file);
  bytes[1000]! ^= 1;
  await writeFile(file, bytes);
  const options = { secondsMax: 300, modelsDir: join(folder, 'models'), signal };
  const { detector, stretches } = await locateSpeech(audio, options);
  assert.match(detector, /^webrtc; .*segmentation\.onnx: has another checksum/);
  assert.equal(stretches.length, 1);
});

test('cancelling stops the search', async (t) => {
  const folder = await folderFor(t);
  const wav = join(folder, 'noise.wav');
  await make('sox', '-n', '-r', '16000', '-c', '1', wav, 'synth', '120', 'whitenoise');
  const audio = await audioOf(t, folder, wav);
  const control = new AbortController();
  const onProgress = () => control.abort();
  const work = locateSpeech(audio, { secondsMax: 300, signal: control.signal, onProgress });
  await assert.rejects(work, { name: 'AbortError' });
});
