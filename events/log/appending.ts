import { checkFacts, type Upcasters } from '../facts/validation.ts';
import type { LoggedFact } from '../facts/catalogue.ts';
import type { KeyStore } from '../key-store.ts';
import { type EventStore, EventStoreError } from '../store.ts';
import type { Appender } from './appender.ts';
import { unreadableNow } from './database.ts';
import type { SealedFact } from './records.ts';
import { sealFacts } from './sealing.ts';
import type { StreamHeads } from './streams.ts';

/** Takes facts to where they have a place in the log: checks, encrypts, compares versions. */
export function appending(deps: {
  appender: Appender;
  heads: StreamHeads;
  keys: KeyStore;
  upcasters: Upcasters;
  /** @throws {EventStoreError} `BUSY`, `DAMAGED`, `CLOSED` while nothing may be written */
  assertWritable: () => void;
  hasContentOf: (stream: string, subject: string) => Promise<boolean>;
}): EventStore['append'] {
  const { appender, heads, assertWritable } = deps;
  /** Facts that have a place in the queue, but are not in it yet. */
  let preparing = 0;
  const inOrder = orderOfOffers();

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
        await version.catch((error: unknown) => {
          // A log that was closed meanwhile says so.
          assertWritable();
          throw unreadableNow(error);
        });
        // Others may have appended while this waited, so it is asked again and used at once.
        assertWritable();
        version = heads.queued(place.stream);
      }
      assertWritable();
      preparing -= reserved;
      reserved = 0;
      return await enqueue(appender, place, sealed, version);
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
      const sealing = inOrder(place, sealFacts(checked, { ...deps, ...place }));
      const version = Array.isArray(sealing) ? heads.queued(stream) : undefined;
      if (Array.isArray(sealing) && typeof version === 'number') {
        return enqueue(appender, place, sealing, version);
      }
      return enqueueLater(place, sealing, version, checked.length);
    } catch (error) {
      return Promise.reject(error);
    }
  };
}

/** While a stream's first append is being prepared, what is decided on it waits behind it. */
function orderOfOffers() {
  const beginnings = new Map<string, Promise<unknown>>();
  return <T extends unknown[]>(
    { stream, expectedVersion }: Place,
    sealing: T | Promise<T>,
  ): T | Promise<T> => {
    const first = beginnings.get(stream);
    if (first) return Promise.all([sealing, first]).then(([sealed]) => sealed);
    if (expectedVersion === 0 && !Array.isArray(sealing)) {
      const over = () => beginnings.delete(stream);
      beginnings.set(stream, sealing.then(over, over));
    }
    return sealing;
  };
}

function enqueue(
  appender: Appender,
  { stream, expectedVersion }: Place,
  facts: SealedFact[],
  version: number,
): Promise<LoggedFact[]> {
  if (version !== expectedVersion) throw conflict(stream, version, expectedVersion);
  return appender.enqueue(stream, facts, expectedVersion);
}

type Place = { stream: string; expectedVersion: number };

const conflict = (stream: string, version: number, expected: number): EventStoreError =>
  new EventStoreError(
    'VERSION_CONFLICT',
    `${stream} is at version ${version}, not ${expected}. Decide again on what is there now.`,
  );
