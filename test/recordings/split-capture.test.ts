import pino from 'pino';
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ulid } from 'ulid';
import { recordingStream } from '../../events/facts/recording.ts';
import { factsOf, readRecording } from '../../projections/recording/recording.ts';
import { settingsFrom } from '../../src/config/environment.ts';
import { testPipeline } from '../support/test-pipeline.ts';
import { dataFolder } from '../../src/shared/data-directory.ts';
import { type Said, linesOf, placeOf, synthesise, writeDialogue } from '../support/dialogues.ts';
import { make } from '../support/espeak.ts';
import { onThisMachine } from '../support/eventually.ts';
import { copyModel } from '../support/models.ts';
import { speechServer } from '../support/speech-servers.ts';
import { tempDir } from '../support/temp-dir.ts';
import { subscribed } from '../support/subscribed.ts';

test('in a split capture the microphone is one person, and the others are told apart behind it', async (t) => {
  const world = await openWorld(t);
  // Without models the others are one: that there are two sides is known by the channels alone.
  const two = await world.meeting();
  assert.deepEqual(two.labels, ['SPEAKER_00', 'SPEAKER_01']);
  assert.equal(two.completed.data.engine, 'built-in');
  assert.ok(two.right === 1, `${two.right} of the words are under the right label`);
  assert.deepEqual(two.files, ['audio.wav']);

  for (const model of ['espeak-segmentation', 'espeak-embedding'])
    await copyModel(model, world.models);
  const three = await world.meeting();
  assert.deepEqual(three.labels, ['SPEAKER_00', 'SPEAKER_01', 'SPEAKER_02']);
  assert.match(three.completed.data.model ?? '', /espeak-embedding/);
  assert.ok(three.right >= 0.97, `${three.right} of the words are under the right label`);
  // The voice of each: a profile can be made of the person at the microphone as well.
  const voices = three.completed.content!.voices;
  assert.deepEqual(voices.map(({ label }) => label).toSorted(), three.labels);
  assert.ok(voices.every(({ seconds }) => seconds > 2));
  const { turns } = three.completed.data;
  const labelOf = (name: string) => three.words.find(({ who }) => who === name)!.label;
  const overlap = turns
    .filter(([, , label]) => label === labelOf('me'))
    .some(([start, end]) =>
      turns.some(
        ([from, to, label]) =>
          label === labelOf('carl') && Math.min(end, to) - Math.max(start, from) > 1,
      ),
    );
  assert.ok(overlap, 'where both speak both have a turn');
});

/** Who says a line, by the voice of that index. */
const people = ['me', 'bea', 'carl'] as const;

/**
 * A meeting of a person at the microphone, who hears two others without headphones: the loudspeakers are in the
 * microphone, late and not so loud. Now and then the person, who is not loud, speaks over the end of what another says.
 */
async function recordMeeting(
  folder: string,
): Promise<{ said: Said[]; channels: [left: Int16Array, right: Int16Array] }> {
  const lines = linesOf(3, 9).map((line, at) =>
    at % 3 === 0 && at > 0 ? { ...line, gap: -1.6 } : line,
  );
  const all = await synthesise(lines);
  const isMine = lines.map(({ speaker }) => speaker === 0);
  // The same moments with the others, or the person, silent.
  const silenced = async (mine: boolean) => {
    const samples = new Int16Array(all.samples.length);
    for (const [at, line] of lines.entries()) {
      if (isMine[at] !== mine) continue;
      const alone = (await synthesise([{ ...line, gap: 0 }])).samples;
      const first = Math.round((all.said[at]!.start - 0.3) * 16_000);
      alone.forEach((sample, i) => {
        if (first + i < samples.length) samples[first + i] = samples[first + i]! + sample;
      });
    }
    return samples;
  };
  const [mine, others] = [await silenced(true), await silenced(false)];
  const echoDelay = 800;
  const heard = mine.map((sample, i) =>
    Math.round(sample * 0.4 + (others[i - echoDelay] ?? 0) * 0.15),
  );
  await writeDialogue(join(folder, 'left.wav'), heard);
  await writeDialogue(join(folder, 'right.wav'), others);
  await make(
    'sox',
    '-M',
    join(folder, 'left.wav'),
    join(folder, 'right.wav'),
    join(folder, 'audio.wav'),
  );
  return { said: all.said, channels: [heard, others] };
}

/** Whether samples that were sent are a piece of a channel. */
function isOf(piece: Int16Array, whole: Int16Array): boolean {
  try {
    placeOf(piece, whole);
    return true;
  } catch {
    return false;
  }
}

async function openWorld(t: TestContext) {
  const speech = await speechServer('openai');
  t.after(() => speech.close());
  let closePipeline = async () => {};
  t.after(() => closePipeline());
  const dataDir = await tempDir(t);
  const data = dataFolder(dataDir);
  const made = await tempDir(t);
  const { said, channels } = await recordMeeting(made);
  const spoken = said.flatMap(({ text, start, end, speaker }, line) => {
    const words = text.split(' ');
    const each = (end - start) / words.length;
    return words.map((word, at) => ({
      text: word,
      start: start + at * each,
      end: start + (at + 1) * each,
      who: people[speaker]!,
      line,
    }));
  });
  // The recogniser is sent each channel by itself, in which all is silent but what is said there.
  speech.hear = (pcm) => {
    const isLeft = isOf(pcm, channels[0]);
    const from = placeOf(pcm, isLeft ? channels[0] : channels[1]);
    return spoken
      .map((word) => ({ ...word, start: word.start - from, end: word.end - from }))
      .filter(({ who, start, end }) => {
        const samples = pcm.subarray(Math.max(0, Math.round(start * 16_000)), end * 16_000);
        return isLeft === (who === 'me') && samples.some((sample) => Math.abs(sample) > 100);
      });
  };
  const wav = await readFile(join(made, 'audio.wav'));
  const pipeline = await testPipeline({
    data,
    settings: () => settingsFrom({ MITSCHRIFT_STT_BASE_URL: speech.url }),
    log: pino({ level: 'silent' }),
    firstRunWaitMs: 0,
    activities: {
      async capture(job) {
        await job.acquireSlot({ name: 'capture', concurrency: 1 });
        const folder = join(data.recordings, job.recordingId);
        await mkdir(folder, { recursive: true });
        await make('ffmpeg', '-i', join(made, 'audio.wav'), join(folder, 'audio.wav'));
        const bytes = await readFile(join(folder, 'audio.wav'));
        const sha256 = createHash('sha256').update(bytes).digest('hex');
        const audio = { path: 'audio.wav', bytes: bytes.length, sha256, duration: null };
        await job.append({ type: 'audio.captured', data: { ...audio, split: true } });
      },
    },
  });
  assert.equal(wav.readUInt16LE(22), 2);
  closePipeline = () => pipeline.close();
  await pipeline.takeUp();
  const { store, recordingService } = pipeline;
  return {
    models: join(dataDir, 'models'),
    /** Records it, and says under which label each word came. */
    async meeting() {
      const recordingId = ulid();
      await recordingService.startRecording({
        recordingId,
        owner: 'anna',
        by: 'anna',
        command: recordingId,
        kind: 'meeting',
        language: null,
        speakers: null,
        device: 'mitschrift-combined',
        trigger: 'api',
      });
      const signal = AbortSignal.timeout(onThisMachine(60_000));
      for await (const fact of subscribed(store, { afterPosition: 0, signal })) {
        if (fact.stream !== recordingStream(recordingId)) continue;
        assert.notEqual(fact.to, 'error');
        if (fact.to === 'awaiting-speakers') break;
      }
      const recording = await readRecording(store, recordingId);
      const [completed] = factsOf(recording, 'diarization.completed', Infinity);
      const [joined] = factsOf(recording, 'turns.joined', Infinity);
      const written = joined!.content!.turns.flatMap(({ words, speaker }) =>
        words.map((word) => ({ ...word, speaker: speaker! })),
      );
      const labels = written.map(({ speaker }) => speaker);
      assert.equal(written.length, spoken.length, 'each word once, also of those said at once');
      const words = spoken.map(({ who, text, start }) => {
        const same = written.filter((word) => word.text === text);
        return { who, label: same.find((word) => Math.abs(word.start - start) < 0.1)!.speaker };
      });
      // The label that most of a person's words have is theirs; without models all others are one.
      const side = (who: string) =>
        completed!.data.engine === 'built-in' && who !== 'me' ? 'others' : who;
      const shares = new Map<string, Map<string, number>>();
      for (const { who, label } of words) {
        const own = shares.get(side(who)) ?? new Map<string, number>();
        shares.set(side(who), own.set(label, (own.get(label) ?? 0) + 1));
      }
      const right = [...shares.values()].reduce((sum, own) => sum + Math.max(...own.values()), 0);
      return {
        completed: completed!,
        words,
        labels: [...new Set(labels)].toSorted(),
        right: right / words.length,
        files: (await readdir(join(data.recordings, recordingId))).filter(
          (name) => name.endsWith('.wav') && !name.startsWith('speech.'),
        ),
      };
    },
  };
}
