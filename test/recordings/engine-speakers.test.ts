import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { test } from 'node:test';
import type { Block } from '../../events/facts/transcript.ts';
import { wavHeader } from '../../src/audio/wav.ts';
import { linesOf, placeOf, synthesise, writeDialogue } from '../support/dialogues.ts';
import { openMeetingWorld } from '../support/meeting-world.ts';
import { copyModel } from '../support/models.ts';
import {
  type ToneWord,
  seeded,
  toneAudio,
  toneText,
  toneTalk,
} from '../support/speech-servers-tones.ts';

/** Two talk in turns of eight words, which every stand-in can tell by the words. */
const voiceOf = (word: string): string => String(Math.floor(Number(word.slice(1)) / 8) % 2);

/** So many seconds of it, with a long pause in the middle. */
function talkOf(seconds: number): ToneWord[] {
  const words = toneTalk(seconds - 5, seeded(7));
  const middle = words.findIndex(({ start }) => start > seconds / 2);
  const later = (time: number) => Math.round((time + 4) * 100) / 100;
  return words.map((word, i) =>
    i < middle ? word : { ...word, start: later(word.start), end: later(word.end) },
  );
}

async function samplesOf(words: readonly ToneWord[], seconds: number): Promise<Int16Array> {
  const samples = new Int16Array(seconds * 16_000);
  let at = 0;
  for await (const block of toneAudio(words, seconds))
    for (const sample of block) samples[at++] = Math.round(sample * 32_767);
  return samples;
}

/** Every word once and in order, each under the one who said it; the labels those have. */
function checkWords(blocks: readonly Block[], words: readonly ToneWord[]): string[] {
  const said = blocks.flatMap(({ speaker, text }) =>
    text.split(/[\s,]+/).flatMap((word) => (word === '' ? [] : [{ word, speaker }])),
  );
  assert.deepEqual(
    said.map(({ word }) => word),
    words.map(({ text }) => text),
  );
  const labels = new Map<string, Set<string | null>>();
  for (const { word, speaker } of said) {
    const voice = voiceOf(word);
    labels.set(voice, (labels.get(voice) ?? new Set()).add(speaker));
  }
  return [...labels.values()].map((own) => [...own].join(' '));
}

test('diarized_json: speakers are asked for, and known again in the next request by samples of them', async (t) => {
  const model = 'gpt-4o-transcribe-diarize';
  const world = await openMeetingWorld(t, { model });
  const { speech } = world;
  speech.voiceOf = voiceOf;
  speech.bytesMax = 1_900_000; // OpenAI's limit, for a shorter talk
  const words = talkOf(70);
  const path = world.uploadPath('talk.wav');
  await writeDialogue(path, await samplesOf(words, 70));
  const id = await world.upload(path);
  await world.until(id, 'awaiting-speakers');
  const [whole, first, ...later] = speech.received;
  assert.ok(whole!.pcm!.length > 60 * 16_000, 'all at once, but for the limit');
  assert.deepEqual(
    ['response_format', 'chunking_strategy', 'known_speaker_names[]'].map(
      (one) => first!.fields[one],
    ),
    [['diarized_json'], ['auto'], undefined],
  );
  assert.ok(later.length > 0);
  for (const { fields } of later) assert.equal(fields['known_speaker_names[]']?.length, 2);

  const [completed] = await world.factsOf(id, 'diarization.completed');
  const { engine, model: asked, labels, apart } = completed!.data;
  assert.deepEqual([engine, asked, apart], ['compat', model, undefined]);
  assert.deepEqual(labels, ['SPEAKER_00', 'SPEAKER_01']);
  const { transcript } = await world.finish(id);
  assert.deepEqual(checkWords(await world.blocks(id), words), ['SPEAKER_00', 'SPEAKER_01']);
  const names = [...transcript.matchAll(/^\*\*(.+?)\*\* \[/gm)].map((match) => match[1]!);
  assert.deepEqual(new Set(names), new Set(['Speaker 1', 'Speaker 2']));
  assert.equal(names[0], 'Speaker 1');
});

test('diarized_json: a bad moment of the server puts nothing under whoever spoke before it', async (t) => {
  const world = await openMeetingWorld(t, { model: 'gpt-4o-transcribe-diarize' });
  const { speech } = world;
  speech.voiceOf = voiceOf;
  speech.bytesMax = 1_900_000;
  const words = talkOf(70);
  const path = world.uploadPath('talk.wav');
  await writeDialogue(path, await samplesOf(words, 70));
  const id = await world.upload(path);
  // All at once, which is too much, and the first part.
  await speech.asked(2);
  speech.faults.push({ do: 'answer', status: 500 }, { do: 'answer', status: 500 });
  await world.until(id, 'awaiting-speakers');
  await world.finish(id);
  assert.deepEqual(checkWords(await world.blocks(id), words), ['SPEAKER_00', 'SPEAKER_01']);
});

test('diarized_json: speakers stay where this machine has no model and the server names nobody for a minute; that may be another', async (t) => {
  const world = await openMeetingWorld(t, { model: 'gpt-4o-transcribe-diarize' });
  const words = talkOf(180);
  const isUntold = (start: number) => start < 5 || (start > 60 && start < 135);
  const segments = words.map(({ text, start, end }, i) => ({
    ...(isUntold(start) ? {} : { speaker: voiceOf(text) }),
    start,
    end: words[i + 1]?.start ?? end,
    text: ` ${text}`,
  }));
  const body = JSON.stringify({ text: words.map(({ text }) => text).join(' '), segments });
  world.speech.faults.push({ do: 'answer', status: 200, type: 'application/json', body });
  const path = world.uploadPath('talk.wav');
  await writeDialogue(path, await samplesOf(words, 180));
  const id = await world.upload(path);
  await world.until(id, 'awaiting-speakers');
  assert.deepEqual(await world.factsOf(id, 'diarization.skipped'), []);
  const [completed] = await world.factsOf(id, 'diarization.completed');
  assert.deepEqual(completed!.data.labels, ['SPEAKER_00', 'SPEAKER_01']);
  await world.finish(id);
  const doubts = (await world.blocks(id)).flatMap((block) => block.doubts ?? []);
  const seconds = doubts.reduce((sum, { start, end }) => sum + end - start, 0);
  assert.ok(
    seconds > 30 && doubts.every(({ start, end }) => start > 60 && end < 136),
    `${seconds}`,
  );
  assert.ok(doubts.every(({ reason }) => reason === 'other-speaker'));
});

test('LocalAI: it shows that it tells speakers apart, then is asked for all at once; with a limit they are noted to be apart', async (t) => {
  const world = await openMeetingWorld(t, { kind: 'localai' });
  const { speech } = world;
  speech.voiceOf = voiceOf;
  const words = talkOf(60);
  const path = world.uploadPath('talk.wav');
  await writeDialogue(path, await samplesOf(words, 60));
  const id = await world.upload(path);
  await world.until(id, 'awaiting-speakers');
  const seconds = speech.received.map(({ pcm }) => pcm!.length / 16_000);
  assert.equal(seconds.length, 2, String(seconds));
  assert.ok(seconds[0]! <= 20 && seconds[1]! > 50, String(seconds));
  await world.finish(id);
  assert.deepEqual(checkWords(await world.blocks(id), words), ['SPEAKER_00', 'SPEAKER_01']);

  speech.bytesMax = 1_200_000;
  const again = world.uploadPath('again.wav');
  await writeDialogue(again, await samplesOf(words, 60));
  const other = await world.upload(again);
  await world.until(other, 'awaiting-speakers');
  const [completed] = await world.factsOf(other, 'diarization.completed');
  const { apart } = completed!.data;
  assert.ok(apart! >= 2);
  assert.equal(completed!.content, undefined);
  const { index } = await world.finish(other);
  const note = (await world.row(other)).notes.find(({ code }) => code === 'speakers-apart');
  assert.equal(note?.params?.['sections'], apart);
  assert.match(index, /one person may appear as several speakers/);
  const labels = checkWords(await world.blocks(other), words).flatMap((own) => own.split(' '));
  assert.ok(labels.length >= 4);
  assert.equal(new Set(labels).size, labels.length, 'no label is of two people');
});

test('WhisperX: asked by its query, with the number of speakers; speakers of two requests are joined by how they sound', async (t) => {
  const world = await openMeetingWorld(t, { kind: 'asr' });
  const { speech } = world;
  await copyModel('espeak-embedding', world.models);
  const { samples, said } = await synthesise(linesOf(2, 12));
  // What was said is known by where the audio is that it is sent.
  const spoken = said.flatMap(({ start, end }, line) =>
    Array.from({ length: 4 }, (_, i): ToneWord => {
      const each = (end - start) / 4;
      const text = toneText(((line % 2) * 8 + i + Math.floor(line / 2) * 16) % 64);
      return { text, start: start + i * each, end: start + (i + 1) * each };
    }),
  );
  speech.voiceOf = voiceOf;
  speech.hear = (pcm) => {
    const [from, to] = [placeOf(pcm, samples), placeOf(pcm, samples) + pcm.length / 16_000];
    return spoken
      .filter(({ start, end }) => start >= from && end <= to)
      .map((word) => ({ ...word, start: word.start - from, end: word.end - from }));
  };
  speech.bytesMax = 32_000 * 0.75 * (samples.length / 16_000);
  const path = world.uploadPath('talk.wav');
  await writeDialogue(path, samples);
  const id = await world.upload(path, 2);
  await world.until(id, 'awaiting-speakers');
  const { query, path: asked } = speech.received.at(-1)!;
  assert.equal(asked, '/asr');
  assert.deepEqual(Object.fromEntries(query), {
    task: 'transcribe',
    output: 'json',
    encode: 'true',
    word_timestamps: 'true',
    vad_filter: 'true',
    diarize: 'true',
    min_speakers: '2',
    max_speakers: '2',
  });
  const [completed] = await world.factsOf(id, 'diarization.completed');
  const { data, content } = completed!;
  assert.deepEqual([data.engine, data.apart], ['asr', undefined]);
  assert.ok(data.labels!.length >= 4, 'two requests, each with speakers of its own');
  assert.equal(content?.embedding_model, 'espeak-embedding');
  assert.deepEqual(
    content?.voices.map(({ label }) => label),
    ['SPEAKER_00', 'SPEAKER_01'],
  );
  await world.finish(id);
  assert.deepEqual(checkWords(await world.blocks(id), spoken), ['SPEAKER_00', 'SPEAKER_01']);
});

test('a file whose channels carry different speech is recognised channel by channel, and these are its speakers', async (t) => {
  const world = await openMeetingWorld(t, { kind: 'whisper.cpp' });
  const words = talkOf(40);
  const sides = ['0', '1'].map((voice) => words.filter(({ text }) => voiceOf(text) === voice));
  const [left, right] = [await samplesOf(sides[0]!, 40), await samplesOf(sides[1]!, 40)];
  const both = new Int16Array(left.length * 2);
  for (let i = 0; i < left.length; i += 1) [both[2 * i], both[2 * i + 1]] = [left[i]!, right[i]!];
  const path = world.uploadPath('talk.wav');
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, Buffer.concat([wavHeader(2, left.length), Buffer.from(both.buffer)]));
  const id = await world.upload(path);
  await world.until(id, 'awaiting-speakers');
  // Of two channels at once whisper.cpp would hear the mix.
  assert.ok(world.speech.received.every(({ channels }) => !channels));
  const [plan] = await world.factsOf(id, 'speech.detected');
  assert.deepEqual(new Set(plan!.data.channels), new Set([0, 1]));
  const [completed] = await world.factsOf(id, 'diarization.completed');
  assert.deepEqual(
    [completed!.data.engine, completed!.data.channels],
    ['built-in', { SPEAKER_00: 0, SPEAKER_01: 1 }],
  );
  await world.finish(id);
  assert.deepEqual(checkWords(await world.blocks(id), words), ['SPEAKER_00', 'SPEAKER_01']);
});
