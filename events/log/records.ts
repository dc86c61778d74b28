import { monotonicFactory } from 'ulid';
import { crc32 } from 'node:zlib';
import type { LoggedFact } from '../facts/catalogue.ts';
import type { Metadata } from '../facts/envelope.ts';

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
  hexByte(crc >>> 24) +
  hexByte((crc >>> 16) & 255) +
  hexByte((crc >>> 8) & 255) +
  hexByte(crc & 255);

const hexByte = (byte: number): string => hexBytes[byte] ?? '';
const hexBytes: readonly string[] = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).padStart(2, '0'),
);
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

/** The stream and version a stream key stands for; undefined for any other key. */
export function placeOf(key: string): { stream: string; version: number } | undefined {
  const [, stream, version] = /^!streams!([A-Za-z0-9_-]+)!(\d{12})$/.exec(key) ?? [];
  return stream === undefined ? undefined : { stream, version: Number(version) };
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

/** A fact that only lacks what its place in the log decides. */
export type SealedFact = {
  type: string;
  metadata: Metadata;
  /** Version of its type's schema. */
  schema: number;
  dataJson: string;
  /** The content to hand back, and as it is stored; undefined when there is none. */
  contentJson: string | undefined;
  sealed: string | undefined;
};

/** A fact with its place in the log. Nothing in a place needs escaping in JSON. */
export type PlacedFact = {
  fact: SealedFact;
  id: string;
  position: number;
  stream: string;
  version: number;
  /** RFC 3339 UTC. */
  at: string;
};

/** A fact as its record holds it: its members in the order in which every record has them. */
export function recordJson({ fact, id, position, stream, version, at }: PlacedFact): string {
  const { type, schema, metadata: c, dataJson, sealed } = fact;
  const schemaMember = schema === 1 ? '' : `,"schema":${schema}`;
  // Absent members are left out by JSON; `by` and `command` are always there.
  const metadata = JSON.stringify({
    by: c.by,
    command: c.command,
    run: c.run,
    attempt: c.attempt,
    from: c.from,
    to: c.to,
    machine: c.machine,
    subject: c.subject,
  }).slice(1, -1);
  const content = sealed === undefined ? '' : `,"content":"${sealed}"`;
  return `{"id":"${id}","position":${position},"stream":"${stream}","version":${version},"type":"${type}"${schemaMember},"at":"${at}",${metadata},"data":${dataJson}${content}}`;
}

/** What a reader will get: parsed from what is written, so that the two cannot differ. */
export function asStored({ fact, id, position, stream, version, at }: PlacedFact): LoggedFact {
  const { type, metadata: c, dataJson, contentJson } = fact;
  const stored: Record<string, unknown> = { id, position, stream, version, type, at };
  stored['by'] = c.by;
  stored['command'] = c.command;
  if (c.run !== undefined) stored['run'] = c.run;
  if (c.attempt !== undefined) stored['attempt'] = c.attempt;
  if (c.from !== undefined) stored['from'] = c.from;
  if (c.to !== undefined) stored['to'] = c.to;
  if (c.machine !== undefined) stored['machine'] = c.machine;
  if (c.subject !== undefined) stored['subject'] = c.subject;
  stored['data'] = JSON.parse(dataJson);
  if (contentJson !== undefined) stored['content'] = JSON.parse(contentJson);
  return stored as LoggedFact;
}

/**
 * Makes ULIDs that only ever grow, for a time in milliseconds since 1970. They are no secrets; the system's randomness,
 * which the library asks for by the byte, costs more than all else about an id.
 */
export const factIds = (): ((time: number) => string) => monotonicFactory(() => Math.random());
