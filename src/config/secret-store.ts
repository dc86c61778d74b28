import { createHmac } from 'node:crypto';
import type { SettingKey } from './schema.ts';

/**
 * Secrets outside the log. A key may have several values, each under its fingerprint: the log says which one
 * counts. So a new one can be written before its fact, and a crash between the two leaves the old one in force.
 */
export interface SecretStore {
  /** What the fact of a secret holds: keyed, so that values cannot be tried against it. */
  fingerprint(value: string): string;
  find(key: SettingKey, fingerprint: string): string | undefined;
  /** Reads what other nodes have added. */
  takeIn(): Promise<void>;
  /** Adds values beside those that are there; durable when it returns. */
  add(secrets: readonly { key: SettingKey; value: string }[]): Promise<void>;
  /** Deletes every value that is not named, soon or at once; `inForce` has at most one fingerprint a key. */
  keepOnly(inForce: ReadonlyMap<string, string>): Promise<void>;
}

/** A text under its name, and where a name may have several, its fingerprint; '' where it has one. */
export type NamedText = { name: string; fingerprint: string; text: string };

/** Where secrets are: in one file (0600), or sealed in the database of many nodes. */
export interface NamedTexts {
  readonly fingerprintKey: Buffer;
  /** @throws {ConfigError} `SECRETS_DAMAGED`, `MASTER_KEY_DIFFERS` */
  all(): Promise<NamedText[]>;
  /** Adds those that are not there; durable when it returns. */
  add(texts: readonly NamedText[]): Promise<void>;
  /** Deletes every text with a fingerprint that is not among these, unless another node may be about to name it. */
  keepOnly(those: readonly Omit<NamedText, 'text'>[]): Promise<void>;
}

/** @throws as `NamedTexts.all` */
export async function openSecretStore(texts: NamedTexts): Promise<SecretStore> {
  let known: NamedText[] = [];
  const takeIn = async (): Promise<void> => {
    known = await texts.all();
  };
  const fingerprint = (value: string): string =>
    createHmac('sha256', texts.fingerprintKey).update(value).digest('hex').slice(0, 32);
  await takeIn();
  return {
    fingerprint,
    takeIn,
    find: (key, wanted) =>
      known.find(({ name, fingerprint: has }) => name === key && has === wanted)?.text,
    async add(secrets) {
      if (secrets.length === 0) return;
      const named = secrets.map(({ key, value }) => ({
        name: key,
        fingerprint: fingerprint(value),
        text: value,
      }));
      await texts.add(named);
      await takeIn();
    },
    keepOnly: (inForce) =>
      texts.keepOnly([...inForce].map(([name, has]) => ({ name, fingerprint: has }))),
  };
}
