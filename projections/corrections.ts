import { type LoggedFact, isRecordingFact } from '../events/facts/catalogue.ts';
import { filesAfter, noFiles } from '../events/facts/files.ts';
import { recordingOf } from '../events/facts/recording.ts';
import { isJoined } from '../events/facts/sources.ts';
import { startingWith } from './list-page.ts';
import { type CorrectedPair, foldedText, pairKey } from './recording/corrected-pairs.ts';
import { isErased } from './recording/digest.ts';
import type { Projection, ProjectionStorage, Seal } from './runner/projection.ts';

/**
 * What people wrote in place of what was heard, in the recordings of each user. Rows:
 * - `w/<recording>` (sealed) the pairs; whose it is and where it is listed stay readable, so that it can be taken out of the
 *   list without its key
 * - `i/<owner>/<position>/<recording>` one a recording that has pairs, by when the last was written
 *
 * No key has a word in it: an erased recording leaves nothing, and what was corrected in it counts no more.
 */
export const correctedWords: Projection = {
  name: 'corrections',
  version: 3,
  interests: new Set<LoggedFact['type']>([
    'recording.started',
    'audio.imported',
    'recording.handed_over',
    'audio.assembled',
    'recording.discarded',
    'recording.erased',
    'turn.edited',
  ]),
  keys(fact) {
    const id = recordingOf(fact.stream);
    return id === undefined ? [] : [pairsKey(id)];
  },
  apply(rows, fact) {
    const id = recordingOf(fact.stream);
    if (id === undefined || !isRecordingFact(fact)) return;
    const before = rows.get<CorrectedIn>(pairsKey(id));
    if (isErased(fact)) {
      if (before?.listed) rows.delete(before.listed);
      rows.delete(pairsKey(id));
      return;
    }
    const { owner } = filesAfter({ ...noFiles, owner: before?.owner ?? null }, fact);
    if (owner === null) return;
    const known = before?.pairs ?? [];
    const pairs = pairsAfter(known, fact);
    if (before && before.owner === owner && pairs === before.pairs) return;
    const last = pairs.at(-1);
    const listed = last ? `i/${owner}/${String(last.n).padStart(16, '0')}/${id}` : null;
    if (before?.listed && before.listed !== listed) rows.delete(before.listed);
    if (listed !== null) rows.set(listed, 1);
    const row: CorrectedIn = { owner, listed, pairs };
    rows.set(pairsKey(id), row);
  },
  seal: sealOfPairs,
};

/** A pair that was corrected in several recordings of a user. */
export type RepeatedPair = CorrectedPair & {
  recordings: number;
  /** When it was written last. */
  lastAt: string;
  /** Where it was, last first; at most `examplesMax`. */
  examples: { recordingId: string; block: string }[];
};

/** Pairs of one recording: those written last count. */
const pairsMax = 200;
/** Recordings of one user that are looked at: those corrected last. */
const recordingsMax = 1000;
const examplesMax = 3;

/** Pairs that were corrected in at least two recordings of a user, the last first. */
export async function repeatedPairs(
  storage: ProjectionStorage,
  owner: string,
): Promise<RepeatedPair[]> {
  const ids: string[] = [];
  const within = { ...startingWith(`i/${owner}/`), reverse: true, limit: recordingsMax };
  for await (const [key] of storage.range(correctedWords.name, within))
    ids.push(key.slice(key.lastIndexOf('/') + 1));
  const rows = await storage.getMany<CorrectedIn>(correctedWords.name, ids.map(pairsKey));
  const found = new Map<string, RepeatedPair & { n: number }>();
  for (const [at, recordingId] of ids.entries()) {
    const row = rows[at];
    // It may be somebody else's since the list was read.
    if (row?.owner !== owner) continue;
    for (const { heard, write, n, at: lastAt, block } of row.pairs ?? []) {
      const key = pairKey({ heard, write });
      const one = found.get(key) ?? { heard, write, n, recordings: 0, lastAt, examples: [] };
      one.recordings += 1;
      if (n > one.n) Object.assign(one, { n, lastAt });
      if (one.examples.length < examplesMax) one.examples.push({ recordingId, block });
      found.set(key, one);
    }
  }
  return [...found.values()]
    .filter(({ recordings }) => recordings > 1)
    .toSorted((a, b) => b.n - a.n)
    .map(({ n: _n, ...pair }) => pair);
}

type Pair = CorrectedPair & {
  /** Position of the fact in the log. */
  n: number;
  at: string;
  block: string;
};
type CorrectedIn = {
  owner: string;
  /** Key of the entry; null: there is no pair. */
  listed: string | null;
  /** Each once, in the order they were written last. Missing where the key is. */
  pairs?: readonly Pair[];
};

const pairsKey = (recordingId: string): string => `w/${recordingId}`;

function sealOfPairs(key: string): Seal | undefined {
  const [kind, subject] = key.split('/', 2);
  return kind === 'w' && subject !== undefined ? { subject, open: ['owner', 'listed'] } : undefined;
}

/**
 * The same list where a fact says nothing of words. What takes a pair back takes it out; where something of the audio was left
 * out, none may be of that.
 */
function pairsAfter(pairs: readonly Pair[], fact: LoggedFact): readonly Pair[] {
  if (fact.type === 'audio.assembled')
    return isJoined(fact.data) || pairs.length === 0 ? pairs : [];
  if (fact.type !== 'turn.edited') return pairs;
  const corrected = fact.content?.corrected ?? [];
  if (corrected.length === 0) return pairs;
  let after = pairs;
  for (const { heard: said, write } of corrected) {
    // What was written before is no more: it was heard as it was then.
    const former = after.find((one) => foldedText(one.write) === foldedText(said));
    const heard = former?.heard ?? said;
    const key = pairKey({ heard, write });
    const without = after.filter((one) => one !== former && pairKey(one) !== key);
    const one = { heard, write, n: fact.position, at: fact.at, block: fact.data.block };
    after = foldedText(heard) === foldedText(write) ? without : [...without, one];
  }
  return after.slice(-pairsMax);
}
