import assert from 'node:assert/strict';
import { ChildProcess } from 'node:child_process';
import { appendFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type TestContext, test } from 'node:test';
import { decodeToSpeech } from '../../src/audio/decode.ts';
import { openSpeechFile } from '../../src/audio/speech-file.ts';
import { localEngine } from '../../src/speech/local/local-engine.ts';
import { installedModels, sherpaConfig } from '../../src/speech/local/local-models.ts';
import type { LocalRequest, LocalResult } from '../../src/speech/local/engine-requests.ts';
import { type LocalProcessOptions, localProcess } from '../../src/speech/local/local-process.ts';
import { overlapSeconds } from '../../src/speech/detection/speech-segments.ts';
import { recognisePlan } from '../../src/recordings/stages/recognise-plan.ts';
import { locateSpeech } from '../../src/speech/detection/spoken-audio.ts';
import { folderFor, make, speak, wordErrorRate } from '../support/espeak.ts';
import { copyModel, editManifest, modelsDir } from '../support/models.ts';
import { eventually } from '../support/eventually.ts';
import { plainWords } from '../support/remote-engine.ts';
import { toneFile } from '../support/speech-servers-audio.ts';
import { hearTones } from '../support/speech-servers-tones.ts';

const signal = new AbortController().signal;
const free = { language: null, signal };

const sentences = [
  'good morning everyone and welcome to the weekly planning meeting',
  'first we will go over the budget for the next quarter',
  'the server was down for twenty minutes last night',
  'i think we should move the deadline to the end of march',
  'our customers are happy with the new version of the product',
  'please send me the report before friday afternoon',
  'the train to london leaves at half past seven',
  'what time does the library close on saturday',
];

async function recognisers(dir: string) {
  const { models } = await installedModels(dir);
  return models.filter(({ purpose }) => purpose === 'speech-to-text');
}

async function localWith(t: TestContext, options: LocalProcessOptions = {}, dir = modelsDir) {
  const engineProcess = localProcess(options);
  const engine = localEngine(await recognisers(dir), null, engineProcess);
  t.after(() => engine.close());
  return { engine, engineProcess };
}

async function spoken(t: TestContext, ...texts: string[]) {
  const folder = await folderFor(t);
  const parts: string[] = [];
  for (const [i, text] of texts.entries()) {
    const plain = join(folder, `${i}.wav`);
    await speak(text, plain);
    parts.push(join(folder, `${i}-padded.wav`));
    await make('sox', plain, parts[i]!, 'pad', '0.2', '0.7');
  }
  const wav = join(folder, 'all.wav');
  await make('sox', ...parts, wav);
  await decodeToSpeech(wav, join(folder, 'speech.wav'), { signal });
  const audio = await openSpeechFile(join(folder, 'speech.wav'));
  t.after(() => audio.close());
  return audio;
}

test('speech becomes text with word times: from the file to the words, with real models', async (t) => {
  const audio = await spoken(t, ...sentences);
  const { engine } = await localWith(t);
  const { stretches } = await locateSpeech(audio, {
    secondsMax: engine.secondsMax,
    modelsDir,
    signal,
  });
  const heard: string[] = [];
  for (const stretch of stretches) {
    const { segments, language } = await engine.recognise(audio, stretch, free);
    assert.equal(language, 'en');
    assert.ok(segments.every(({ doubt }) => doubt === undefined));
    for (const { start, end, text, words } of segments) {
      heard.push(text);
      assert.ok(start >= stretch[0] && end <= stretch[1]);
      assert.equal(words.map((word) => word.text).join(' '), text);
      words.forEach((word, i) => {
        assert.ok(word.start <= word.end && word.start >= (words[i - 1]?.start ?? 0));
      });
    }
  }
  const rate = wordErrorRate(sentences.join(' '), heard.join(' '));
  assert.ok(rate < 0.2, `word error rate ${rate}: ${heard.join(' ')}`);
});

test('a stretch is the same with and without being announced, and so is another than the announced one', async (t) => {
  const audio = await spoken(t, ...sentences.slice(0, 3));
  const third = audio.duration / 3;
  const parts = [0, 1, 2].map((at): [number, number] => [at * third, (at + 1) * third]);
  const { engine } = await localWith(t);
  const unannounced = [];
  for (const part of parts) unannounced.push(await engine.recognise(audio, part, free));
  assert.equal(new Set(unannounced.map(({ segments }) => segments[0]?.text)).size, 3);

  const announced = [];
  for (const [at, part] of parts.entries())
    announced.push(await engine.recognise(audio, part, { ...free, next: parts[at + 1] }));
  assert.deepEqual(announced, unannounced);

  await engine.recognise(audio, parts[0]!, { ...free, next: parts[1] });
  assert.deepEqual(await engine.recognise(audio, parts[2]!, free), unannounced[2]);
  // One that cannot be read fails only when it is asked for.
  const gone = { ...audio, path: `${audio.path}.gone` };
  await assert.rejects(engine.recognise(gone, parts[0]!, { ...free, next: parts[1] }));
  assert.deepEqual(await engine.recognise(audio, parts[1]!, free), unannounced[1]);
});

test('a sentence known to come out right comes out right', async (t) => {
  const { engine } = await localWith(t);
  const audio = await spoken(t, 'the server was down for twenty minutes last night');
  const { segments } = await engine.recognise(audio, [0, audio.duration], free);
  assert.deepEqual(
    segments.map(({ text }) => text),
    ['the server was down for twenty minutes last night'],
  );
});

test('silence and the shortest of stretches give no words and no crash', async (t) => {
  const { engine } = await localWith(t);
  const audio = await spoken(t, 'yes');
  for (const stretch of [
    [0, 0.1],
    [0, 0.000_05],
    [5000, 5001],
  ] as [number, number][])
    assert.deepEqual((await engine.recognise(audio, stretch, free)).segments, []);
});

test('an engine killed in the middle is an error that can be retried, and the next try works', async (t) => {
  const { engine, engineProcess } = await localWith(t);
  const audio = await spoken(t, sentences[2]!);
  const stretch: [number, number] = [0, audio.duration];
  const work = engine.recognise(audio, stretch, free);
  const killed = assert.rejects(work, {
    code: 'engine-crashed',
    retriable: true,
    message: /SIGKILL/,
  });
  await eventually('the process', () => engineProcess.pid !== undefined);
  const first = engineProcess.pid!;
  process.kill(first, 'SIGKILL');
  await killed;
  const { segments } = await engine.recognise(audio, stretch, free);
  assert.equal(segments[0]!.text, sentences[2]);
  assert.notEqual(engineProcess.pid, first);
});

test('an engine that cannot be started says so at once, holds nothing up, and the next try works', async (t) => {
  const { engine } = await localWith(t);
  const audio = await spoken(t, sentences[2]!);
  const stretch: [number, number] = [0, audio.duration];
  const { execPath } = process;
  t.after(() => (process.execPath = execPath));
  // Gone from the disk, as with an update of Node while the service runs; too many processes or files are the same.
  process.execPath = join(await folderFor(t), 'node');
  const failure = {
    code: 'engine-crashed',
    retriable: true,
    message: /not be started.*(?:ENOENT|No such file)/,
  };
  await assert.rejects(engine.recognise(audio, stretch, free), failure);
  const other = localProcess();
  const detect = { op: 'detect', config: {}, path: audio.path } as const;
  await assert.rejects(other.ask(detect, { signal, timeoutMs: 60_000 }), failure);
  await other.close();
  process.execPath = execPath;
  assert.equal((await engine.recognise(audio, stretch, free)).segments[0]!.text, sentences[2]);
});

test('what is asked while an idle process is being ended gets another one', async (t) => {
  const { engine, engineProcess } = await localWith(t, { idleMs: 1 });
  const audio = await spoken(t, 'yes');
  const [model] = await recognisers(modelsDir);
  const ask = () =>
    engineProcess.ask(
      {
        op: 'recognise',
        key: 'any',
        config: sherpaConfig(model!),
        path: audio.path,
        start: 0,
        end: 1,
      },
      { signal, timeoutMs: 60_000 },
    );
  // Nothing of an engine that idles keeps a program from ending; in the service its server does.
  const alive = setInterval(() => {}, 1000);
  t.after(() => clearInterval(alive));
  const kill = ChildProcess.prototype.kill;
  // Asked in the very moment it is killed: nobody has heard of its end yet.
  const answer = new Promise<LocalResult>((resolve, reject) => {
    t.mock.method(
      ChildProcess.prototype,
      'kill',
      function (this: ChildProcess, how?: NodeJS.Signals) {
        t.mock.restoreAll();
        const killed = kill.call(this, how);
        ask().then(resolve, reject);
        return killed;
      },
    );
  });
  await engine.recognise(audio, [0, audio.duration], free);
  assert.equal(typeof (await answer).text, 'string');
});

test('cancelling answers at once; the process is used on, or ended when it does not get free', async (t) => {
  const { engine, engineProcess } = await localWith(t, { graceMs: 10_000 });
  const audio = await spoken(t, ...sentences.slice(0, 3));
  const whole: [number, number] = [0, audio.duration];
  await engine.recognise(audio, whole, free);
  const { pid } = engineProcess;
  const control = new AbortController();
  const work = engine.recognise(audio, whole, { language: null, signal: control.signal });
  const waiting = engine.recognise(audio, whole, { language: null, signal: control.signal });
  control.abort();
  // Both at once: either may be the first to answer.
  await Promise.all([
    assert.rejects(work, { name: 'AbortError' }),
    assert.rejects(waiting, { name: 'AbortError' }),
  ]);
  assert.ok((await engine.recognise(audio, whole, free)).segments.length > 0);
  assert.equal(engineProcess.pid, pid);
});

test('what is timed behind the audio, in the silence short audio is filled up with, stays in its stretch', async (t) => {
  // As recognisers answer a stretch of 0.2 s, which they hear as half a second.
  const answer: LocalResult = {
    text: 'yes no maybe',
    tokens: [' yes', ' no', ' maybe'],
    timestamps: [-0.04, 0.16, 0.4],
    durations: [0.2, 0.2, 0.08],
  };
  const engineProcess = {
    pid: undefined,
    ask: () => Promise.resolve(answer as never),
    close: () => Promise.resolve(),
  };
  const engine = localEngine(await recognisers(modelsDir), null, engineProcess);
  const audio = await spoken(t, 'yes');
  for (const [from, to] of [
    [0, 0.2],
    [0.2, 0.4],
  ] as const) {
    const { segments } = await engine.recognise(audio, [from, to], free);
    const words = segments.flatMap((segment) => segment.words);
    assert.deepEqual(
      words.map(({ text }) => text),
      ['yes', 'no', 'maybe'],
    );
    for (const { start, end } of [...segments, ...words]) {
      assert.ok(from <= start && start <= end && end <= to, `${start} to ${end} of ${to}`);
    }
  }
});

test('a stretch that was planned for a server that takes more at once is heard to its end', async (t) => {
  const { audio, words } = await toneFile(t, 60);
  const asked: LocalRequest[] = [];
  // As Whisper through sherpa-onnx, which hears 30 s.
  const hearing = async (request: LocalRequest): Promise<LocalResult> => {
    asked.push(request);
    assert.ok(request.op === 'recognise');
    const { start, end } = request;
    const heard = hearTones(await audio.read(start, Math.min(end, start + 30)));
    return {
      text: heard.map(({ text }) => text).join(' '),
      tokens: heard.map(({ text }) => ` ${text}`),
      timestamps: heard.map((word) => word.start),
      durations: heard.map((word) => word.end - word.start),
    };
  };
  const engineProcess = {
    pid: undefined,
    ask: async (request: LocalRequest) => (await hearing(request)) as never,
    close: () => Promise.resolve(),
  };
  const engine = localEngine(await recognisers(modelsDir), null, engineProcess);
  const heard = await engine.recognise(audio, [0, 60], free);
  assert.deepEqual(
    plainWords(heard),
    words.map(({ text }) => text),
  );
  assert.ok(asked.length > 1);
});

test('a process without work ends and gives its memory back', async (t) => {
  const { engine, engineProcess } = await localWith(t, { idleMs: 1 });
  const audio = await spoken(t, 'yes');
  await engine.recognise(audio, [0, audio.duration], free);
  const { pid } = engineProcess;
  await eventually('it ends', () => engineProcess.pid === undefined);
  assert.throws(() => process.kill(pid!, 0), { code: 'ESRCH' });
  assert.ok(await engine.recognise(audio, [0, audio.duration], free));
});

test('recognition runs at low priority and does not hold up the service', async (t) => {
  const { engine, engineProcess } = await localWith(t);
  const audio = await spoken(t, ...sentences);
  await engine.recognise(audio, [0, 1], free);
  const stat = await readFile(`/proc/${engineProcess.pid}/stat`, 'utf8');
  assert.equal(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16], '10');
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  await engine.recognise(audio, [0, Math.min(25, audio.duration)], free);
  delay.disable();
  assert.ok(delay.max < 500e6, `${delay.max / 1e6} ms`);
});

test('a damaged model is refused before it is loaded: no process is even started', async (t) => {
  const folder = await folderFor(t);
  const model = await copyModel('espeak-en', folder);
  const path = join(model, 'model.onnx');
  const whole = await readFile(path);
  const { engine, engineProcess } = await localWith(t, {}, folder);
  const audio = await spoken(t, 'yes');
  const recognise = () => engine.recognise(audio, [0, audio.duration], free);
  const flipped = Buffer.from(whole);
  flipped[500_000]! ^= 1;
  for (const [damage, said] of [
    [
      () => writeFile(path, whole.subarray(0, 1000)),
      /model\.onnx: has 1,000 bytes instead of 1,574,506/,
    ],
    [() => writeFile(path, flipped), /model\.onnx: has another checksum/],
    [() => rm(path), /model\.onnx: is missing/],
  ] as const) {
    await damage();
    await assert.rejects(recognise(), { retriable: false, message: said });
    assert.equal(engineProcess.pid, undefined);
  }
  await writeFile(path, whole);
  assert.ok(await recognise());
  await appendFile(path, 'x');
  await assert.rejects(
    recognise(),
    { code: 'model-corrupt' },
    'it is looked at again when it changes',
  );
});

test('the model is chosen by language, or by name', async (t) => {
  const folder = await folderFor(t);
  const german = await copyModel('espeak-en', join(folder, 'de'));
  await editManifest(german, { languages: ['de'] });
  const audio = await spoken(t, 'yes');
  const models = [...(await recognisers(join(folder, 'de'))), ...(await recognisers(modelsDir))];
  models[0] = { ...models[0]!, id: 'german' };
  const engine = localEngine(models, null);
  t.after(() => engine.close());
  const inLanguage = async (language: string) =>
    (await engine.recognise(audio, [0, 1], { language, signal })).language;
  assert.equal(await inLanguage('de'), 'de');
  assert.equal(await inLanguage('en-US'), 'en');
  const named = ['de', 'en-US', null, 'fr'].map((language) => engine.modelFor?.(language));
  assert.deepEqual(named, ['german', models[1]!.id, 'german', null]);
  await assert.rejects(inLanguage('fr'), {
    code: 'language-unknown',
    message: /supports French.*german \(de\)/i,
  });
  const absent = localEngine(models, 'parakeet');
  t.after(() => absent.close());
  await assert.rejects(absent.recognise(audio, [0, 1], free), {
    code: 'model-missing',
    message: /parakeet/,
  });
});

test('a model that takes no language is loaded once, whatever languages are spoken', async (t) => {
  const { engine, engineProcess } = await localWith(t);
  const audio = await spoken(t, 'yes');
  const keys = new Set<string>();
  const ask = engineProcess.ask.bind(engineProcess);
  t.mock.method(engineProcess, 'ask', (...[request, options]: Parameters<typeof ask>) => {
    if (request.op === 'recognise') keys.add(request.key);
    return ask(request, options);
  });
  for (const language of ['en', null, 'en'])
    await engine.recognise(audio, [0, 1], { language, signal });
  assert.equal(keys.size, 1);
});

test('the engine process does not outlive the service', async (t) => {
  const { engine, engineProcess } = await localWith(t);
  const audio = await spoken(t, 'yes');
  await engine.recognise(audio, [0, audio.duration], free);
  const { pid } = engineProcess;
  await engine.close();
  assert.throws(() => process.kill(pid!, 0), { code: 'ESRCH' });
  await assert.rejects(engine.recognise(audio, [0, 1], free), /closed/);
});

test('three minutes without a pause are cut between words: no word is torn, lost or doubled at a seam', async (t) => {
  const folder = await folderFor(t);
  // As a person who never draws breath: no marks, and what pauses there are taken out.
  const said = Array.from({ length: 60 }, (_, at) => sentences[(at * 5) % sentences.length]!).join(
    ' ',
  );
  await speak(said, join(folder, 'plain.wav'));
  const wav = join(folder, 'talk.wav');
  await make(
    'sox',
    join(folder, 'plain.wav'),
    wav,
    'silence',
    '1',
    '0.05',
    '0.5%',
    '-1',
    '0.05',
    '0.5%',
  );
  await decodeToSpeech(wav, join(folder, 'speech.wav'), { signal });
  const audio = await openSpeechFile(join(folder, 'speech.wav'));
  t.after(() => audio.close());
  assert.ok(audio.duration > 150, `${audio.duration} s`);
  const { engine } = await localWith(t);
  const { stretches } = await locateSpeech(audio, {
    secondsMax: engine.secondsMax - overlapSeconds,
    signal,
  });
  const words: { text: string; start: number; end: number }[] = [];
  const seams: number[] = [];
  for await (const { start, segments } of recognisePlan(engine, () => audio, stretches, free)) {
    if (start > 0.5) seams.push(start);
    words.push(...segments.flatMap((segment) => segment.words));
  }
  assert.ok(seams.length >= 6, `${seams.length} seams`);
  const heard = words.map(({ text }) => text).join(' ');
  const rate = wordErrorRate(said, heard);
  assert.ok(rate < 0.06, `word error rate ${rate}: ${heard}`);
  // The model errs by a letter here and there; half a word at a seam, one lost or one twice would be more of it.
  const known = new Set(said.split(' '));
  const near = words.filter(({ start, end }) =>
    seams.some((seam) => end > seam - 1.2 && start < seam + 1.2),
  );
  const torn = near.filter(({ text }) => !known.has(text)).map(({ text }) => text);
  assert.ok(torn.length <= 0.1 * near.length, `of ${near.length} words: ${torn.join(' ')}`);
  for (const [index, { text, start }] of words.entries()) {
    const before = words[index - 1];
    if (!before) continue;
    assert.ok(start >= before.start, `${text} at ${start}`);
    assert.notEqual(text, before.text, `twice at ${start}`);
  }
});
