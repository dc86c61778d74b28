/** A stretch of a LevelDB table. `index` says where the data is, `filter` which keys there are not. */
export type TableBlock = {
  part: 'data' | 'index' | 'filter';
  offset: number;
  /** With its trailer. */
  bytes: number;
  /** Its checksum is right. */
  sound: boolean;
  /** What is in it, opened each time it is asked for; undefined when that cannot be. */
  readonly content: Buffer | undefined;
};

/** A table (`.ldb`), as far as it can be read. */
export type Table = {
  /** False when its end does not lead to its parts: then `blocks` are those that were found by their checksums. */
  indexed: boolean;
  /** False when that end is not a table's at all, as in an empty file. */
  isTable: boolean;
  /** In the order they lie in. */
  blocks: TableBlock[];
};

/** An entry of a block. The key is an internal one: the user's, and 8 bytes of sequence and type. */
export type Entry = { key: Buffer; value: Buffer };

/**
 * Takes a table apart without LevelDB, which does not look at checksums, and ends the process it is in
 * when the keys it reads are out of order. https://github.com/google/leveldb/blob/main/doc/table_format.md
 */
export function readTable(file: Buffer): Table {
  const footer = file.subarray(Math.max(0, file.length - footerBytes));
  const isTable = footer.length === footerBytes && footer.subarray(-8).equals(magic);
  const around = isTable ? readHandle(footer, 0) : undefined;
  const index = around && readHandle(footer, around.end);
  const indexBlock = index && readBlock(file, index, 'index');
  const content = indexBlock?.sound ? indexBlock.content : undefined;
  if (!around || !indexBlock || !content) {
    return { indexed: false, isTable, blocks: blocksByChecksum(file) };
  }
  const handles = tableEntries(content).entries.map(({ value }) => readHandle(value, 0));
  const data = handles.map((handle) => handle && readBlock(file, handle, 'data'));
  const filters = filterBlocks(file, around);
  const blocks = [...data, ...filters, indexBlock].filter((block) => block !== undefined);
  return { indexed: true, isTable, blocks };
}

/**
 * The entries of a block's content, up to what cannot be one; `whole` when that is its end.
 * Keys are written as what differs from the key before.
 */
export function tableEntries(content: Buffer): { entries: Entry[]; whole: boolean } {
  const entries: Entry[] = [];
  const restarts = content.length < 4 ? undefined : content.readUInt32LE(content.length - 4);
  const end = restarts === undefined ? -1 : content.length - 4 - 4 * restarts;
  let key: Buffer = Buffer.alloc(0);
  let at = 0;
  while (at < end) {
    const shared = readVarint(content, at);
    const unshared = shared && readVarint(content, shared.end);
    const length = unshared && readVarint(content, unshared.end);
    if (!length || shared.value > key.length) return { entries, whole: false };
    const valueAt = length.end + unshared.value;
    if (valueAt + length.value > end) return { entries, whole: false };
    key = Buffer.concat([key.subarray(0, shared.value), content.subarray(length.end, valueAt)]);
    at = valueAt + length.value;
    entries.push({ key, value: content.subarray(valueAt, at) });
  }
  return { entries, whole: at === end };
}

const footerBytes = 48;
const magic = Buffer.from('57fb808b247547db', 'hex');
/** One byte of type, four of checksum. */
const trailerBytes = 5;
/** What a block opened may be long: the longest record of the log is some 90 MB. */
const contentMax = 256 * 1024 * 1024;
/**
 * A number in groups of seven bits, the lowest first (LevelDB's and Snappy's varint). Undefined when
 * the bytes end before it does, or it is larger than a number here can be.
 */
export function readVarint(
  bytes: Uint8Array,
  at: number,
): { value: number; end: number } | undefined {
  let value = 0;
  for (let index = 0; index < 7; index += 1) {
    const byte = bytes[at + index];
    if (byte === undefined) return undefined;
    value += (byte & 127) * 2 ** (7 * index);
    if (byte < 128) return { value, end: at + index + 1 };
  }
  return undefined;
}

/**
 * CRC-32C (Castagnoli) as LevelDB keeps it beside its blocks: "masked", so that a checksum of bytes that
 * hold checksums is not a weak one (leveldb/util/crc32c.h).
 */
export function maskedCrc32c(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const whole = bytes.length - (bytes.length % 8);
  let crc = -1;
  // Eight bytes at a time: a start after a kill reads all tables this way.
  for (let at = 0; at < whole; at += 8) {
    const low = crc ^ view.getInt32(at, true);
    const high = view.getInt32(at + 4, true);
    crc =
      entry(tables, 0x700 | (low & 255)) ^
      entry(tables, 0x600 | ((low >>> 8) & 255)) ^
      entry(tables, 0x500 | ((low >>> 16) & 255)) ^
      entry(tables, 0x400 | (low >>> 24)) ^
      entry(tables, 0x300 | (high & 255)) ^
      entry(tables, 0x200 | ((high >>> 8) & 255)) ^
      entry(tables, 0x100 | ((high >>> 16) & 255)) ^
      entry(tables, high >>> 24);
  }
  for (const byte of bytes.subarray(whole)) crc = withByte(crc, byte);
  return masked(crc);
}

/**
 * "Slicing by 8" (Kounavis and Berry, 2005), the polynomial reflected: the n-th 256 entries say what a byte comes to
 * when n more bytes have followed it.
 */
const tables = ((): Int32Array => {
  const made = new Int32Array(8 * 256);
  for (let byte = 0; byte < 256; byte += 1) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0);
    made[byte] = crc;
  }
  for (let at = 256; at < made.length; at += 1) {
    const before = entry(made, at - 256);
    made[at] = entry(made, before & 255) ^ (before >>> 8);
  }
  return made;
})();

const withByte = (crc: number, byte: number): number =>
  entry(tables, (crc ^ byte) & 255) ^ (crc >>> 8);

/** The index is within the table. */
function entry(table: Int32Array, index: number): number {
  return table[index]!;
}

type Handle = { offset: number; size: number; end: number };

function readHandle(bytes: Uint8Array, at: number): Handle | undefined {
  const offset = readVarint(bytes, at);
  const size = offset && readVarint(bytes, offset.end);
  return size && { offset: offset.value, size: size.value, end: size.end };
}

function readBlock(
  file: Buffer,
  { offset, size }: Pick<Handle, 'offset' | 'size'>,
  part: TableBlock['part'],
): TableBlock {
  const bytes = size + trailerBytes;
  if (offset + bytes > file.length)
    return { part, offset, bytes, sound: false, content: undefined };
  const covered = file.subarray(offset, offset + size + 1);
  return {
    part,
    offset,
    bytes,
    sound: file.readUInt32LE(offset + size + 1) === maskedCrc32c(covered),
    // Of sound blocks it is not asked for: opening takes longer than all else here.
    get content() {
      const raw = covered.subarray(0, size);
      const type = covered[size];
      return type === 0 ? raw : type === 1 ? uncompress(raw, contentMax) : undefined;
    },
  };
}

/** The list of filters, and the filters. LevelDB does not need them to be right to find its way. */
function filterBlocks(file: Buffer, handle: Handle): TableBlock[] {
  const list = readBlock(file, handle, 'filter');
  const content = list.sound ? list.content : undefined;
  if (!content) return [list];
  const filters = tableEntries(content).entries.map(({ value }) => readHandle(value, 0));
  return [
    ...filters.flatMap((filter) => (filter ? [readBlock(file, filter, 'filter')] : [])),
    list,
  ];
}

/** Blocks lie one behind the other: what is behind one that is not sound cannot be found this way. */
function blocksByChecksum(file: Buffer): TableBlock[] {
  const blocks: TableBlock[] = [];
  for (let offset = 0; ;) {
    const covered = lengthByChecksum(file, offset);
    if (covered === undefined) return blocks;
    blocks.push(readBlock(file, { offset, size: covered - 1 }, 'data'));
    offset += covered + 4;
  }
}

/**
 * Opens what Snappy compressed; undefined for anything else.
 * https://github.com/google/snappy/blob/main/format_description.txt
 * @param bytesMax longer than that nothing is opened
 */
function uncompress(bytes: Buffer, bytesMax: number): Buffer | undefined {
  const length = readVarint(bytes, 0);
  if (!length || length.value > bytesMax) return undefined;
  const out = Buffer.alloc(length.value);
  let from = length.end;
  let to = 0;
  for (let tag = bytes[from]; tag !== undefined; tag = bytes[from]) {
    from += 1;
    const kind = tag & 3;
    // Bytes of the number that follows the tag: a literal's length, or how far back a copy reaches.
    const extra = kind === 0 ? Math.max(0, (tag >> 2) - 59) : 1 << (kind - 1);
    if (from + extra > bytes.length) return undefined;
    const number = extra === 0 ? 0 : bytes.readUIntLE(from, extra);
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

/**
 * How many bytes from `offset` on are followed by their own masked checksum: the smallest such count, or
 * undefined. Says where a block ends when nothing else does.
 */
function lengthByChecksum(bytes: Buffer, offset: number): number | undefined {
  let crc = -1;
  for (let at = offset; at + 4 < bytes.length; at += 1) {
    crc = withByte(crc, bytes.readUInt8(at));
    if (bytes.readUInt32LE(at + 1) === masked(crc)) return at + 1 - offset;
  }
  return undefined;
}

function masked(state: number): number {
  const crc = ~state >>> 0;
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
}
