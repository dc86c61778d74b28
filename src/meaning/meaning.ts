import { LRUCache } from 'lru-cache';
import type { EmbeddingModel, OpenEmbeddingModel } from '../language/embeddings.ts';
import { type JobQueue, inSlot } from '../recordings/stages/job-queue.ts';
import type { AskedMeaning, MeaningOf } from '../search/by-meaning.ts';
import { untilAborted } from '../shared/abort.ts';
import { StageError } from '../shared/errors.ts';
import type { Lease } from '../shared/shared-resource.ts';

/** How long a question waits for its embedding where words answer too, and where nothing else does. */
const waitMs = { words: 2500, alone: 15_000 };
/** A server that gave none is not asked again so soon, where words answer too. */
const restMs = 10_000;
/** A slot besides that of passages: somebody waits. */
const slots = 2;
const rememberedMax = 200;
/** Of servers that were set, or ran another model, one after the other. */
const modelsMax = 4;

/** What people say of other things. A passage that is no nearer to a question than these is not about it. */
const unrelated = [
  'The train leaves from platform four.',
  'She put the kettle on and fed the cat.',
  'The printer on the second floor is out of paper.',
  'He plays football on Sunday afternoons.',
  'Der Zug fährt heute von Gleis vier.',
  'Wir haben gestern Apfelkuchen gebacken.',
  'Im Garten blühen die ersten Tulpen.',
  'Das Paket liegt noch beim Nachbarn.',
];

type MeaningDeps = {
  model(): Promise<Lease<OpenEmbeddingModel> | null>;
  isOn(): boolean;
  jobQueue: JobQueue;
  signal: AbortSignal;
};

/** What questions mean, by the embedding server that is set. Keeps the last ones in memory. */
export function openMeaning(deps: MeaningDeps): MeaningOf {
  const asked = new LRUCache<string, AskedMeaning>({ max: rememberedMax });
  const others = new LRUCache<string, Promise<Float32Array[]>>({ max: modelsMax });
  let restsUntil = 0;

  /** All who ask share it: none of them ends it. */
  function othersOf(model: EmbeddingModel, key: string): Promise<Float32Array[]> {
    const before = others.get(key);
    if (before) return before;
    const found = model.embed(unrelated, 'passage', deps.signal);
    others.set(key, found);
    found.catch(() => others.delete(key));
    return found;
  }

  async function embed(model: EmbeddingModel, text: string, owner: string, signal: AbortSignal) {
    const name = await model.named(signal);
    const served = [model.queue, name];
    const key = JSON.stringify([...served, text]);
    const before = asked.get(key);
    if (before) return before;
    const request = { queue: model.queue, concurrency: slots, owner, signal };
    return await inSlot(deps.jobQueue, request, async () => {
      const [vector = new Float32Array()] = await model.embed([text], 'question', signal);
      const found = await untilAborted(othersOf(model, JSON.stringify(served)), signal);
      const scores = found.map((one) => cosine(vector, one));
      // One of them may be about it all the same.
      const [, floor = 0] = scores.toSorted((one, other) => other - one);
      const meaning: AskedMeaning = { model: name, vector, floor };
      asked.set(key, meaning);
      return meaning;
    });
  }

  return {
    isOn: deps.isOn,
    async ask(text, owner, { alone }) {
      if (!alone && performance.now() < restsUntil) return null;
      const lease = await deps.model();
      if (lease === null) return null;
      const limit = AbortSignal.timeout(alone ? waitMs.alone : waitMs.words);
      try {
        return await embed(lease.value, text, owner, AbortSignal.any([limit, deps.signal]));
      } catch (error) {
        if (!limit.aborted && !(error instanceof StageError)) throw error;
        restsUntil = performance.now() + restMs;
        if (alone) throw error;
        return null;
      } finally {
        lease.release();
      }
    },
  };
}

const cosine = (one: Float32Array, other: Float32Array): number =>
  one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
