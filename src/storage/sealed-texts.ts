import { createHash, hkdfSync } from 'node:crypto';
import { openContent, sealContent } from '../../events/log/sealing.ts';
import { ConfigError } from '../config/schema.ts';
import type { NamedText, NamedTexts } from '../config/secret-store.ts';
import type { Kept, KeptKind } from './kept.ts';

/** Short texts that the service needs and the database must not give away: sealed with the nodes' master key. */
export type SealedTexts = NamedTexts & {
  delete(name: string): Promise<void>;
};

type Sealed = { key_id: string; sealed: string; added_at: number };

const secrets: KeptKind<Sealed> = {
  name: 'secrets',
  keys: 'plain',
};

/** Another node may be about to name a text that was added, in milliseconds. */
const unnamedMs = 5 * 60_000;

/** Is there from the first node on, so that each one after it finds out whether it has the same key. */
const proof: NamedText = { name: 'master-key', fingerprint: '', text: 'ours' };

/** Which log it is, and where, for people. */
type Place = { logId: string; where: string };

/**
 * A key for one purpose, which all nodes have; it tells nothing of the master key.
 * @param masterKey 32 bytes
 */
export const keyOfNodes = (masterKey: Buffer, { logId }: Place, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', masterKey, logId, `mitschrift ${purpose}`, 32));

/**
 * Opens them, and looks whether the master key is the one they were sealed with.
 * @throws {ConfigError} `MASTER_KEY_DIFFERS`, `SECRETS_DAMAGED`; {EventStoreError} `BUSY`
 */
export async function openSealedTexts(
  kept: Kept,
  place: Place,
  masterKey: Buffer,
): Promise<SealedTexts> {
  const rows = kept.of(secrets);
  const key = keyOfNodes(masterKey, place, 'secrets');
  const keyId = createHash('sha256')
    .update(keyOfNodes(masterKey, place, 'key id'))
    .digest('hex')
    .slice(0, 16);
  const opened = async (path: string, { key_id, sealed }: Sealed): Promise<NamedText> => {
    const [name = '', fingerprint = ''] = path.split('/');
    if (key_id !== keyId) throw keyDiffers(place.where);
    try {
      const text = await openContent(key, sealedAt(path), sealed);
      return { name, fingerprint, text: String(text) };
    } catch {
      throw damaged(place.where, name); // its cause would say nothing that its name does not
    }
  };
  const texts: SealedTexts = {
    fingerprintKey: keyOfNodes(masterKey, place, 'fingerprints'),
    all: async () =>
      await Promise.all((await rows.list('')).map(({ key: path, value }) => opened(path, value))),
    async add(added) {
      const paths = added.map(pathOf);
      const seals = await Promise.all(
        added.map((one) => sealContent(key, sealedAt(pathOf(one)), JSON.stringify(one.text))),
      );
      await rows.change(paths, (present, now) => ({
        keep: seals.map((sealed, n) => present[n] ?? { key_id: keyId, sealed, added_at: now }),
        result: undefined,
      }));
    },
    async keepOnly(those) {
      const wanted = new Set(those.map(pathOf));
      const others = (await rows.list(''))
        .map(({ key: path }) => path)
        .filter((path) => !path.endsWith('/') && !wanted.has(path));
      await rows.change(others, (present, now) => ({
        keep: present.map((one) => (one && one.added_at > now - unnamedMs ? one : undefined)),
        result: undefined,
      }));
    },
    delete: (name) => rows.delete([pathOf({ name, fingerprint: '' })]),
  };
  await texts.add([proof]);
  await texts.all();
  return texts;
}

const pathOf = ({ name, fingerprint }: Omit<NamedText, 'text'>): string => `${name}/${fingerprint}`;

/** A text that is moved to another name does not open. */
const sealedAt = (path: string) => ({ stream: `secrets/${path}`, version: 1 });

const keyDiffers = (where: string): ConfigError =>
  new ConfigError(
    'MASTER_KEY_DIFFERS',
    `MITSCHRIFT_MASTER_KEY is not the key that encrypted the API keys in ${where}. Use the key of the other nodes. ` +
      "If it is lost, delete the rows of kind 'secrets' in the table mitschrift.kept and enter the API keys again.",
  );

const damaged = (where: string, name: string): ConfigError =>
  new ConfigError(
    'SECRETS_DAMAGED',
    `The API key ${name} in ${where} is damaged. Delete its rows of kind 'secrets' in the table mitschrift.kept ` +
      'and enter it again.',
  );
