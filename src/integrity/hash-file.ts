import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

/** Bytes read at once. */
const chunkBytes = 1024 * 1024;

/**
 * A file's SHA-256 (hex) and length; undefined when there is none.
 * @param pause waited for after each chunk of 1 MiB, for work that must not be in anybody's way.
 */
export async function hashFile(
  path: string,
  pause: () => Promise<void> = async () => {},
): Promise<{ sha256: string; bytes: number } | undefined> {
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: chunkBytes })) {
      hash.update(chunk as Buffer);
      bytes += (chunk as Buffer).length;
      await pause();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  return { sha256: hash.digest('hex'), bytes };
}
