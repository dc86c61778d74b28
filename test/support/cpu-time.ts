/**
 * Processor time of this process that some work takes, in microseconds: on a busy machine the clock counts others'
 * work, too.
 */
export function cpuMicros(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** The least of some runs: a collection of garbage, or another process in the caches, makes one longer, never shorter. */
export const leastCpuMicros = (work: () => unknown): number =>
  Math.min(...Array.from({ length: 3 }, () => cpuMicros(work)));
