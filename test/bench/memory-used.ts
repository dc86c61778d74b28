/** Bytes of the heap, and of arrays beside it, after a collection. @throws without `--expose-gc` */
export function memoryUsed(): number {
  if (!globalThis.gc) throw new Error('without --expose-gc this is not the memory that is needed');
  globalThis.gc();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
