import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { SettingsError, messageOf } from './errors.ts';

/** How this process is one node of many on one PostgreSQL and one store of blobs. Only the environment says it. */
export type ClusterSettings = {
  /** With a password: never in a message or a log. */
  databaseUrl: string;
  blobsUrl: string;
  /** The directory that all nodes have; null where blobs are in a bucket. */
  sharedDirectory: string | null;
  role: NodeRole;
  /** For how many recordings it acts at once. */
  workSlots: number;
  /** Seals the keys of servers in the database; 32 bytes. */
  masterKey: Buffer;
};

/** `serve` answers requests and works on nothing, `work` works and answers none, `all` does both. */
export type NodeRole = (typeof nodeRoles)[number];

const nodeRoles = ['serve', 'work', 'all'] as const;

const variables = {
  database: 'MITSCHRIFT_DATABASE_URL',
  blobs: 'MITSCHRIFT_BLOBS_URL',
  role: 'MITSCHRIFT_ROLE',
  slots: 'MITSCHRIFT_WORK_SLOTS',
  key: 'MITSCHRIFT_MASTER_KEY',
  keyFile: 'MITSCHRIFT_MASTER_KEY_FILE',
} as const;

/** What the environment says of a cluster, by their names. */
export const clusterVariables: readonly string[] = Object.values(variables);

/** Those that hold a password or a key. */
export const clusterSecrets: readonly string[] = [variables.database, variables.key];

const slotsDefault = 2;
const slotsMax = 64;
const masterKeyBytes = 32;

/**
 * Reads `MITSCHRIFT_DATABASE_URL`, `_BLOBS_URL`, `_ROLE`, `_WORK_SLOTS` and `_MASTER_KEY` or `_MASTER_KEY_FILE`; null
 * without any: then there is one process with a data directory. An empty variable is none.
 * @throws {SettingsError} naming every variable that is wrong and what it must be; never a value
 */
export function clusterFrom(env: NodeJS.ProcessEnv): ClusterSettings | null {
  if (clusterVariables.every((name) => !env[name])) return null;
  const wrong: string[] = [];
  const read = <T>(name: string, parse: (text: string) => T): T | undefined => {
    const text = env[name];
    if (!text) return undefined;
    try {
      return parse(text);
    } catch (error) {
      wrong.push(`${name}: ${messageOf(error)}`);
      return undefined;
    }
  };
  const databaseUrl = read(variables.database, databaseUrlOf);
  const sharedDirectory = read(variables.blobs, sharedDirectoryOf);
  const role = read(variables.role, roleOf) ?? 'all';
  const workSlots = read(variables.slots, slotsOf) ?? slotsDefault;
  const given = read(variables.key, masterKeyOf);
  const fromFile = read(variables.keyFile, masterKeyInFile);
  const masterKey = given ?? fromFile;
  const blobsUrl = env[variables.blobs];
  wrong.push(...missing(env));
  if (wrong.length > 0 || !databaseUrl || !blobsUrl || sharedDirectory === undefined || !masterKey)
    throw new SettingsError(wrong);
  return { databaseUrl, blobsUrl, sharedDirectory, role, workSlots, masterKey };
}

/** What does not go together. */
function missing(env: NodeJS.ProcessEnv): string[] {
  const { database, blobs, role, slots, key, keyFile } = variables;
  if (!env[database]) {
    return [blobs, role, slots, key, keyFile]
      .filter((name) => env[name])
      .map((name) => `${name}: only together with ${database}, which is not set`);
  }
  const lines: string[] = [];
  if (!env[blobs]) {
    lines.push(
      `${blobs}: must be set with ${database}: audio and documents are kept there, for all nodes`,
    );
  }
  if (!env[key] && !env[keyFile]) {
    lines.push(
      `${key}: must be set with ${database}, to the same for all nodes; openssl rand -base64 32 makes one`,
    );
  }
  if (env[key] && env[keyFile]) lines.push(`${keyFile}: not together with ${key}`);
  return lines;
}

function databaseUrlOf(text: string): string {
  if (/^postgres(ql)?:\/\//.test(text)) return text;
  throw new Error('must be postgres://user:password@host:port/database');
}

function sharedDirectoryOf(text: string): string | null {
  if (text.startsWith('s3://')) return null;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url?.protocol === 'file:' && url.host === '' && !url.search && !url.hash;
  if (isPlain && url.pathname !== '/' && text.startsWith('file:///')) {
    return fileURLToPath(url).replace(/(?<!\/)\/+$/, '');
  }
  throw new Error(
    'must be file:///absolute/directory, which all nodes have, or s3://bucket/prefix?endpoint=…',
  );
}

function roleOf(text: string): NodeRole {
  const role = nodeRoles.find((name) => name === text);
  if (role === undefined) throw new Error(`must be one of ${nodeRoles.join(', ')}`);
  return role;
}

function slotsOf(text: string): number {
  const slots = Number(text);
  if (Number.isInteger(slots) && slots >= 1 && slots <= slotsMax) return slots;
  throw new Error(`must be a number from 1 to ${slotsMax}`);
}

function masterKeyOf(text: string): Buffer {
  const trimmed = text.trim();
  if (/^[0-9a-f]{64}$/i.test(trimmed)) return Buffer.from(trimmed, 'hex');
  // 32 bytes are 43 characters and one that fills up.
  if (/^[A-Za-z0-9+/_-]{43}=?$/.test(trimmed)) {
    const key = Buffer.from(trimmed, 'base64');
    if (key.length === masterKeyBytes) return key;
  }
  throw new Error(`must be ${masterKeyBytes} bytes in base64 or hexadecimal digits`);
}

function masterKeyInFile(path: string): Buffer {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`cannot be read (${messageOf(error)})`, { cause: error });
  }
  return masterKeyOf(text);
}
