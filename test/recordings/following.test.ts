import assert from 'node:assert/strict';
import { appendFile, readFile, rename, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import pino from 'pino';
import type { RecordingFact } from '../../events/facts/recording.ts';
import { evolve, noRecording } from '../../projections/recording/recording.ts';
import { speechHeader } from '../../src/audio/wav.ts';
import { openFileEnds } from '../../src/capture/file/file-ends.ts';
import { followStage } from '../../src/recordings/stages/follow.ts';
import { endedAudio, letGo, openFollowings } from '../../src/recordings/stages/followings.ts';
import type { FollowDeps } from '../../src/recordings/stages/live-speech.ts';
import type { Job } from '../../src/recordings/stages/run-stage.ts';
import { audioFileName } from '../../src/shared/data-directory.ts';
import type { SpeechEngine } from '../../src/speech/engine.ts';
import { within } from '../support/eventually.ts';
import { sampleData } from '../support/plausible-events.ts';
import { tonePcm } from '../support/speech-servers-audio.ts';
import { hearTones, toneText } from '../support/speech-servers-tones.ts';
import { failure } from '../../src/words/failures.ts';
import { tempDir } from '../support/temp-dir.ts';

const silent = pino({ level: 'silent' });
const seconds = 4.2;
/** Nobody pauses after the last word: only the end of the file closes it. */
const words = [0.5, 0.92, 3.7].map((start, at) => ({
  text: toneText(at),
  start,
  end: start + 0.3,
}));

test('what was said last is recognised when the file is whole, before the log has its hash', async (t) => {
  const folder = await speechFile(t);
  const ends = openFileEnds();
  const followings = openFollowings(silent);
  const { job, facts, captured, appended } = jobOf('r1');
  t.after(captured);
  let gathered = 0;
  const termsOf = async () => {
    gathered += 1;
    return [];
  };
  const over = followStage(deps(folder, { followings, onFileEnd: ends.onEnd, termsOf }))(job);

  await within('the first words', appended('utterance.recognised', 1));
  assert.deepEqual(textsIn(facts), ['w00 w01']);
  ends.tell('r1');
  await within('the last word', appended('utterance.recognised', 2));
  assert.deepEqual(textsIn(facts), ['w00 w01', 'w02']);
  assert.equal(gathered, 1, 'what may be said is not gathered for each passage');
  captured();
  await over;
  const following = await followings.take('r1');
  const ended = await endedAudio(following!, seconds);
  assert.ok(ended, 'its end is taken in once');
  assert.equal(ended.duration, seconds);
  assert.deepEqual(ended.rest(25), []);
  await ended.close();
});

test('what is still being said is shown by a streaming model, and gives way to what the engine heard', async (t) => {
  const folder = await speechFile(t);
  const ends = openFileEnds();
  const { job, captured, appended } = jobOf('r1');
  t.after(captured);
  const shown: string[] = [];
  const seen = new Promise<void>((resolve) => {
    Object.assign(job, {
      partial: (heard: { text: string; index: number } | null) => {
        shown.push(heard === null ? '' : `${heard.index} ${heard.text}`);
        if (heard?.text === 'w02') resolve();
      },
    });
  });
  let closed = 0;
  const languages: string[] = [];
  const openStreaming = async (language: string) => {
    languages.push(language);
    return { ...streaming(), close: async () => void (closed += 1) };
  };
  const more = { followings: openFollowings(silent), onFileEnd: ends.onEnd, openStreaming };
  const over = followStage(deps(folder, { ...more, usualLanguage: () => 'en' }))(job);
  await within('the last word is shown', seen);
  await within('the first words', appended('utterance.recognised', 1));
  ends.tell('r1');
  await within('the last word', appended('utterance.recognised', 2));
  assert.equal(shown.at(-1), '', 'nothing is shown twice');
  captured();
  await over;
  assert.deepEqual([closed, languages], [1, ['en']]);
});

test('a streaming model that fails costs nothing but what it would have shown', async (t) => {
  const folder = await speechFile(t);
  const ends = openFileEnds();
  const { job, facts, captured, appended } = jobOf('r1');
  t.after(captured);
  let failures = 0;
  const openStreaming = async () => ({
    hear: () => Promise.reject(new Error(`failure ${(failures += 1)}`)),
    close: async () => {},
  });
  const more = { followings: openFollowings(silent), onFileEnd: ends.onEnd, openStreaming };
  void followStage(deps(folder, { ...more, usualLanguage: () => 'en' }))(job);
  await within('the first words', appended('utterance.recognised', 1));
  ends.tell('r1');
  await within('the last word', appended('utterance.recognised', 2));
  assert.deepEqual([textsIn(facts), failures], [['w00 w01', 'w02'], 1]);
});

test('a file that another replaces, as a process that takes over does, is gone on with', async (t) => {
  const folder = await speechFile(t);
  const path = join(folder, audioFileName);
  const whole = await readFile(path);
  // The second word has been over for long.
  const captured = 44 + 2 * 16_000 * 3.4;
  await truncate(path, captured);
  const { job, facts, captured: over, appended } = jobOf('r1');
  t.after(over);
  const more = { followings: openFollowings(silent), onFileEnd: () => () => {} };
  void followStage(deps(folder, more))(job);
  await within('the first words', appended('utterance.recognised', 1));
  await writeFile(`${path}.part`, whole.subarray(0, captured));
  await rename(`${path}.part`, path);
  const silence = Buffer.alloc(2 * 16_000 * 2.5);
  await appendFile(path, Buffer.concat([whole.subarray(captured), silence]));
  await within('the last word', appended('utterance.recognised', 2));
  assert.deepEqual(textsIn(facts), ['w00 w01', 'w02']);
});

for (const [what, waiting] of [
  [
    'that waits for its engine ends with the capture: nobody may come for it',
    { since: '2026-03-01T10:00:00Z', cause: failure('speech-stalled') },
  ],
  ['that its engine works on is left for what comes after the capture', null],
] as const) {
  test(`a question ${what}`, async (t) => {
    const folder = await speechFile(t);
    const followings = openFollowings(silent);
    const { job, captured } = jobOf('r1');
    t.after(captured);
    const asked = new Promise<AbortSignal>((resolve) => {
      const recognise: SpeechEngine['recognise'] = (_audio, _stretch, { signal, onWaiting }) => {
        onWaiting?.(waiting);
        resolve(signal);
        return new Promise((_, reject) => signal.addEventListener('abort', reject));
      };
      const value = { ...engine, recognise };
      const leaseEngine = () => Promise.resolve({ value, release() {} });
      const following = { followings, onFileEnd: () => () => {}, leaseEngine };
      void followStage(deps(folder, following))(job);
    });
    const signal = await within('it is asked', asked);
    assert.equal(signal.aborted, false);
    captured();
    const left = await followings.take('r1');
    assert.equal(signal.aborted, waiting !== null);
    await letGo(left!);
  });
}

test('a work file that fails to close ends nothing but the following: it is transcribed after the recording', async (t) => {
  const folder = await speechFile(t);
  const followings = openFollowings(silent);
  const { job, captured, appended } = jobOf('r1');
  const openStreaming = async () => ({
    ...streaming(),
    close: () => Promise.reject(new Error('EIO: i/o error, close')),
  });
  const more = { followings, onFileEnd: () => () => {}, openStreaming, usualLanguage: () => 'en' };
  const over = followStage(deps(folder, more))(job);
  await within('the first words', appended('utterance.recognised', 1));
  captured();
  await over;
  assert.equal(await followings.take('r1'), null);
});

/** Hears the words of `tonePcm`. */
const engine = {
  queue: 'test',
  engine: 'local',
  model: null,
  secondsMax: 30,
  async recognise(audio, [start, end]) {
    const heard = hearTones(await audio.read(start, end));
    const text = heard.map((word) => word.text).join(' ');
    return { segments: text === '' ? [] : [{ start, end, text, words: [] }], language: 'en' };
  },
} as Partial<SpeechEngine> as SpeechEngine;

/** Hears the words of `tonePcm` in what it was given of one speech. */
function streaming() {
  let [present, heard] = [-1, Buffer.alloc(0)];
  return {
    async hear(speech: number, samples: Int16Array): Promise<string> {
      if (speech !== present) [present, heard] = [speech, Buffer.alloc(0)];
      heard = Buffer.concat([heard, Buffer.from(Int16Array.from(samples).buffer)]);
      const all = new Int16Array(Uint8Array.from(heard).buffer);
      return hearTones(all)
        .map(({ text }) => text)
        .join(' ');
    },
  };
}

/** A folder with what was captured. */
async function speechFile(t: TestContext): Promise<string> {
  const folder = await tempDir(t);
  const pcm = await tonePcm(words, seconds);
  await writeFile(join(folder, audioFileName), Buffer.concat([speechHeader(pcm.length / 2), pcm]));
  return folder;
}

const deps = (folder: string, more: Partial<FollowDeps>) =>
  ({
    isOn: () => true,
    leaseEngine: () => Promise.resolve({ value: engine, release() {} }),
    files: { captureFolder: () => folder, workFolder: () => Promise.resolve(folder) },
    languages: () => [],
    termsOf: async () => [],
    wordsOf: async () => [],
    ahead: { isOn: () => false },
    log: silent,
    ...more,
  }) as unknown as FollowDeps;

/** A recording's job without the log; `captured` is what the machine does at `audio.captured`. */
function jobOf(recordingId: string) {
  const facts: RecordingFact[] = [];
  const stop = new AbortController();
  let look = () => {};
  const take = (...taken: RecordingFact[]) => {
    facts.push(...taken);
    look();
  };
  const told = (type: RecordingFact['type'], data: object = {}) =>
    ({ type, data: { ...sampleData[type], ...data } }) as RecordingFact;
  take(told('recording.started', { kind: 'solo' }));
  const job = {
    recordingId,
    signal: stop.signal,
    recording: async () =>
      facts.reduce(
        (recording, one, at) =>
          evolve(recording, { ...one, version: at + 1, at: '2026-03-01T10:00:00Z', by: 'anna' }),
        noRecording(recordingId),
      ),
    begin: async () => take(told('stage.started', { stage: 'follow' })),
    turn: async () => ({ release() {} }),
    append: async (fact: RecordingFact) => take(fact),
    behind() {},
    partial() {},
    waiting() {},
  } as unknown as Job;
  return {
    job,
    facts,
    captured() {
      take(told('audio.captured'));
      stop.abort();
    },
    appended: (type: RecordingFact['type'], count: number) =>
      new Promise<void>((resolve) => {
        look = () => {
          if (facts.filter((fact) => fact.type === type).length >= count) resolve();
        };
        look();
      }),
  };
}

const textsIn = (facts: readonly RecordingFact[]): string[] =>
  facts.flatMap((fact) =>
    fact.type === 'utterance.recognised'
      ? (fact.content?.segments ?? []).map(({ text }) => text)
      : [],
  );
