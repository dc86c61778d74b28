/**
 * CRC-32C (Castagnoli) as LevelDB keeps it beside its blocks: "masked", so that a checksum of bytes that
 * hold checksums is not a weak one (leveldb/util/crc32c.h).
 */
export function maskedCrc32c(bytes: Uint8Array): number {
  let crc = -1;
  for (let index = 0; index < bytes.length; index += 1) {
    crc = table[(crc ^ bytes[index]!) & 255]! ^ (crc >>> 8);
  }
  return masked(crc);
}

/**
 * How many bytes from `offset` on are followed by their own masked checksum: the smallest such count, or
 * undefined. Says where a block ends when nothing else does.
 */
export function lengthByChecksum(bytes: Buffer, offset: number): number | undefined {
  let crc = -1;
  for (let at = offset; at + 4 < bytes.length; at += 1) {
    crc = table[(crc ^ bytes[at]!) & 255]! ^ (crc >>> 8);
    if (bytes.readUInt32LE(at + 1) === masked(crc)) return at + 1 - offset;
  }
  return undefined;
}

function masked(state: number): number {
  const crc = ~state >>> 0;
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
}

/** By the byte; the polynomial is reflected. */
const table = Int32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0);
  return crc;
});
