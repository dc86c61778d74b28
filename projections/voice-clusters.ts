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
  const clusters: Heard[][] = [];
  for (const one of heard) {
    const [nearest] = clusters
      .map((cluster) => ({ cluster, alike: likeness(one.voice, cluster) }))
      .toSorted((a, b) => b.alike - a.alike);
    if (nearest && nearest.alike >= unlikeBelow) nearest.cluster.push(one);
    else clusters.push([one]);
  }
  return clusters;
}

function likeness(voice: Voice | null, cluster: readonly { voice: Voice | null }[]): number {
  const comparable = cluster.flatMap(({ voice: other }) =>
    other && other.embedding_model === voice?.embedding_model ? [other] : [],
  );
  const mean = meanOf(comparable);
  return voice && mean ? similarity(mean, voice.embedding) : unlikeBelow;
}

/** The mean of embeddings, each by the seconds of speech it was made of; null without any. */
export function meanOf(voices: readonly Pick<Voice, 'embedding' | 'seconds'>[]): number[] | null {
  const [first] = voices;
  if (!first) return null;
  const sum = first.embedding.map(() => 0);
  for (const { embedding, seconds } of voices) {
    if (embedding.length !== sum.length) continue;
    const weight = seconds / (Math.hypot(...embedding) || 1);
    for (const [i, value] of embedding.entries()) sum[i]! += value * weight;
  }
  return sum;
}
