import { randomFillSync } from 'node:crypto';
import { monotonicFactory } from 'ulid';

/**
 * Makes ULIDs that only ever grow, for a time in milliseconds since 1970. The library asks for randomness
 * a byte at a time, which costs more than all else about an id: here a pool of it is filled at once.
 */
export function factIds(): (time: number) => string {
  const pool = Buffer.allocUnsafe(poolBytes);
  let used = poolBytes;
  return monotonicFactory(() => {
    if (used === poolBytes) {
      randomFillSync(pool);
      used = 0;
    }
    // As the library does: it multiplies by 32 and takes the whole part.
    return pool[used++]! / 256;
  });
}

const poolBytes = 4096;
