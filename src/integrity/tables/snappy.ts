import { readVarint } from './varint.ts';

/**
 * Opens what Snappy compressed; undefined when it is no such thing.
 * https://github.com/google/snappy/blob/main/format_description.txt
 * @param bytesMax longer than that nothing is opened
 */
export function uncompress(bytes: Uint8Array, bytesMax: number): Buffer | undefined {
  const length = readVarint(bytes, 0);
  if (!length || length.value > bytesMax) return undefined;
  const out = Buffer.alloc(length.value);
  let from = length.end;
  let to = 0;
  while (from < bytes.length) {
    const tag = bytes[from]!;
    from += 1;
    const kind = tag & 3;
    // Bytes of the number that follows the tag: a literal's length, or how far back a copy reaches.
    const extra = kind === 0 ? Math.max(0, (tag >> 2) - 59) : extraOfCopy[kind]!;
    if (from + extra > bytes.length) return undefined;
    const number = littleEndian(bytes, from, extra);
    from += extra;
    if (kind === 0) {
      const count = (extra > 0 ? number : tag >> 2) + 1;
      if (from + count > bytes.length || to + count > out.length) return undefined;
      out.set(bytes.subarray(from, from + count), to);
      from += count;
      to += count;
      continue;
    }
    const count = kind === 1 ? ((tag >> 2) & 7) + 4 : (tag >> 2) + 1;
    const back = kind === 1 ? ((tag >> 5) << 8) | number : number;
    if (back === 0 || back > to || to + count > out.length) return undefined;
    // Byte by byte: a copy may overlap what it makes.
    for (const end = to + count; to < end; to += 1) out[to] = out[to - back]!;
  }
  return to === out.length ? out : undefined;
}

const extraOfCopy = [0, 1, 2, 4];

function littleEndian(bytes: Uint8Array, at: number, count: number): number {
  let value = 0;
  for (let index = count - 1; index >= 0; index -= 1) value = value * 256 + bytes[at + index]!;
  return value;
}
