import { buffer } from 'node:stream/consumers';
import * as z from 'zod';
import type { Blobs } from '../blobs/blobs.ts';

/** Sound that comes bit by bit, where there is no file that grows for all nodes to see. */
export interface LiveAudio {
  /**
   * From now on this process puts what is heard, behind what others have put; what one of those puts later does not
   * count. @throws {BlobsError}
   */
  begin(recordingId: string): Promise<LivePieces>;
  /** When something of it was put last, in milliseconds since 1970; null: nothing was. @throws {BlobsError} */
  heardAt(recordingId: string): Promise<number | null>;
  /** Nothing of it is left; twice is once. @throws {BlobsError} */
  remove(recordingId: string): Promise<void>;
}

/** What comes of a recording that has ended, and a note about it, which goes last. */
export interface NotedLiveAudio extends LiveAudio {
  /** Null: there is none. @throws {BlobsError} */
  note(recordingId: string): Promise<string | null>;
  /** @throws {BlobsError} */
  keepNote(recordingId: string, text: string): Promise<void>;
}

/** The sound of one recording as 16-bit samples. Lengths and places count those of one channel. */
export type LivePieces = {
  /** What was put before; null: nothing. `heardAt`: milliseconds since 1970. */
  readonly found: (Layout & { samples: number; heardAt: number; gaps: Gaps }) | null;
  /** It, in order. @throws {BlobsError} */
  read(): AsyncIterable<Buffer>;
  /** Puts samples, the first of which is the one at `start`; durable when it returns. @throws {BlobsError} */
  put(start: number, layout: Layout, pcm: Buffer): Promise<void>;
  /** Keeps which samples stand for what was not heard, all of them, before their silence is put. @throws {BlobsError} */
  keepGaps(gaps: Gaps): Promise<void>;
};

/** [first sample, samples] */
type Gaps = z.infer<typeof gapsSchema>;
const gapsSchema = z.array(z.tuple([z.number(), z.number()]));

/** Samples a second, in each channel. */
type Layout = { rate: number; channels: 1 | 2 };

/** Notes, durably, that a file of a recording is about to be kept: if no fact comes to name it, it is found by that. */
export type BeforePut = (recordingId: string) => Promise<void>;

/** Of one process (its turn), and what of it counts. Lengths in samples. */
type Piece = { key: string; layout: Layout; skip: number; samples: number };
type Entry = { key: string; turn: number; layout: Layout | null; start: number; samples: number };

/** Pieces that are asked for at once. */
const atOnceMax = 16;

/**
 * In a bucket, as objects `recordings/<id>/<part>/<turn>-<rate>-<start>`, with `<rate>x2` for two channels. Each process that begins has a turn of its own
 * and says where it begins (`<turn>-begin-<start>`): what a process of an earlier turn puts behind that, since it was
 * frozen and has not noticed, does not count.
 */
export function liveInBucket(bucket: Blobs, beforePut: BeforePut): LiveAudio {
  const pieces = piecesIn(bucket, 'live');
  return {
    ...pieces,
    async begin(recordingId) {
      await beforePut(recordingId);
      return await pieces.begin(recordingId);
    },
  };
}

/** Beside that, with its note as `recordings/<id>/late/note`, behind the pieces in the order in which they are removed. */
export const lateInBucket = (bucket: Blobs): NotedLiveAudio => {
  const noteOf = (recordingId: string): string => `${folderOf(recordingId, 'late')}note`;
  return {
    ...piecesIn(bucket, 'late'),
    async note(recordingId) {
      const found = await bucket.get(noteOf(recordingId));
      return found && (await buffer(found.body)).toString('utf8');
    },
    async keepNote(recordingId, text) {
      await bucket.put(noteOf(recordingId), Buffer.from(text));
    },
  };
};

type Part = 'live' | 'late';

const piecesIn = (bucket: Blobs, part: Part): LiveAudio => ({
  async begin(recordingId) {
    const folder = folderOf(recordingId, part);
    for (;;) {
      const { entries, heardAt } = await entriesIn(bucket, folder);
      const pieces = piecesOf(entries);
      const samples = pieces.reduce((sum, one) => sum + one.samples, 0);
      const turn = Math.max(0, ...entries.map((one) => one.turn)) + 1;
      const mine = `${folder}${turn}-begin-${samples}`;
      if (!(await bucket.put(mine, Buffer.alloc(0), { ifAbsent: true }))) continue;
      const layout = pieces[0]?.layout;
      const gaps = await gapsIn(bucket, folder);
      const keepGaps = (all: Gaps): Promise<unknown> =>
        bucket.put(`${folder}${turn}-gaps`, Buffer.from(JSON.stringify(all)));
      // What a process of an earlier turn says of them later does not count either.
      if (gaps.length > 0) await keepGaps(gaps);
      return {
        found: layout === undefined ? null : { ...layout, samples, heardAt, gaps },
        keepGaps: async (all) => void (await keepGaps(all)),
        read: () => contentOf(bucket, pieces),
        async put(start, { rate, channels }, pcm) {
          const form = channels === 2 ? `${rate}x2` : rate;
          await bucket.put(`${folder}${turn}-${form}-${start}`, pcm);
        },
      };
    }
  },
  heardAt: async (recordingId) =>
    (await entriesIn(bucket, folderOf(recordingId, part))).heardAt || null,
  async remove(recordingId) {
    await bucket.deleteAll(folderOf(recordingId, part));
  },
});

const folderOf = (recordingId: string, part: Part): string => `recordings/${recordingId}/${part}/`;

/** As the last turn has them that has any: each says all of them. */
async function gapsIn(bucket: Blobs, folder: string): Promise<Gaps> {
  let last = { turn: 0, key: '' };
  for await (const { key } of bucket.list(folder)) {
    const turn = Number(/^(\d+)-gaps$/.exec(key.slice(folder.length))?.[1] ?? 0);
    if (turn > last.turn) last = { turn, key };
  }
  const found = last.turn > 0 ? await bucket.get(last.key) : null;
  return found ? gapsSchema.parse(JSON.parse((await buffer(found.body)).toString('utf8'))) : [];
}

async function entriesIn(
  bucket: Blobs,
  folder: string,
): Promise<{ entries: Entry[]; heardAt: number }> {
  const entries: Entry[] = [];
  let heardAt = 0;
  for await (const { key, bytes, modifiedAt } of bucket.list(folder)) {
    const [, turn, form = '', start] =
      /^(\d+)-(begin|\d+(?:x2)?)-(\d+)$/.exec(key.slice(folder.length)) ?? [];
    if (turn === undefined) continue;
    const layout = layoutOf(form);
    if (layout) heardAt = Math.max(heardAt, modifiedAt.getTime());
    entries.push({
      key,
      turn: Number(turn),
      layout,
      start: Number(start),
      samples: layout ? bytes / bytesOf(layout) : 0,
    });
  }
  return { entries, heardAt };
}

const layoutOf = (form: string): Layout | null =>
  form === 'begin'
    ? null
    : { rate: Number.parseInt(form, 10), channels: form.endsWith('x2') ? 2 : 1 };

/** Of a sample in all channels. */
const bytesOf = ({ channels }: Layout): number => channels * 2;

/** Those that count, without a hole, in order. */
function piecesOf(entries: readonly Entry[]): Piece[] {
  const begins = entries.filter(({ layout }) => layout === null);
  const sorted = entries.toSorted((a, b) => a.turn - b.turn || a.start - b.start);
  const pieces: Piece[] = [];
  let end = 0;
  for (const { key, turn, layout, start, samples } of sorted) {
    if (layout === null) continue;
    const next = begins.filter((one) => one.turn > turn).map((one) => one.start);
    const counts = Math.min(start + samples, ...next) - end;
    if (start > end || counts <= 0) continue;
    pieces.push({ key, layout, skip: end - start, samples: counts });
    end += counts;
  }
  return pieces;
}

async function* contentOf(bucket: Blobs, pieces: readonly Piece[]): AsyncGenerator<Buffer> {
  for (let at = 0; at < pieces.length; at += atOnceMax) {
    const reading = pieces.slice(at, at + atOnceMax).map(async ({ key, layout, skip, samples }) => {
      const bytes = bytesOf(layout);
      const range = { start: skip * bytes, end: (skip + samples) * bytes - 1 };
      const found = await bucket.get(key, { range });
      if (found === null)
        throw new Error('Part of a recording disappeared while it was being recorded.');
      return await buffer(found.body);
    });
    yield* await Promise.all(reading);
  }
}
