import assert from 'node:assert/strict';
import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Stretch } from '../../events/facts/transcript.ts';
import { speechHeader, speechRate } from '../../src/audio/wav.ts';
import { audioFileName } from '../../src/shared/data-directory.ts';
import type { WaitingStretch } from '../../src/speech/live/closed-speech.ts';
import { type AudioFollower, openFollower } from '../../src/speech/live/follower.ts';
import { type Line, sentences as sentencesSaid, synthesise } from '../support/dialogues.ts';
import { type Random, seed, seeded, times } from '../support/seeded.ts';
import { tonePcm } from '../support/speech-servers-audio.ts';
import { type ToneWord, hearTones, toneTalk, toneText } from '../support/speech-servers-tones.ts';
import { tempDir } from '../support/temp-dir.ts';

const seconds = times({ short: 60, long: 1800 });

test(`where stretches end depends neither on how much of a file comes at once nor on restarts (seed ${seed})`, async (t) => {
  for (const at of [0, 1, 2]) {
    const random = seeded(seed + at);
    const words = toneTalk(seconds, random.next);
    const pcm = await tonePcm(words, seconds);
    const whole = await stretchesOf(t, pcm, { bytesNow: () => pcm.length, isRestart: () => false });
    const inParts = await stretchesOf(t, pcm, {
      bytesNow: () => partBytes(random),
      isRestart: () => random.chance(0.05),
    });
    assert.deepEqual(inParts, whole, `seed ${seed + at}`);
    assert.ok(whole.length > seconds / 30);
  }
});

test('at a pause, however short, nothing of the word behind it is left in the stretch before', async (t) => {
  for (const pause of [0.2, 0.25, 0.3, 0.4]) {
    const words = sentences(20, pause);
    const pcm = await tonePcm(words, 22);
    const all = await stretchesOf(t, pcm, { bytesNow: () => pcm.length, isRestart: () => false });
    const ends = all.map(({ stretch: [, end] }) => end);
    const inside = words.filter(({ start, end }) =>
      ends.some((edge) => edge > start + edgeMax && edge < end),
    );
    assert.deepEqual(inside, [], `${pause}: ${ends.join()}`);
    assert.ok(all.length > 1);
  }
});

test('a sentence is closed a second after its end; a pause in which one takes breath cuts none apart', async (t) => {
  const said = [0, 3, 8, 15].map((at) => ({ speaker: 0, text: sentencesSaid[at]!, gap: 1.4 }));
  const [apart, together] = [
    await closedAt(t, said),
    await closedAt(t, [said[1]!, { ...said[2]!, gap: 0.6 }]),
  ];
  assert.equal(apart.closed.length, said.length);
  const delays = apart.closed.map(({ at }, line) => at - apart.said[line]!.end);
  assert.ok(Math.max(...delays) <= 1, delays.join());
  assert.equal(together.closed.length, 1, 'one passage');
});

test('stretches that wait are joined where one voice is heard in them; one that is too short to tell stays alone', async (t) => {
  const folder = await tempDir(t);
  const path = join(folder, audioFileName);
  await writeFile(path, speechHeader(0));
  await appendFile(path, await tonePcm(sentences(11, 1.8), 12));
  const follower = await followed(folder, { from: 0, isCut: false });
  t.after(() => follower.close());
  await follower.end();
  const voices = ['VOICE_1', 'VOICE_1', undefined, 'VOICE_1'];
  const counts: (number | undefined)[] = [];
  for (let left = voices.length; left > 0;) {
    const next = await follower.nextOfOneVoice(() => Promise.resolve(voices.shift()));
    counts.push(next?.count);
    follower.taken(next!.count);
    left -= next!.count;
  }
  assert.deepEqual(counts, [2, 1, 1]);
  assert.equal(follower.next(), null);
});

test('two who read what has come at the same time leave every word as it was', async (t) => {
  const words = toneTalk(30, seeded(seed).next);
  const folder = await tempDir(t);
  const path = join(folder, audioFileName);
  await writeFile(path, speechHeader(0));
  await appendFile(path, await tonePcm(words, 30));
  const follower = await followed(folder, { from: 0, isCut: false });
  t.after(() => follower.close());
  await Promise.all([follower.follow(), follower.follow(), follower.end()]);
  const piece = await follower.piece([0, follower.duration()]);
  const heard = hearTones(await piece.read(0, piece.duration));
  await piece.close();
  assert.deepEqual(
    heard.map(({ text }) => text),
    words.map(({ text }) => text),
  );
});

/** When each stretch of something said was closed, by the seconds that had come. */
async function closedAt(t: TestContext, lines: Line[]) {
  const { samples, said } = await synthesise([...lines, { speaker: 0, text: 'and', gap: 3 }]);
  const folder = await tempDir(t);
  const path = join(folder, audioFileName);
  await writeFile(path, speechHeader(0));
  const follower = await followed(folder, { from: 0, isCut: false });
  t.after(() => follower.close());
  const closed: { at: number; stretch: Stretch }[] = [];
  const step = speechRate / 20;
  const bytes = Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);
  for (let at = 0; at + step < (said.at(-1)!.start - 0.5) * speechRate; at += step) {
    await appendFile(path, bytes.subarray(at * 2, (at + step) * 2));
    await follower.follow();
    for (let next = follower.next(); next; next = follower.next()) {
      closed.push({ at: (at + step) / speechRate, stretch: next.stretch });
      follower.taken(next.count);
    }
  }
  return { said, closed };
}

/** What may be cut off a word, seconds: nothing of it is heard then. */
const edgeMax = 0.05;

/** From less than a frame of the detector to several seconds. */
const partBytes = (random: Random): number =>
  2 * Math.ceil(random.pick([200, 1600, 8000, 80_000]) * (0.5 + random.next()));

/** Three words each, and a pause behind each that is longer than the one between words. */
function sentences(length: number, pause: number): ToneWord[] {
  const words: ToneWord[] = [];
  for (let start = 0.5; start < length;) {
    const end = start + 0.3;
    words.push({ text: toneText(words.length), start, end });
    start = end + (words.length % 3 === 0 ? pause : 0.12);
  }
  return words;
}

/** Each for itself, as they are closed while the file grows by so many bytes at a time, and restarts in between. */
async function stretchesOf(
  t: TestContext,
  pcm: Buffer,
  { bytesNow, isRestart }: { bytesNow(): number; isRestart(): boolean },
): Promise<WaitingStretch[]> {
  const folder = await tempDir(t);
  const path = join(folder, audioFileName);
  await writeFile(path, speechHeader(0));
  let follower = await followed(folder, { from: 0, isCut: false });
  t.after(() => follower.close());
  const closed: WaitingStretch[] = [];
  const takeAll = async () => {
    for (;;) {
      const next = await follower.nextOfOneVoice(([start]) => Promise.resolve(String(start)));
      if (!next) return;
      assert.equal(next.count, 1);
      follower.taken(next.count);
      closed.push({ stretch: next.stretch, cut: next.cut });
    }
  };
  for (let at = 0; at < pcm.length;) {
    const end = Math.min(pcm.length, at + bytesNow());
    await appendFile(path, pcm.subarray(at, end));
    at = end;
    await follower.follow();
    await takeAll();
    if (!isRestart()) continue;
    await follower.close();
    const { stretch, cut } = closed.at(-1) ?? { stretch: [0, 0], cut: false };
    follower = await followed(folder, { from: stretch[1], isCut: cut });
  }
  await follower.end();
  await takeAll();
  return closed;
}

/** Follows the file of a folder from where it was followed before. */
async function followed(
  folder: string,
  place: { from: number; isCut: boolean },
): Promise<AudioFollower> {
  const follower = await openFollower({ captured: folder, work: folder }, audioFileName, place);
  assert.ok(follower);
  return follower;
}
