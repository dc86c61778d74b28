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
import { msOf } from './measure.ts';
import { askedOfTalks, talk } from './talks.ts';

export type MeaningFigures = {
  /** Milliseconds of each question, the best of its tries: by words and meaning, by meaning alone, all numbers compared. */
  ours: number[];
  meaning: number[];
  bare: number[];
  /** Of the first, before which the mean of all is not known. */
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
/** Of each question, in turns: other work on the machine only makes slower. */
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

  const figures: MeaningFigures = {
    ours: [],
    meaning: [],
    bare: [],
    firstMs: await msOf(async () => void (await near(points[0]!))),
    recall: 0,
    bytes,
  };
  // Once for the compiler.
  for (const vector of points.slice(0, 3)) bareNearest(all, vector);
  for (const vector of points.slice(1)) {
    const words = askedOfTalks(random);
    const took = { ours: Infinity, meaning: Infinity, bare: Infinity };
    let best: number[] = [];
    const parts = {
      ours: async () => void joinedRanks(index.find(words, Infinity), await near(vector)),
      meaning: async () => void (await near(vector)),
      bare: async () => void (best = bareNearest(all, vector)),
    };
    for (let again = 0; again < tries; again += 1) {
      for (const who of ['ours', 'meaning', 'bare'] as const)
        took[who] = Math.min(took[who], await msOf(parts[who]));
    }
    for (const who of ['ours', 'meaning', 'bare'] as const) figures[who].push(took[who]);
    const found = await vectors.nearest(vector, compared);
    const keys = new Set(found.map(({ id, passage }) => Number(id.slice(1)) * perTalk + passage));
    figures.recall += best.filter((at) => keys.has(at)).length / compared / questions;
  }
  return figures;
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
  return [...order.filter((at) => scores[at]! >= least)]
    .toSorted((one, other) => scores[other]! - scores[one]!)
    .slice(0, compared);
}
