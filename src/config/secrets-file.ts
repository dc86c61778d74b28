import * as z from 'zod';
import { randomBytes } from 'node:crypto';
import { chmod, readFile, rm } from 'node:fs/promises';
import { writeDurably, ifMissing } from '../shared/files.ts';
import { parsedJson } from '../shared/json.ts';
import { ConfigError } from './schema.ts';
import type { NamedTexts } from './secret-store.ts';
import { dataFailure } from '../words/data-failures.ts';

/**
 * The secrets of one process, in one file (0600); it begins to exist with the first one.
 * @throws {ConfigError} `SECRETS_DAMAGED`
 */
export async function openSecretsFile(path: string): Promise<NamedTexts> {
  // A crash while it was written: the fact it was for does not exist.
  await rm(`${path}.tmp`, { force: true });
  let content = await read(path);
  const write = async (secrets: Content['secrets']): Promise<void> => {
    if (JSON.stringify(secrets) === JSON.stringify(content.secrets)) return;
    const next = { ...content, secrets };
    await writeDurably(path, `${JSON.stringify(next, null, 2)}\n`);
    content = next;
  };
  const all = () =>
    Object.entries(content.secrets).flatMap(([name, values]) =>
      Object.entries(values).map(([fingerprint, text]) => ({ name, fingerprint, text })),
    );
  return {
    fingerprintKey: Buffer.from(content.salt),
    all: async () => all(),
    async add(added) {
      const secrets = { ...content.secrets };
      for (const { name, fingerprint, text } of added)
        secrets[name] = { ...secrets[name], [fingerprint]: text };
      await write(secrets);
    },
    async keepOnly(those) {
      const secrets: Content['secrets'] = {};
      for (const { name, fingerprint, text } of all())
        if (those.some((one) => one.name === name && one.fingerprint === fingerprint))
          secrets[name] = { ...secrets[name], [fingerprint]: text };
      await write(secrets);
    },
  };
}

const contentSchema = z.object({
  format: z.literal(1),
  salt: z.string().regex(/^[0-9a-f]{64}$/),
  /** By setting, then by fingerprint. */
  secrets: z.record(z.string(), z.record(z.string(), z.string())),
});
type Content = z.infer<typeof contentSchema>;

async function read(path: string): Promise<Content> {
  const text = await readFile(path, 'utf8').catch(ifMissing(undefined));
  if (text === undefined) return { format: 1, salt: randomBytes(32).toString('hex'), secrets: {} };
  await chmod(path, 0o600);
  const parsed = contentSchema.safeParse(parsedJson(text));
  if (parsed.success) return parsed.data;
  // No cause: it would quote the file.
  throw new ConfigError('SECRETS_DAMAGED', dataFailure('secrets-damaged', { path }));
}
