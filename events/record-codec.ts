import { crc32 } from 'node:zlib';

/**
 * A record as it lies in the log: its own CRC-32 (zlib's polynomial, 8 lower-case hex digits), its
 * predecessor's, then the fact's JSON. The CRC covers all that follows it, so a record can be
 * checked alone, and records in sequence check each other.
 */
export function encodeRecord(json: string, predecessorCrc: string): string {
  const body = predecessorCrc + json;
  return hexCrc(body) + body;
}

/** Whether a record is as it was written. */
export const isIntact = (record: string): boolean =>
  record.length > headLength && record.startsWith(hexCrc(record.slice(crcLength)));

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

const hexCrc = (text: string): string => crc32(text).toString(16).padStart(crcLength, '0');
