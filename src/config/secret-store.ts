import * as z from 'zod';
import { createHmac, randomBytes } from 'node:crypto';
import { chmod, readFile, rm } from 'node:fs/promises';
import { writeDurably, ifMissing } from '../shared/files.ts';
import { ConfigError, type SettingKey } from './schema.ts';

/**
 * Secrets outside the log: in one file (0600), or in the database of many nodes. A key may have several values there, each under its
 * fingerprint: the log says which one counts. So a new one can be written before its fact, and a
 * crash between the two leaves the old one in force.
 */
export interface SecretStore {
  /** What the fact of a secret holds: keyed, so that values cannot be tried against it. */
  fingerprint(value: string): string;
  find(key: SettingKey, fingerprint: string): string | undefined;
  /** Reads what other nodes have added; where there are none, nothing. */
  takeIn(): Promise<void>;
  /** Adds values beside those that are there; durable when it returns. */
  add(secrets: readonly { key: SettingKey; value: string }[]): Promise<void>;
  /** Deletes every value that is not named, soon or at once; `inForce` has at most one fingerprint a key. */
  keepOnly(inForce: ReadonlyMap<string, string>): Promise<void>;
}

/**
 * Opens the store at a path; it begins to exist with the first secret.
 * @throws {ConfigError} `SECRETS_DAMAGED`
 */
export async function openSecretStore(path: string): Promise<SecretStore> {
  // A crash while it was written: the fact it was for does not exist.
  await rm(`${path}.tmp`, { force: true });
  let content = (await read(path)) ?? noSecrets();

  const fingerprint = (value: string): string =>
    createHmac('sha256', content.salt).update(value).digest('hex').slice(0, 32);
  const find = (key: string, wanted: string): string | undefined => {
    const values = Object.hasOwn(content.secrets, key) ? content.secrets[key] : undefined;
    return values && Object.hasOwn(values, wanted) ? values[wanted] : undefined;
  };
  const write = async (secrets: Content['secrets']): Promise<void> => {
    const next = { ...content, secrets };
    await writeDurably(path, textOf(next));
    content = next;
  };

  return {
    fingerprint,
    find,
    takeIn: async () => {},
    async add(added) {
      if (added.every(({ key, value }) => find(key, fingerprint(value)) === value)) return;
      const secrets = { ...content.secrets };
      for (const { key, value } of added) {
        secrets[key] = { ...secrets[key], [fingerprint(value)]: value };
      }
      await write(secrets);
    },
    async keepOnly(inForce) {
      const secrets: Content['secrets'] = {};
      for (const [key, values] of Object.entries(content.secrets)) {
        const wanted = inForce.get(key);
        const value = wanted === undefined ? undefined : values[wanted];
        if (wanted !== undefined && value !== undefined) secrets[key] = { [wanted]: value };
      }
      if (JSON.stringify(secrets) !== JSON.stringify(content.secrets)) await write(secrets);
    },
  };
}

/** A value under the fingerprint that its fact has. */
export type NamedSecret = { name: string; fingerprint: string; text: string };

/** All values of a store, to be moved. @throws {ConfigError} `SECRETS_DAMAGED` */
export async function secretsIn(path: string): Promise<NamedSecret[]> {
  return Object.entries((await read(path))?.secrets ?? {}).flatMap(([name, values]) =>
    Object.entries(values).map(([fingerprint, text]) => ({ name, fingerprint, text })),
  );
}

/** Adds values that come from another store, under their fingerprints; durable when it returns. @throws as `secretsIn` */
export async function addSecrets(path: string, added: readonly NamedSecret[]): Promise<void> {
  if (added.length === 0) return;
  const content = (await read(path)) ?? noSecrets();
  for (const { name, fingerprint, text } of added)
    content.secrets[name] = { ...content.secrets[name], [fingerprint]: text };
  await writeDurably(path, textOf(content));
}

const noSecrets = (): Content => ({
  format: 1,
  salt: randomBytes(32).toString('hex'),
  secrets: {},
});

const textOf = (content: Content): string => `${JSON.stringify(content, null, 2)}\n`;

const contentSchema = z.object({
  format: z.literal(1),
  salt: z.string().regex(/^[0-9a-f]{64}$/),
  /** By setting, then by fingerprint. */
  secrets: z.record(z.string(), z.record(z.string(), z.string())),
});
type Content = z.infer<typeof contentSchema>;

async function read(path: string): Promise<Content | undefined> {
  const text = await readFile(path, 'utf8').catch(ifMissing(undefined));
  if (text === undefined) return undefined;
  await chmod(path, 0o600);
  const parsed = contentSchema.safeParse(parsedJson(text));
  if (parsed.success) return parsed.data;
  // No cause: it would quote the file.
  throw new ConfigError(
    'SECRETS_DAMAGED',
    `${path} is not as it was written. Put it back from a backup, or delete it and set the keys again.`,
  );
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // the schema refuses it, and the error must not quote what is in there
  }
}
