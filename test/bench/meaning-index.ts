/**
 * Puts invented talks into an index of words, vectors for their passages into one of meaning, and into one plain array; asks
 * all of them questions in turns, and prints what that took as JSON. What an embedding server takes is not in it.
 * Arguments: number of passages, number of questions. With `--expose-gc`.
 */
import { joinedRanks, nearRecordings } from '../../src/search/by-meaning.ts';
import { asBytes, vectorIndex } from '../../src/search/vector-index.ts';
import { wordIndex } from '../../src/search/word-index.ts';
import { cloud } from '../support/cloud.ts';
import { seeded } from '../support/seeded.ts';
import { memoryUsed } from './memory-used.ts';
import { askedOfTalks, talk } from './talks.ts';

const parts = ['ours', 'words', 'meaning', 'bare'] as const;

/** Milliseconds of each question, the best of its tries: by the clock, and of processor time. */
export type Took = { clock: number[]; processor: number[] };

/** `ours`: by words and meaning; `bare`: all numbers compared. */
export type MeaningFigures = Record<(typeof parts)[number], Took> & {
  /** Processor time of the first, before which the mean of all is not known. */
  firstMs: number;
  /** Share of the best 20 that ours finds too. */
  recall: number;
  /** Of the index of meaning. */
  bytes: number;
};

/** A talk of 1,500 words has about so many passages when it is cut short: what they cost is what is measured. */
const perTalk = 20;
const dimensions = 384;
const compared = 20;
const tries = 3;

const [passages, questions] = process.argv.slice(2).map(Number) as [number, number];
const random = seeded(1);
const point = cloud(random, dimensions);
console.log(JSON.stringify(await measured()));

async function measured(): Promise<MeaningFigures> {
  const all = new Int8Array(passages * dimensions);
  const points = Array.from({ length: questions + 1 }, () => point());
  for (let at = 0; at < passages; at += 1) all.set(asBytes(point()), at * dimensions);
  const before = memoryUsed();
  const vectors = vectorIndex(dimensions);
  for (let talkAt = 0; talkAt * perTalk < passages; talkAt += 1) {
    const from = talkAt * perTalk;
    const to = Math.min(passages, from + perTalk);
    vectors.put(`r${talkAt}`, all.subarray(from * dimensions, to * dimensions));
  }
  const bytes = memoryUsed() - before;
  const index = wordIndex();
  for (let at = 0; at * perTalk < passages; at += 1)
    index.put({ id: `r${at}`, title: 'A talk', speakers: '', text: talk(at), summary: '' });
  const meant = { meant: () => vectors };
  const near = async (vector: Float32Array) =>
    await nearRecordings(meant, { model: '', vector, floor: 0 }, undefined);

  const took = (): Took => ({ clock: [], processor: [] });
  const figures: MeaningFigures = {
    ours: took(),
    words: took(),
    meaning: took(),
    bare: took(),
    firstMs: (await timed(() => near(points[0]!))).processor,
    recall: 0,
    bytes,
  };
  // Once for the compiler.
  for (const vector of points.slice(0, 3)) bareNearest(all, vector);
  for (const vector of points.slice(1)) {
    const words = askedOfTalks(random);
    let best: number[] = [];
    const work = {
      ours: async () => joinedRanks(index.find(words, Infinity), await near(vector)),
      words: async () => index.find(words, Infinity),
      meaning: () => near(vector),
      bare: async () => (best = bareNearest(all, vector)),
    };
    for (const part of parts) {
      const { clock, processor } = await bestOf(work[part]);
      figures[part].clock.push(clock);
      figures[part].processor.push(processor);
    }
    const found = await vectors.nearest(vector, compared);
    const keys = new Set(found.map(({ id, passage }) => Number(id.slice(1)) * perTalk + passage));
    figures.recall += best.filter((at) => keys.has(at)).length / compared / questions;
  }
  return figures;
}

/** The least of several tries: other work on the machine only makes slower. */
async function bestOf(work: () => Promise<unknown>) {
  const all = [];
  for (let again = 0; again < tries; again += 1) all.push(await timed(work));
  return {
    clock: Math.min(...all.map(({ clock }) => clock)),
    processor: Math.min(...all.map(({ processor }) => processor)),
  };
}

async function timed(work: () => Promise<unknown>): Promise<{ clock: number; processor: number }> {
  const [start, before] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(before);
  return { clock: performance.now() - start, processor: (user + system) / 1000 };
}

/** The best by all numbers of all passages, in one loop. */
function bareNearest(all: Int8Array, question: Float32Array): number[] {
  const asked = asBytes(question);
  const scores = new Float32Array(passages);
  for (let at = 0, place = 0; at < passages; at += 1) {
    let [sum, length] = [0, 0];
    for (let number = 0; number < dimensions; number += 1, place += 1) {
      const one = all[place]!;
      sum += one * asked[number]!;
      length += one * one;
    }
    scores[at] = sum / Math.sqrt(length);
  }
  const order = Uint32Array.from(scores, (_, at) => at);
  const least = scores.toSorted()[Math.max(0, passages - compared)]!;
  return Array.from(order.filter((at) => scores[at]! >= least))
    .sort((one, other) => scores[other]! - scores[one]!)
    .slice(0, compared);
}
