/** What `capturer.ts` captures: samples that tell where they belong. */
export type Source = 'browser' | 'browser, its headers' | 'device';

export const rate = 16_000;
const blockFrames = 1600;
const blockCount = 4;

/** Of the file. */
export const channelsOf = (source: Source): 1 | 2 => (source === 'device' ? 2 : 1);
/** Of a channel. */
export const sampled = blockFrames * blockCount;

/** All samples, as they are in the file: no two of a channel are alike, and none is silence. */
export function samples(source: Source): Buffer {
  const channels = channelsOf(source);
  const all = Buffer.alloc(sampled * channels * 2);
  for (let at = 0; at < all.length; at += 2) {
    all.writeUInt16LE((Math.floor(at / 2 / channels) % 30_000) + 1, at);
  }
  return all;
}

/** As they come, 100 ms at a time. */
export function blocks(source: Source): Buffer[] {
  const all = samples(source);
  const bytes = blockFrames * channelsOf(source) * 2;
  return Array.from({ length: blockCount }, (_, at) => all.subarray(at * bytes, (at + 1) * bytes));
}
