import { createHash, hkdfSync } from 'node:crypto';
import { openContent, sealContent } from '../../../events/log/sealing.ts';
import { ConfigError } from '../../config/schema.ts';
import type { Postgres } from './connection.ts';

/** A text under its name, and where a name may have several, its fingerprint; '' where it has one. */
export type NamedText = { name: string; fingerprint: string; text: string };

/** Short texts that the service needs and the database must not give away: sealed with the nodes' master key. */
export type SealedTexts = {
  /** @throws {ConfigError} `SECRETS_DAMAGED`, `MASTER_KEY_DIFFERS` */
  all(): Promise<NamedText[]>;
  /** Adds those that are not there; durable when it returns. */
  add(texts: readonly NamedText[]): Promise<void>;
  /**
   * Deletes every text with a fingerprint that is not among these, but for those of the last minutes: another node
   * may be about to name them.
   */
  keepOnly(those: readonly Omit<NamedText, 'text'>[]): Promise<void>;
  delete(name: string): Promise<void>;
  /** A key for one purpose, which all nodes have; it tells nothing of the master key. */
  keyFor(purpose: string): Buffer;
};

type Row = { name: string; fingerprint: string; key_id: string; sealed: string };

/** Is there from the first node on, so that each one after it finds out whether it has the same key. */
const proof: NamedText = { name: 'master-key', fingerprint: '', text: 'ours' };

/**
 * Opens them, and looks whether the master key is the one they were sealed with.
 * @param masterKey 32 bytes
 * @throws {ConfigError} `MASTER_KEY_DIFFERS`, `SECRETS_DAMAGED`; {EventStoreError} `BUSY`
 */
export async function openSealedTexts(db: Postgres, masterKey: Buffer): Promise<SealedTexts> {
  const keyFor = (purpose: string): Buffer =>
    Buffer.from(hkdfSync('sha256', masterKey, db.logId, `mitschrift ${purpose}`, 32));
  const key = keyFor('secrets');
  const keyId = createHash('sha256').update(keyFor('key id')).digest('hex').slice(0, 16);
  const opened = async ({ name, fingerprint, key_id, sealed }: Row): Promise<NamedText> => {
    if (key_id !== keyId) throw keyDiffers(db.where);
    try {
      const text = (await openContent(key, placeOf({ name, fingerprint }), sealed)) as string;
      return { name, fingerprint, text };
    } catch {
      throw damaged(db.where, name); // its cause would say nothing that its name does not
    }
  };
  const texts: SealedTexts = {
    keyFor,
    async all() {
      const text = 'select name, fingerprint, key_id, sealed from secrets order by name, added_at';
      return await Promise.all((await db.ask<Row>({ text })).map(opened));
    },
    async add(added) {
      const sealed = added.map((one) => sealContent(key, placeOf(one), JSON.stringify(one.text)));
      await db.ask({
        text: `insert into secrets (name, fingerprint, key_id, sealed)
          select s.name, s.fingerprint, $3, s.sealed from unnest($1::text[], $2::text[], $4::text[])
            as s(name, fingerprint, sealed)
          on conflict do nothing`,
        values: [...namesOf(added), keyId, await Promise.all(sealed)],
      });
    },
    async keepOnly(those) {
      await db.ask({
        text: `delete from secrets where fingerprint <> '' and added_at < now() - interval '5 minutes'
          and (name, fingerprint) not in (select * from unnest($1::text[], $2::text[]))`,
        values: namesOf(those),
      });
    },
    async delete(name) {
      await db.ask({ text: 'delete from secrets where name = $1', values: [name] });
    },
  };
  await texts.add([proof]);
  await texts.all();
  return texts;
}

const namesOf = (texts: readonly Omit<NamedText, 'text'>[]): [string[], string[]] => [
  texts.map(({ name }) => name),
  texts.map(({ fingerprint }) => fingerprint),
];

/** A text that is moved to another name does not open. */
const placeOf = ({ name, fingerprint }: Omit<NamedText, 'text'>) => ({
  stream: `secrets/${name}/${fingerprint}`,
  version: 1,
});

const keyDiffers = (where: string): ConfigError =>
  new ConfigError(
    'MASTER_KEY_DIFFERS',
    `MITSCHRIFT_MASTER_KEY is not the key with which the secrets in the database ${where} were sealed. ` +
      'Give this node the key that the others have. If it is lost, delete the rows of the table ' +
      'mitschrift.secrets and set the keys of the servers again.',
  );

const damaged = (where: string, name: string): ConfigError =>
  new ConfigError(
    'SECRETS_DAMAGED',
    `The secret ${name} in the database ${where} is not as it was written. Delete its rows of the table ` +
      'mitschrift.secrets and set it again.',
  );
