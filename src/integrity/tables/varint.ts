/**
 * A number in groups of seven bits, the lowest first (LevelDB's and Snappy's varint). Undefined when
 * the bytes end before it does, or it is larger than a number here can be.
 */
export function readVarint(
  bytes: Uint8Array,
  at: number,
): { value: number; end: number } | undefined {
  let value = 0;
  for (let index = 0; index < 7 && at + index < bytes.length; index += 1) {
    const byte = bytes[at + index]!;
    value += (byte & 127) * 2 ** (7 * index);
    if (byte < 128) return { value, end: at + index + 1 };
  }
  return undefined;
}
