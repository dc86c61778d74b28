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
