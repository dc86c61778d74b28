import { monotonicFactory } from 'ulid';
import type {
  FactOutline,
  LoggedFact,
  LoggedFactIn,
  OfferedFact,
} from '../../events/facts/catalogue.ts';
import { pageFactsMax } from '../../events/log/reader.ts';
import { commitSignal } from '../../src/shared/listeners.ts';
import { KeyError, type KeyStore } from '../../events/key-store.ts';
import { type EventStore, EventStoreError } from '../../events/store.ts';
import { checkFacts } from '../../events/facts/validation.ts';

/**
 * An event store that forgets everything with the process: for tests of what stands on the log.
 * It holds to the same contract as the real one. Without `keys` no content is ever erased.
 */
export function memoryStore(
  options: {
    clock?: () => Date;
    keys?: KeyStore;
  } = {},
): EventStore & {
  /** Frees what is held of a stream, for logs too long for the memory: from then on none of it may be read. */
  letGo(stream: string): void;
} {
  const clock = options.clock ?? (() => new Date());
  const facts: LoggedFact[] = [];
  const streams = new Map<string, LoggedFact[]>();
  const committed = commitSignal();
  const nextId = monotonicFactory();
  let closed = false;

  const assertOpen = (): void => {
    if (closed) throw new EventStoreError('CLOSED', 'The store is closed.');
  };
  const presented = async (fact: LoggedFact): Promise<LoggedFact> => {
    const copy = structuredClone(fact);
    if (copy.content === undefined || !options.keys || !copy.subject) return copy;
    if ((await options.keys.find(copy.subject)) !== 'erased') return copy;
    delete copy.content;
    return { ...copy, erased: true };
  };

  const followed: Pick<EventStore, 'follow' | 'outlines' | 'opened'> = {
    async *follow({ afterPosition, signal }) {
      let position = afterPosition;
      while (!signal.aborted) {
        assertOpen();
        const page = facts.slice(position, position + pageFactsMax);
        position += page.length;
        if (page.length > 0) yield page.map(outlineOf);
        else await committed.wait(signal);
      }
    },
    async *outlines({ afterPosition, limit }) {
      assertOpen();
      const page = facts.slice(afterPosition, afterPosition + limit);
      if (page.length > 0) yield page.map(outlineOf);
    },
    opened: (page) => Promise.all(page.map(({ position }) => presented(facts[position - 1]!))),
  };

  return {
    async append(stream, offered: readonly OfferedFact[], expectedVersion) {
      assertOpen();
      const checked = checkFacts(stream, offered, expectedVersion);
      for (const { content, metadata } of checked) {
        if (content === undefined || !options.keys) continue;
        await options.keys.obtain(metadata.subject as string).catch((cause: unknown) => {
          throw new EventStoreError('INVALID_FACT', 'The subject was erased.', { cause });
        });
      }
      assertOpen();
      const head = streams.get(stream) ?? [];
      if (head.length !== expectedVersion) {
        throw new EventStoreError(
          'VERSION_CONFLICT',
          `${stream} is at version ${head.length}, not ${expectedVersion}.`,
        );
      }
      const stored = checked.map(({ type, metadata, data, content }, index) => {
        const now = clock();
        const fact = {
          id: nextId(now.getTime()),
          position: facts.length + 1 + index,
          stream,
          version: expectedVersion + 1 + index,
          type,
          at: now.toISOString(),
          ...metadata,
          data,
          ...(content === undefined ? {} : { content }),
        };
        return JSON.parse(JSON.stringify(fact)) as LoggedFact;
      });
      facts.push(...stored);
      streams.set(stream, [...head, ...stored]);
      committed.fire();
      return structuredClone(stored);
    },
    async *read<S extends string>(stream: S, { afterVersion = 0, limit = Infinity } = {}) {
      assertOpen();
      const held = streams.get(stream) ?? [];
      for (const fact of held.slice(afterVersion, afterVersion + limit)) {
        yield (await presented(fact)) as LoggedFactIn<S>;
      }
    },
    head: async () => facts.length,
    version: async (stream) => streams.get(stream)?.length ?? 0,
    async *readAll({ afterPosition = 0, limit = Infinity } = {}) {
      assertOpen();
      for (const fact of facts.slice(afterPosition, afterPosition + limit)) yield presented(fact);
    },
    async *pages({ afterPosition = 0 } = {}) {
      assertOpen();
      const page = await Promise.all(facts.slice(afterPosition).map(presented));
      if (page.length > 0) yield page;
    },
    ...followed,
    letGo(stream) {
      for (const { position } of streams.get(stream) ?? []) {
        (facts as (LoggedFact | undefined)[])[position - 1] = undefined;
      }
      streams.delete(stream);
    },
    async close() {
      closed = true;
      committed.fire();
    },
  };
}

function outlineOf(fact: LoggedFact): FactOutline {
  const { content: _, ...outline } = structuredClone(fact);
  return outline;
}

/** Keys that live in memory only. */
export function memoryKeys(): KeyStore {
  const keys = new Map<string, Buffer>();
  const erased = new Map<string, string>();
  return {
    async obtain(subject) {
      if (erased.has(subject)) throw new KeyError('ERASED', `${subject} was erased.`);
      const key = keys.get(subject) ?? crypto.getRandomValues(Buffer.alloc(32));
      keys.set(subject, key);
      return key;
    },
    async find(subject) {
      if (erased.has(subject)) return 'erased';
      const key = keys.get(subject);
      if (!key) throw new KeyError('MISSING', `There is no key of ${subject}.`);
      return key;
    },
    async forget(subject) {
      keys.delete(subject);
      if (!erased.has(subject)) erased.set(subject, new Date().toISOString());
    },
    finishErasures: async () => {},
    isErased: (subject) => erased.has(subject),
    async erasures() {
      return [...erased].map(([subject, at]) => ({ subject, at }));
    },
  };
}
