import type { Appender } from './appender.ts';
import type { LoggedFact } from './catalogue.ts';
import { levelCode } from './database.ts';
import type { SealedFact } from './fact-json.ts';
import { sealFacts } from './fact-sealer.ts';
import type { KeyStore } from './keys.ts';
import { EventStoreError, type EventStore } from './store.ts';
import type { StreamHeads } from './stream-heads.ts';
import type { Upcasters } from './upcast.ts';
import { checkFacts } from './validation.ts';

/** Takes facts from whoever offers them to where they have a place in the log: checks, encrypts, compares versions. */
export function appending(deps: {
  appender: Appender;
  heads: StreamHeads;
  keys: KeyStore;
  upcasters: Upcasters;
  /** @throws {EventStoreError} `BUSY`, `DAMAGED`, `CLOSED` while nothing may be written */
  assertWritable: () => void;
}): EventStore['append'] {
  const { appender, heads, keys, upcasters, assertWritable } = deps;
  /** Facts that have a place in the queue, but are not in it yet. */
  let preparing = 0;

  const enqueue = (
    { stream, expectedVersion }: Place,
    facts: SealedFact[],
    version: number,
  ): Promise<LoggedFact[]> => {
    if (version !== expectedVersion) throw conflict(stream, version, expectedVersion);
    return appender.enqueue(stream, facts, expectedVersion);
  };

  /** For facts that are still being encrypted, or whose stream's head is still to be read. */
  const enqueueLater = async (
    place: Place,
    sealing: SealedFact[] | Promise<SealedFact[]>,
    found: number | Promise<number> | undefined,
    facts: number,
  ): Promise<LoggedFact[]> => {
    let reserved = facts;
    preparing += reserved;
    try {
      const sealed = Array.isArray(sealing) ? sealing : await sealing;
      let version = found ?? heads.queued(place.stream);
      for (let looks = 0; typeof version !== 'number'; looks += 1) {
        if (looks > 10) throw new EventStoreError('BUSY', 'Too many streams are in use at once.');
        await version.catch(closedMeanwhile);
        // Others may have appended while this waited, so it is asked again and used at once.
        assertWritable();
        version = heads.queued(place.stream);
      }
      assertWritable();
      preparing -= reserved;
      reserved = 0;
      return await enqueue(place, sealed, version);
    } finally {
      preparing -= reserved;
    }
  };

  return (stream, facts, expectedVersion) => {
    // Most appends need nothing but their turn, and every promise more would be felt.
    try {
      assertWritable();
      const checked = checkFacts(stream, facts, expectedVersion);
      appender.assertRoom(preparing + checked.length);
      const place = { stream, expectedVersion };
      const sealing = sealFacts(checked, { ...place, keys, upcasters });
      const version = Array.isArray(sealing) ? heads.queued(stream) : undefined;
      if (Array.isArray(sealing) && typeof version === 'number') {
        return enqueue(place, sealing, version);
      }
      return enqueueLater(place, sealing, version, checked.length);
    } catch (error) {
      return Promise.reject(error);
    }
  };
}

type Place = { stream: string; expectedVersion: number };

const conflict = (stream: string, version: number, expected: number): EventStoreError =>
  new EventStoreError(
    'VERSION_CONFLICT',
    `${stream} is at version ${version}, not ${expected}. Decide again on what is there now.`,
  );

/** The database was closed, to be opened anew, while it was asked: what was offered is not stored. */
function closedMeanwhile(error: unknown): void {
  if (error instanceof EventStoreError || levelCode(error) === undefined) throw error;
  throw new EventStoreError('BUSY', 'The log cannot be read now.', { cause: error });
}
