import { type LookupAddress, type LookupOptions, lookup as systemLookup } from 'node:dns';
import { wrong } from '../shared/in-words.ts';
import { BlockList, isIP } from 'node:net';
import * as z from 'zod';
import type { Agent } from 'undici';
import { StageError } from '../shared/errors.ts';
import { failure } from '../words/failures.ts';

/**
 * `dns.lookup` for connections to configured servers: a name that leads to a link-local or metadata
 * address is refused like the address itself (see `serverUrl`), whenever it begins to lead there.
 */
export function guardedLookup(
  hostname: string,
  options: LookupOptions,
  callback: (
    error: NodeJS.ErrnoException | null,
    address: string | LookupAddress[],
    family?: number,
  ) => void,
): void {
  systemLookup(hostname, options, (error, address, family) => {
    const found: readonly (string | LookupAddress)[] = Array.isArray(address) ? address : [address];
    const bad = found.some((one) =>
      isForbiddenAddress(typeof one === 'string' ? one : (one?.address ?? '')),
    );
    if (error || !bad) callback(error, address, family);
    else callback(refused(hostname), '', 0);
  });
}

const refused = (host: string): StageError =>
  new StageError(failure('address-forbidden', { host }), { retriable: false });

/**
 * Address of a server that is sent audio, transcripts or keys: http or https, no credentials, and
 * not link-local: there clouds hand out the host's own secrets (169.254.169.254, fd00:ec2::254,
 * fd20:ce::254).
 */
export const serverUrl = z
  .url({ protocol: /^https?$/, error: wrong('not-http-address') })
  .max(2000)
  .refine((value) => !credentialed(value), wrong('address-with-password'))
  .refine((value) => !linkLocalHost(value), wrong('address-link-local'));

/** Whether an IP address is one that no configured server may have. */
export function isForbiddenAddress(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && forbidden.check(address, family === 4 ? 'ipv4' : 'ipv6');
}

const forbidden = new BlockList();

// Also finds IPv4 addresses mapped into IPv6 (::ffff:169.254.169.254).
forbidden.addSubnet('169.254.0.0', 16, 'ipv4');

forbidden.addSubnet('fe80::', 10, 'ipv6');

forbidden.addAddress('fd00:ec2::254', 'ipv6');

forbidden.addAddress('fd20:ce::254', 'ipv6');

// Of Alibaba, Oracle and Azure.
forbidden.addAddress('100.100.100.200', 'ipv4');

forbidden.addAddress('192.0.0.192', 'ipv4');

forbidden.addAddress('168.63.129.16', 'ipv4');

// The same IPv4 addresses written as IPv6: behind NAT64 (RFC 6052, RFC 8215), by 6to4 (RFC 3056), compatible (RFC 4291).
const metadataHex = ['a9fe:', '6464:64c8', 'c000:c0', 'a83f:8110'];

for (const hex of metadataHex) {
  const [address, bits] = hex.endsWith(':') ? [`${hex}0`, 112] : [hex, 128];
  for (const prefix of ['64:ff9b::', '64:ff9b:1::', '::'])
    forbidden.addSubnet(`${prefix}${address}`, bits, 'ipv6');
  forbidden.addSubnet(`2002:${address}::`, bits - 80, 'ipv6');
}

/**
 * Base for OpenAI's routes: `stt.base_url` with or without `/v1`, or with the whole route.
 * `http://host:8000` → `http://host:8000/v1`.
 */
export function compatBase(baseUrl: string): string {
  const path = trimmed(baseUrl, /\/audio\/transcriptions$/);
  return /\/v\d+(beta)?$/.test(path) ? path : `${path}/v1`;
}

/** Base of a whisper.cpp server, which has no `/v1`: `/inference` and `/health` lie right below. */
export function nativeBase(baseUrl: string): string {
  return trimmed(baseUrl, /\/inference$/).replace(/\/v1$/, '');
}

/** Base of a whisper-asr-webservice: `/asr` and `/docs` lie right below. */
export function asrBase(baseUrl: string): string {
  return trimmed(baseUrl, /\/asr$/);
}

/** For sentences: no credentials, no query. */
export function serverName(baseUrl: string): string {
  const { protocol, host, pathname } = new URL(baseUrl);
  return `${protocol}//${host}${pathname.replace(/\/$/, '')}`;
}

export type Address = {
  /**
   * Where OpenAI-compatible routes live, e.g. `http://host:11434/v1`, without a slash at the end.
   */
  api: string;
  /** The server itself, e.g. `http://host:11434`: for routes outside of that API. */
  root: string;
  /** Scheme, host and port, for messages. */
  origin: string;
};

/**
 * What a person entered, with or without `/v1`. A path that names a version already
 * (`/openai/v1`, `/v1beta/openai`) is taken as it is.
 */
export function serverAddress(baseUrl: string): Address {
  const url = new URL(baseUrl);
  const path = url.pathname.replace(trailing, '');
  const versioned = /\/v\d\w*(?=\/|$)/u.test(path);
  const root = url.origin + path.replace(/\/v\d\w*$/u, '');
  return {
    api: versioned ? url.origin + path : `${url.origin}${path}/v1`,
    root,
    origin: url.origin,
  };
}

/** A configured server: where it is, and how it is asked. Call `connections.destroy` when it is not asked again. */
export type Server = {
  /** What it is asked for. */
  kind: 'speech' | 'language' | 'embedding';
  /** Its routes lie below; without a slash at the end. */
  base: string;
  /** Its address as sentences say it: no credentials, no query. */
  name: string;
  apiKey: string | null;
  connections: Agent;
};

/** An answer of a server, read to its end or to the limit. */
export type ServerAnswer = {
  status: number;
  /** Media type in lower case without parameters; `''` when it says none. */
  contentType: string;
  headers: Headers;
  body: string;
};

/** An answer that has begun and is none: the connection ended in the middle of it, or it has no end. */
export class AnswerLost extends Error {
  override name = 'AnswerLost';
  readonly isTooLarge: boolean;
  constructor(message: string, options: { cause?: unknown; isTooLarge?: boolean } = {}) {
    super(message, options);
    this.isTooLarge = options.isTooLarge ?? false;
  }
}

/** Largest answer that is read, in MB: an hour of words with times is about 2, two million tokens are 8. */
export const answerMegabytesMax = 32;

function credentialed(value: string): boolean {
  if (!URL.canParse(value)) return false; // said already
  const { username, password } = new URL(value);
  return username !== '' || password !== '';
}

/** `URL` has brought 0xA9FEA9FE and the like into their usual form. */
function linkLocalHost(value: string): boolean {
  if (!URL.canParse(value)) return false;
  return isForbiddenAddress(new URL(value).hostname.replace(/^\[|\]$/g, ''));
}

function trimmed(baseUrl: string, route: RegExp): string {
  const url = new URL(baseUrl);
  return `${url.origin}${url.pathname.replace(trailing, '').replace(route, '')}`;
}

/** Slashes at the end of a path. */
const trailing = /(?<!\/)\/+$/u;
