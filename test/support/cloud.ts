import type { Random } from './seeded.ts';

/**
 * Vectors of length 1 as passages of talk have them: clusters round a mean that all have in common, as many models give it.
 * @returns makes one, of a topic
 */
export function cloud(random: Random, dimensions: number): (topic?: number) => Float32Array {
  const normal = () => random.next() + random.next() + random.next() - 1.5;
  const numbers = (scale: number) =>
    Float32Array.from({ length: dimensions }, () => scale * normal());
  const common = numbers(3);
  const topics = Array.from({ length: 60 }, () => numbers(1));
  return (topic = random.below(topics.length)) => {
    const own = numbers(0.6);
    const sum = own.map((one, at) => one + common[at]! + topics[topic]![at]!);
    const length = Math.sqrt(sum.reduce((all, one) => all + one * one, 0));
    return sum.map((one) => one / length);
  };
}
