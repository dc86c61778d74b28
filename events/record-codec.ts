import { crc32 } from 'node:zlib';

/**
 * A record as it lies in the log: its own CRC-32 (zlib's polynomial, 8 lower-case hex digits), its
 * predecessor's, then the fact's JSON. The CRC covers all that follows it, so a record can be
 * checked alone, and records in sequence check each other.
 */
export function encodeRecord(json: string, predecessorCrc: string): string {
  const covered = predecessorCrc + json;
  return hexOf(crc32(covered)) + covered;
}

/** Whether a record is as it was written. */
export function isIntact(record: string): boolean {
  if (record.length <= headLength) return false;
  let crc = crc32(record.slice(crcLength));
  // Digit by digit: this runs for every record read, and writing the CRC out takes twice as long.
  for (let index = crcLength - 1; index >= 0; index -= 1) {
    if (digitValues[record.charCodeAt(index)] !== (crc & 15)) return false;
    crc >>>= 4;
  }
  return true;
}

/** A record's own CRC, which its successor must name. */
export const crcOf = (record: string): string => record.slice(0, crcLength);
/** The CRC of the record before this one. */
export const predecessorCrcOf = (record: string): string => record.slice(crcLength, headLength);
/** The fact's JSON. */
export const jsonOf = (record: string): string => record.slice(headLength);

/** What the first record names as its predecessor's CRC. */
export const noPredecessor = '00000000';

const crcLength = 8;
const headLength = 16;

/** The value of each lower-case hex digit by its character code; undefined for all else. */
const digitValues: readonly (number | undefined)[] = Array.from({ length: 128 }, (_, code) => {
  const value = '0123456789abcdef'.indexOf(String.fromCharCode(code));
  return value === -1 ? undefined : value;
});

/** Eight hex digits, by the byte: a record costs less to write this way. */
const hexOf = (crc: number): string =>
  hexBytes[crc >>> 24]! +
  hexBytes[(crc >>> 16) & 255]! +
  hexBytes[(crc >>> 8) & 255]! +
  hexBytes[crc & 255]!;

const hexBytes: readonly string[] = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).padStart(2, '0'),
);
