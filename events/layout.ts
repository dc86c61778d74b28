/*
 * Where things lie in the database. The prefixes are those of sublevels named `log` and `streams`,
 * written out: keys are then made once, without the library's work on each.
 */

/** Key of the record at a position: `!log!` and the position, 8 bytes big-endian. */
export function logKey(position: number): Buffer {
  const key = Buffer.allocUnsafe(logPrefix.length + 8);
  logPrefix.copy(key);
  key.writeUInt32BE(Math.floor(position / 2 ** 32), logPrefix.length);
  key.writeUInt32BE(position % 2 ** 32, logPrefix.length + 4);
  return key;
}

/** The position a log key stands for. */
export const positionOf = (key: Buffer): number =>
  key.readUInt32BE(logPrefix.length) * 2 ** 32 + key.readUInt32BE(logPrefix.length + 4);

/** Whether a key is a record's. */
export const isLogKey = (key: Buffer): boolean =>
  key.length === logPrefix.length + 8 && key.indexOf(logPrefix) === 0;

/** Above every log key there can be. */
export const logEnd = Buffer.from('!log"');

/** Key of a stream's fact: `!streams!<stream>!<version, 12 digits>`; its value is the position. */
export const streamKey = (stream: string, version: number): string =>
  `${streamsPrefix}${stream}!${String(version).padStart(12, '0')}`;

/** The stream and version a stream key stands for; undefined for what is no such key. */
export function placeOf(key: string): { stream: string; version: number } | undefined {
  const match = /^!streams!([A-Za-z0-9_-]+)!(\d{12})$/.exec(key);
  return match ? { stream: match[1] as string, version: Number(match[2]) } : undefined;
}

/** All keys of one stream, and of all streams. */
export const streamRange = (stream: string): { gte: string; lt: string } => ({
  gte: `${streamsPrefix}${stream}!`,
  lt: `${streamsPrefix}${stream}"`,
});
export const streamsRange = { gte: '!streams!', lt: '!streams"' } as const;

/** Key of the log's own id, a ULID; the marker file must name the same. */
export const idKey = '!meta!id';

const logPrefix = Buffer.from('!log!');
const streamsPrefix = '!streams!';
