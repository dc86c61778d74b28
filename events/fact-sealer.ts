import { sealContent } from './content-cipher.ts';
import type { SealedFact } from './fact-json.ts';
import { KeyError, type KeyStore } from './keys.ts';
import { EventStoreError } from './store.ts';
import { schemaVersionOf, type Upcasters } from './upcast.ts';
import type { CheckedFact } from './validation.ts';

/** Characters of JSON that one fact's plain data may have. */
export const dataLengthMax = 16 * 1024 * 1024;

/**
 * Writes out checked facts as JSON, their content encrypted for the place they will have. Keys are
 * durable before this returns.
 * @throws {EventStoreError} `INVALID_FACT` (too large; its subject was erased), `DAMAGED` (the key)
 */
export async function sealFacts(
  facts: readonly CheckedFact[],
  {
    stream,
    expectedVersion,
    keys,
    upcasters,
  }: { stream: string; expectedVersion: number; keys: KeyStore; upcasters: Upcasters },
): Promise<SealedFact[]> {
  const sealed: SealedFact[] = [];
  let version = expectedVersion;
  for (const { type, circumstances, data, content } of facts) {
    version += 1;
    const dataJson = JSON.stringify(data);
    if (dataJson.length > dataLengthMax) throw invalid(`the data of ${type} is too large`);
    const contentJson = content === undefined ? undefined : JSON.stringify(content);
    sealed.push({
      type,
      circumstances,
      schema: schemaVersionOf(type, upcasters),
      dataJson,
      contentJson,
      sealed:
        contentJson === undefined
          ? undefined
          : await sealFor(circumstances.subject as string, { stream, version }, contentJson, keys),
    });
  }
  return sealed;
}

async function sealFor(
  subject: string,
  place: { stream: string; version: number },
  json: string,
  keys: KeyStore,
): Promise<string> {
  try {
    return await sealContent(await keys.obtain(subject), place, json);
  } catch (cause) {
    if (cause instanceof RangeError) throw invalid(cause.message, cause);
    if (!(cause instanceof KeyError)) {
      throw new EventStoreError('BUSY', `The key of ${subject} cannot be had now.`, { cause });
    }
    if (cause.code === 'ERASED') throw invalid(cause.message, cause);
    throw new EventStoreError('DAMAGED', cause.message, { cause });
  }
}

const invalid = (message: string, cause?: unknown): EventStoreError =>
  new EventStoreError('INVALID_FACT', message, { cause });
