import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Ownership } from '../../events/ownership.ts';
import { recordingOf } from '../../events/facts/recording.ts';
import { recordingById } from '../../projections/recordings.ts';
import type { ProjectionRunner } from '../../projections/runner/runner.ts';
import { transcriptOf } from '../../projections/texts.ts';
import type { OpenEmbeddingModel } from '../language/embeddings.ts';
import { audioAtOneNode } from '../recordings/control/at-one-node.ts';
import { type JobQueue, inSlot } from '../recordings/stages/job-queue.ts';
import { cutPassages } from '../search/cut-passages.ts';
import { asBytes } from '../search/vector-index.ts';
import { aborted } from '../shared/abort.ts';
import { StageError } from '../shared/errors.ts';
import { openListeners } from '../shared/listeners.ts';
import type { Log } from '../shared/log.ts';
import { type Alarm, openAlarm, systemClock } from '../shared/retry.ts';
import type { Lease } from '../shared/shared-resource.ts';
import type { Notices } from '../storage/notices.ts';
import type { Sentence } from '../words/params.ts';
import { type WaitingDeps, waitingFor } from './waiting-passages.ts';

/** Recordings whose documents were saved lately and that wait; beyond them all are looked at again. */
const freshMax = 1000;
const failuresMax = 3;
const rememberedMax = 10_000;
/** How often it looks whether another server is set. */
const lookEveryMs = 5_000;
const pauseMs = { first: 1000, most: 60_000 };
/** What passages take of the slots of their server; questions have one more. */
const passageSlots = 1;
/** A server that takes this and not a recording is well. */
const harmless = 'Say yes.';

/** What waits to be found by its meaning. */
export type PassagesBehind = {
  /** Recordings that wait, and those that failed so often that they are left alone until they are saved again. */
  waiting: number;
  given_up: number;
  /** Why the server is waited for. */
  failure: Sentence | null;
};

/** Makes the passages of recordings, the newest first, at one node of all. */
export interface PassageMaker {
  /** From now on, when lists are up to date. */
  begin(): void;
  /** Null: no server is set, or another node does it. */
  behind(): PassagesBehind | null;
  /** Hears of recordings that have other passages, made here or elsewhere; null: any may have. */
  onMade(listener: (recordingId: string | null) => void): () => void;
  /** Resolves when nothing is made any more, after the service's signal aborts. */
  close(): Promise<void>;
}

export type PassageMakerTrial = { pauseMs: number; lookEveryMs: number };

export type PassageMakerDeps = WaitingDeps & {
  model(): Promise<Lease<OpenEmbeddingModel> | null>;
  jobQueue: JobQueue;
  ownership: Ownership;
  standing: { worksOnAudio: boolean };
  projections: Pick<ProjectionRunner, 'onApplied'>;
  notices: Pick<Notices, 'tell' | 'listen' | 'onMissed'>;
  signal: AbortSignal;
  log: Pick<Log, 'warn' | 'info'>;
  trial?: Partial<PassageMakerTrial> | undefined;
};

type Making = PassageMakerDeps & {
  fresh: Set<string>;
  /** For which model was looked what waits; null: it is to be done. */
  lookedFor: string | null;
  waiting: string[];
  failures: LRUCache<string, number>;
  current: number;
  failure: Sentence | null;
  bell: Alarm;
  made(recordingId: string): void;
};

export function openPassageMaker(deps: PassageMakerDeps): PassageMaker {
  const listeners = openListeners<[string | null]>();
  let begin = (): void => {};
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const making: Making = {
    ...deps,
    fresh: new Set(),
    lookedFor: null,
    waiting: [],
    failures: new LRUCache({ max: rememberedMax }),
    current: 0,
    failure: null,
    bell: openAlarm(),
    made(recordingId) {
      listeners.tell(recordingId);
      deps.notices.tell('passages', recordingId);
    },
  };
  let working = Promise.resolve();
  let isOn = false;
  const stops = [
    deps.notices.listen('passages', (recordingId) => listeners.tell(recordingId)),
    deps.notices.onMissed(() => listeners.tell(null)),
    deps.projections.onApplied((facts) => {
      for (const fact of facts) {
        const recordingId = fact.type === 'documents.saved' ? recordingOf(fact.stream) : undefined;
        if (recordingId !== undefined && isHere()) noteFresh(making, recordingId);
      }
    }),
  ];
  const keepOn = async (held: AbortSignal): Promise<void> => {
    await Promise.race([begun, aborted(held)]);
    making.lookedFor = null;
    while (!held.aborted) {
      isOn = await round(making, held).catch((error: unknown) => {
        if (!held.aborted) deps.log.warn({ err: error }, 'making passages failed; trying again');
        return isOn;
      });
      await making.bell.pause(deps.trial?.lookEveryMs ?? lookEveryMs, held);
    }
  };
  const isHere = audioAtOneNode(deps, 'passages', deps.signal, (held) => (working = keepOn(held)));
  return {
    begin,
    behind() {
      if (!isOn || !isHere()) return null;
      const { waiting, fresh, current, failures, failure } = making;
      const given_up = [...failures.values()].filter((count) => count >= failuresMax).length;
      return { waiting: waiting.length + fresh.size + current, given_up, failure };
    },
    onMade: listeners.add,
    async close() {
      for (const stop of stops) stop();
      await working;
    },
  };
}

function noteFresh(making: Making, recordingId: string): void {
  const { fresh, failures } = making;
  failures.delete(recordingId);
  if (fresh.size < freshMax) fresh.add(recordingId);
  else making.lookedFor = null;
  making.bell.ring();
}

/** Makes what waits. @returns whether a server is set */
async function round(making: Making, held: AbortSignal): Promise<boolean> {
  const lease = await making.model();
  if (lease === null) {
    Object.assign(making, { waiting: [], lookedFor: null, failure: null });
    making.fresh.clear();
    return false;
  }
  const model = lease.value;
  try {
    const name = await patiently(making, model, held, () => model.named(held));
    if (name === undefined) return true;
    if (making.lookedFor !== name) {
      making.lookedFor = name;
      making.failures.clear();
      const { ids, isAll } = await waitingFor(making, name, held);
      making.waiting = ids;
      if (!isAll) making.lookedFor = null;
    }
    for (let id = next(making); id !== undefined; id = next(making)) {
      making.current = 1;
      const isMade = await makeOne(making, { id, model, name }, held);
      making.current = 0;
      if (!isMade || held.aborted) return true;
      // The server was started with another: all is to be made with that one, this too.
      if (model.model !== name) {
        making.lookedFor = null;
        break;
      }
      if (!(await isStillSet(making, model))) break;
    }
    // Another model, or more than could be remembered.
    if (making.lookedFor === null || making.fresh.size > 0) making.bell.ring();
    return true;
  } finally {
    making.current = 0;
    lease.release();
  }
}

/** What was saved last goes first. */
function next({ fresh, waiting }: Making): string | undefined {
  const last = [...fresh].at(-1);
  if (last === undefined) return waiting.shift();
  fresh.delete(last);
  return last;
}

async function isStillSet(making: Making, model: OpenEmbeddingModel): Promise<boolean> {
  const lease = await making.model();
  lease?.release();
  const isSame = lease?.value === model;
  if (!isSame) making.bell.ring();
  return isSame;
}

/**
 * Waits until the server answers. @returns undefined: it was stopped, or another server is set meanwhile
 * @throws what is no failure of the server
 */
async function patiently<T>(
  making: Making,
  model: OpenEmbeddingModel,
  held: AbortSignal,
  work: () => Promise<T>,
): Promise<T | undefined> {
  const first = making.trial?.pauseMs ?? pauseMs.first;
  for (let pause = first; ; pause = Math.min(pauseMs.most, pause * 2)) {
    try {
      const result = await work();
      making.failure = null;
      return result;
    } catch (error) {
      if (held.aborted) return undefined;
      if (!(error instanceof StageError)) throw error;
      if (making.failure === null)
        making.log.warn({ err: error }, 'the embedding server gives no embeddings; trying again');
      making.failure = error.sentence;
      const until = performance.now() + Math.max(pause, error.retryAfterMs ?? 0);
      while (performance.now() < until) {
        const left = Math.min(until - performance.now(), making.trial?.lookEveryMs ?? lookEveryMs);
        await systemClock.wait(Math.max(1, left), held).catch(() => undefined);
        if (held.aborted || !(await isStillSet(making, model))) return undefined;
      }
    }
  }
}

/** @returns false: it was stopped, or another server is set */
async function makeOne(
  making: Making,
  asked: { id: string; model: OpenEmbeddingModel; name: string },
  held: AbortSignal,
): Promise<boolean> {
  const { id, model, name } = asked;
  try {
    await makePassages(making, asked, held);
    making.failures.delete(id);
    return true;
  } catch (error) {
    if (held.aborted) return false;
    // Whether the server was away for all or this recording felled it, the others come first.
    if (error instanceof StageError) {
      const harmlessly = async () => {
        await model.named(held);
        return await model.embed([harmless], 'passage', held);
      };
      if ((await patiently(making, model, held, harmlessly)) === undefined) {
        making.waiting.unshift(id);
        return false;
      }
      if (model.model !== name) return true;
    }
    const failures = (making.failures.get(id) ?? 0) + 1;
    making.failures.set(id, failures);
    making.log.warn({ err: error, recordingId: id }, 'making the passages of a recording failed');
    if (failures < failuresMax) making.waiting.push(id);
    return true;
  }
}

async function makePassages(
  making: Making,
  { id, model, name }: { id: string; model: OpenEmbeddingModel; name: string },
  held: AbortSignal,
): Promise<void> {
  const { storage, passages } = making;
  const row = await recordingById(storage, id);
  const transcript = row?.documents ? await transcriptOf(storage, id) : undefined;
  if (!row || !transcript) {
    await passages.remove([id]);
    making.made(id);
    return;
  }
  const { texts, places } = cutPassages(transcript.blocks, row.title);
  const told = hash('sha256', JSON.stringify(texts), 'hex');
  const about = { model: name, version: row.version, count: texts.length, texts: told };
  const [before] = await passages.read([id]);
  if (before?.model === name && before.texts === told) {
    await passages.write(id, { ...before, ...about, passages: places });
  } else {
    const vectors = await embedded(making, { owner: row.owner, texts, model }, held);
    // A question has learnt meanwhile that the server runs another.
    if (model.model !== name) return;
    await passages.write(id, { ...about, ...vectors, passages: places });
  }
  // Erased meanwhile: it may have been written behind the removal.
  if (!(await recordingById(storage, id))?.documents) await passages.remove([id]);
  making.made(id);
}

async function embedded(
  { jobQueue }: Making,
  { owner, texts, model }: { owner: string; texts: string[]; model: OpenEmbeddingModel },
  signal: AbortSignal,
): Promise<{ dimensions: number; vectors: Int8Array }> {
  const request = { queue: model.queue, concurrency: passageSlots, owner, signal };
  return await inSlot(jobQueue, request, async () => {
    const found = await model.embed(texts, 'passage', signal);
    const dimensions = found[0]?.length ?? 0;
    const vectors = new Int8Array(found.length * dimensions);
    for (const [at, one] of found.entries()) vectors.set(asBytes(one), at * dimensions);
    return { dimensions, vectors };
  });
}
