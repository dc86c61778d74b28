import type { FileHandle } from 'node:fs/promises';

/** Boxes walked at most; a film has some hundreds. */
const boxesMax = 10_000;
const containers = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl']);
const encryptedEntries = new Set(['enca', 'drms', 'encv', 'drmi']);

/**
 * Whether a track of an MP4 file is encrypted (iTunes' `drms`, Common Encryption's `enca`): ffmpeg
 * does not say so but decodes noise. Walks box heads only (ISO/IEC 14496-12, 8.1 and 8.12).
 * @returns false for files of other kinds.
 */
export async function mp4Encrypted(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat();
  const first = await head(file, 4, 4);
  if (first.toString('latin1') !== 'ftyp') return false;
  const ranges: [number, number][] = [[0, size]];
  let boxes = 0;
  for (let range = ranges.pop(); range; range = ranges.pop()) {
    let [at, end] = range;
    while (at + 8 <= end && boxes < boxesMax) {
      boxes += 1;
      const bytes = await head(file, at, 16);
      if (bytes.length < 8) break;
      const type = bytes.toString('latin1', 4, 8);
      if (encryptedEntries.has(type)) return true;
      const short = bytes.readUInt32BE(0);
      const large = short === 1 && bytes.length === 16;
      const length = short === 0 ? end - at : large ? Number(bytes.readBigUInt64BE(8)) : short;
      const body = at + (large ? 16 : 8);
      if (length < body - at) break; // a box that claims less than its own head
      if (containers.has(type)) ranges.push([body, Math.min(at + length, end)]);
      if (type === 'stsd') ranges.push([body + 8, Math.min(at + length, end)]);
      at += length;
    }
  }
  return false;
}

async function head(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read(buffer, 0, length, position);
  return buffer.subarray(0, bytesRead);
}
