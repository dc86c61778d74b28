import { createHmac } from 'node:crypto';
import type { SecretStore } from '../../config/secret-store.ts';
import type { NamedText, SealedTexts } from './sealed-texts.ts';

/**
 * Keys of servers for all nodes. What another node added is found after `takeIn`.
 * @throws as `SealedTexts.all`
 */
export async function openPostgresSecrets(texts: SealedTexts): Promise<SecretStore> {
  const fingerprintKey = texts.keyFor('fingerprints');
  const fingerprint = (value: string): string =>
    createHmac('sha256', fingerprintKey).update(value).digest('hex').slice(0, 32);
  let known: NamedText[] = [];
  const takeIn = async (): Promise<void> => {
    known = await texts.all();
  };
  await takeIn();
  return {
    fingerprint,
    takeIn,
    find: (key, wanted) =>
      known.find(({ name, fingerprint: has }) => name === key && has === wanted)?.text,
    async add(secrets) {
      if (secrets.length === 0) return;
      await texts.add(
        secrets.map(({ key, value }) => ({
          name: key,
          fingerprint: fingerprint(value),
          text: value,
        })),
      );
      await takeIn();
    },
    async keepOnly(inForce) {
      await texts.keepOnly([...inForce].map(([name, has]) => ({ name, fingerprint: has })));
    },
  };
}

const setupCodeName = 'setup-code';

/** One setup code for all nodes. */
export const postgresSetupCodes = (texts: SealedTexts) => ({
  async obtain(make: () => string): Promise<string> {
    // Of several nodes at once one adds it.
    await texts.add([{ name: setupCodeName, fingerprint: '', text: make() }]);
    return (await texts.all()).find(({ name }) => name === setupCodeName)!.text;
  },
  remove: () => texts.delete(setupCodeName),
});
