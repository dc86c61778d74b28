import { setImmediate } from 'node:timers/promises';

/** What passages of transcripts mean, in memory. Holds no texts. */
export interface VectorIndex {
  /** Puts the passages of a recording in, in the place of what was there of it: vectors one after the other. */
  put(id: string, vectors: Int8Array): void;
  /** It is not found any more, and its numbers are no longer in memory. */
  remove(id: string): void;
  /**
   * The passages that are nearest to a question, nearest first.
   * @param question of length 1
   * @param fits recordings that may be found at all; default: all
   */
  nearest(
    question: Float32Array,
    limit: number,
    fits?: (id: string) => boolean,
  ): Promise<NearPassage[]>;
  /** Bytes that it takes, about. */
  readonly bytes: number;
}

/** `passage`: which of the recording's, from 0; `score`: the cosine of the angle to the question. */
export type NearPassage = { id: string; passage: number; score: number };

/** Passages that are kept together. */
const chunkBits = 12;
const chunkSize = 1 << chunkBits;
/** Passages that are looked at before others have their turn, in chunks: about 25,000. */
const chunksAtOnce = 6;
/** Passages whose numbers are compared; those with the nearest signs. */
const candidatesMax = 2000;
/** Signs are made again when there are so many times as many passages as when they were made. */
const grownBy = 1.3;

type Chunk = {
  vectors: Int8Array;
  /** Lengths of the vectors. */
  lengths: Float32Array;
  /** A bit for each number: whether it is above the mean. */
  signs: Uint32Array;
  /** Number of the recording that each is of; -1: none. */
  of: Int32Array;
  /** Which passage of it. */
  passage: Uint16Array;
};

type Vectors = {
  dimensions: number;
  /** Words of 32 bits that the signs of one take. */
  words: number;
  chunks: Chunk[];
  free: number[];
  /** Slots that were ever taken. */
  end: number;
  ids: (string | undefined)[];
  numbers: Map<string, { number: number; slots: Uint32Array }>;
  /** Of all vectors, each of length 1. */
  sums: Float64Array;
  count: number;
  /** The mean that signs are told from, and of how many it was made. */
  mean: Float32Array;
  meanOf: number;
};

/**
 * Compares a question with all passages of a user: first by the signs of their numbers, after the mean of all is subtracted
 * (many models give all texts a large part in common), then the nearest of these by the numbers themselves.
 */
export function vectorIndex(dimensions: number): VectorIndex {
  const words = Math.ceil(dimensions / 32);
  const all: Vectors = {
    dimensions,
    words,
    chunks: [],
    free: [],
    end: 0,
    ids: [],
    numbers: new Map(),
    sums: new Float64Array(dimensions),
    count: 0,
    mean: new Float32Array(dimensions),
    meanOf: 0,
  };
  const passageBytes = dimensions + words * 4 + 10;
  return {
    put: (id, vectors) => put(all, id, vectors),
    remove: (id) => remove(all, id),
    nearest: (question, limit, fits) => nearest(all, question, { limit, fits }),
    get bytes() {
      return all.chunks.length * chunkSize * passageBytes;
    },
  };
}

function put(all: Vectors, id: string, vectors: Int8Array): void {
  remove(all, id);
  const { dimensions, ids, numbers } = all;
  const count = Math.floor(vectors.length / dimensions);
  const number = ids.length;
  ids.push(id);
  const slots = Uint32Array.from({ length: count }, () => freeSlot(all));
  for (const [passage, slot] of slots.entries()) {
    const { chunk, at } = placeOf(all, slot);
    const vector = vectors.subarray(passage * dimensions, (passage + 1) * dimensions);
    chunk.vectors.set(vector, at * dimensions);
    chunk.lengths[at] = lengthOf(vector);
    chunk.of[at] = number;
    chunk.passage[at] = passage;
    addTo(all, vector, chunk.lengths[at]);
    signed(all, chunk, at);
  }
  numbers.set(id, { number, slots });
  all.count += count;
}

function remove(all: Vectors, id: string): void {
  const known = all.numbers.get(id);
  if (!known) return;
  const { dimensions, words } = all;
  all.numbers.delete(id);
  all.ids[known.number] = undefined;
  for (const slot of known.slots) {
    const { chunk, at } = placeOf(all, slot);
    const vector = chunk.vectors.subarray(at * dimensions, (at + 1) * dimensions);
    addTo(all, vector, -chunk.lengths[at]!);
    vector.fill(0);
    chunk.signs.fill(0, at * words, (at + 1) * words);
    chunk.of[at] = -1;
    all.free.push(slot);
  }
  all.count -= known.slots.length;
}

function freeSlot(all: Vectors): number {
  const slot = all.free.pop();
  if (slot !== undefined) return slot;
  if (all.end >>> chunkBits === all.chunks.length) {
    all.chunks.push({
      vectors: new Int8Array(chunkSize * all.dimensions),
      lengths: new Float32Array(chunkSize),
      signs: new Uint32Array(chunkSize * all.words),
      of: new Int32Array(chunkSize).fill(-1),
      passage: new Uint16Array(chunkSize),
    });
  }
  return all.end++;
}

const placeOf = ({ chunks }: Pick<Vectors, 'chunks'>, slot: number) => ({
  chunk: chunks[slot >>> chunkBits]!,
  at: slot & (chunkSize - 1),
});

function lengthOf(vector: Int8Array): number {
  let sum = 0;
  for (const one of vector) sum += one * one;
  return Math.sqrt(sum) || 1;
}

/** @param length with a sign: less than 0 takes it out */
function addTo({ sums, dimensions }: Vectors, vector: Int8Array, length: number): void {
  for (let at = 0; at < dimensions; at += 1) sums[at]! += vector[at]! / length;
}

function signed({ dimensions, words, mean }: Vectors, chunk: Chunk, at: number): void {
  const length = chunk.lengths[at]!;
  for (let word = 0; word < words; word += 1) {
    let bits = 0;
    const end = Math.min(32, dimensions - word * 32);
    for (let bit = 0; bit < end; bit += 1) {
      const place = word * 32 + bit;
      if (chunk.vectors[at * dimensions + place]! > mean[place]! * length) bits |= 1 << bit;
    }
    chunk.signs[at * words + word] = bits;
  }
}

/** Tells signs from the mean of what is there now, if that has grown much. */
async function meanNow(all: Vectors): Promise<void> {
  if (all.count <= candidatesMax || all.count < all.meanOf * grownBy) return;
  all.meanOf = all.count;
  all.mean = Float32Array.from(all.sums, (sum) => sum / all.count);
  for (const chunk of all.chunks) {
    for (let at = 0; at < chunkSize; at += 1) if (chunk.of[at]! >= 0) signed(all, chunk, at);
    // To tell signs takes several times as long as to compare them.
    await setImmediate();
  }
}

async function nearest(
  all: Vectors,
  question: Float32Array,
  { limit, fits }: { limit: number; fits: ((id: string) => boolean) | undefined },
): Promise<NearPassage[]> {
  if (question.length !== all.dimensions || all.count === 0) return [];
  await meanNow(all);
  const allowed = fits && Uint8Array.from(all.ids, (id) => (id !== undefined && fits(id) ? 1 : 0));
  const slots =
    all.count <= candidatesMax ? taken(all, allowed) : await candidates(all, question, allowed);
  return slots
    .flatMap((slot) => scored(all, question, slot))
    .toSorted((one, other) => other.score - one.score)
    .slice(0, limit);
}

const isAllowed = (number: number, allowed: Uint8Array | undefined): boolean =>
  number >= 0 && (allowed === undefined || allowed[number] === 1);

function taken({ chunks, end }: Vectors, allowed: Uint8Array | undefined): number[] {
  const slots: number[] = [];
  for (let slot = 0; slot < end; slot += 1) {
    const number = chunks[slot >>> chunkBits]!.of[slot & (chunkSize - 1)]!;
    if (isAllowed(number, allowed)) slots.push(slot);
  }
  return slots;
}

/** Those whose signs differ least from the question's. */
async function candidates(
  all: Vectors,
  question: Float32Array,
  allowed: Uint8Array | undefined,
): Promise<number[]> {
  const { chunks, words, dimensions, mean, end } = all;
  const wanted = new Uint32Array(words);
  for (let at = 0; at < dimensions; at += 1)
    if (question[at]! > mean[at]!) wanted[at >>> 5]! |= 1 << (at & 31);
  const none = dimensions + 1;
  const distances = new Uint16Array(end).fill(none);
  const howMany = new Uint32Array(none + 1);
  for (let from = 0; from < end; from += chunkSize) {
    const { signs, of } = chunks[from >>> chunkBits]!;
    const count = Math.min(chunkSize, end - from);
    for (let at = 0; at < count; at += 1) {
      if (!isAllowed(of[at]!, allowed)) continue;
      let distance = 0;
      for (let word = 0, place = at * words; word < words; word += 1, place += 1)
        distance += bitsIn(signs[place]! ^ wanted[word]!);
      distances[from + at] = distance;
      howMany[distance]! += 1;
    }
    if ((from >>> chunkBits) % chunksAtOnce === chunksAtOnce - 1) await setImmediate();
  }
  let [farthest, within] = [0, 0];
  while (farthest < none && within + howMany[farthest]! <= candidatesMax)
    within += howMany[farthest++]!;
  const slots: number[] = [];
  let left = candidatesMax - within;
  for (let slot = 0; slot < end; slot += 1) {
    const distance = distances[slot]!;
    if (distance < farthest || (distance === farthest && distance < none && left-- > 0))
      slots.push(slot);
  }
  return slots;
}

/** How many bits of 32 are set. */
function bitsIn(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

function scored(all: Vectors, question: Float32Array, slot: number): NearPassage[] {
  const { dimensions, ids } = all;
  const { chunk, at } = placeOf(all, slot);
  // It may have gone meanwhile.
  const id = ids[chunk.of[at]!];
  if (id === undefined) return [];
  let sum = 0;
  for (let place = 0, from = at * dimensions; place < dimensions; place += 1)
    sum += question[place]! * chunk.vectors[from + place]!;
  return [{ id, passage: chunk.passage[at]!, score: sum / chunk.lengths[at]! }];
}

/** Numbers of length 1 as whole ones from -127 to 127. */
export function asBytes(vector: Float32Array): Int8Array {
  const largest = vector.reduce((most, one) => Math.max(most, Math.abs(one)), 0);
  return Int8Array.from(vector, (one) => Math.round((one / (largest || 1)) * 127));
}
