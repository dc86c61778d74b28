import { type Voice, similarity } from './recording/voices.ts';

/** Less similar (cosine) than that are two people. Between this and what a match needs, nothing is said. */
const unlikeBelow = 0.3;

/**
 * What was heard under one name, apart where it sounds like different people: two of one name, or one who was named
 * wrongly. Each joins the nearest before it; what cannot be compared stays with the first. Pure.
 * @param heard oldest first
 */
export function voiceClusters<Heard extends { voice: Voice | null }>(
  heard: readonly Heard[],
): Heard[][] {
  const clusters: Cluster<Heard>[] = [];
  for (const one of heard) {
    const [nearest] = clusters
      .map((cluster) => ({ cluster, alike: likeness(one.voice, cluster) }))
      .toSorted((a, b) => b.alike - a.alike);
    const isNear = nearest !== undefined && nearest.alike >= unlikeBelow;
    const joined: Cluster<Heard> = isNear ? nearest.cluster : { heard: [], means: new Map() };
    if (!isNear) clusters.push(joined);
    joined.heard.push(one);
    if (one.voice) addVoice(joined.means, one.voice);
  }
  return clusters.map((cluster) => cluster.heard);
}

/** With the mean of its voices by model, kept while it grows: thousands may be of one name. */
type Cluster<Heard> = { heard: Heard[]; means: Map<string, number[]> };

function addVoice(means: Cluster<never>['means'], voice: Voice): void {
  const sum = means.get(voice.embedding_model) ?? voice.embedding.map(() => 0);
  means.set(voice.embedding_model, sum);
  addTo(sum, voice);
}

function likeness(voice: Voice | null, { means }: Pick<Cluster<never>, 'means'>): number {
  const mean = voice && means.get(voice.embedding_model);
  return voice && mean ? similarity(mean, voice.embedding) : unlikeBelow;
}

/** The mean of embeddings, each by the seconds of speech it was made of; null without any. */
export function meanOf(voices: readonly Pick<Voice, 'embedding' | 'seconds'>[]): number[] | null {
  const [first] = voices;
  if (!first) return null;
  const sum = first.embedding.map(() => 0);
  for (const voice of voices) addTo(sum, voice);
  return sum;
}

function addTo(sum: number[], { embedding, seconds }: Pick<Voice, 'embedding' | 'seconds'>): void {
  if (embedding.length !== sum.length) return;
  const weight = seconds / (Math.hypot(...embedding) || 1);
  for (const [i, value] of embedding.entries()) sum[i]! += value * weight;
}
