import { sealContent } from './content-cipher.ts';
import type { SealedFact } from './fact-json.ts';
import { KeyError, type KeyStore } from './keys.ts';
import { EventStoreError } from './store.ts';
import { schemaVersionOf, type Upcasters } from './upcast.ts';
import type { CheckedFact } from './validation.ts';

/** Characters of JSON that one fact's plain data may have. */
export const dataLengthMax = 16 * 1024 * 1024;

type Sealing = { stream: string; expectedVersion: number; keys: KeyStore; upcasters: Upcasters };

/**
 * Writes out checked facts as JSON, their content encrypted for the place they will have: a promise only
 * where there is content. Keys are durable before it resolves.
 * @throws {EventStoreError} (or rejects) `INVALID_FACT` (too large; its subject was erased), `DAMAGED` (the key)
 */
export function sealFacts(
  facts: readonly CheckedFact[],
  how: Sealing,
): SealedFact[] | Promise<SealedFact[]> {
  const written = facts.map((fact) => writtenOut(fact, how.upcasters));
  return written.some(({ contentJson }) => contentJson !== undefined)
    ? sealContents(written, how)
    : written;
}

function writtenOut(
  { type, circumstances, data, content }: CheckedFact,
  upcasters: Upcasters,
): SealedFact {
  const dataJson = JSON.stringify(data);
  if (dataJson.length > dataLengthMax) throw invalid(`the data of ${type} is too large`);
  const contentJson = content === undefined ? undefined : JSON.stringify(content);
  const schema = schemaVersionOf(type, upcasters);
  return { type, circumstances, schema, dataJson, contentJson, sealed: undefined };
}

async function sealContents(facts: SealedFact[], how: Sealing): Promise<SealedFact[]> {
  let version = how.expectedVersion;
  for (const fact of facts) {
    version += 1;
    if (fact.contentJson === undefined) continue;
    const place = { stream: how.stream, version };
    const subject = fact.circumstances.subject as string;
    fact.sealed = await sealFor(subject, place, fact.contentJson, how.keys);
  }
  return facts;
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
