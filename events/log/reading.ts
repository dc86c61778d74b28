import type { LoggedFactIn } from '../facts/catalogue.ts';
import type { EventStore } from '../store.ts';
import type { CommitSignal } from '../../src/shared/commit-signal.ts';
import { following } from './following.ts';
import type { LogReader } from './reader.ts';

/** Reads facts up to what is durable when it is asked; subscribers go on from there. */
export function reading(deps: {
  reader: LogReader;
  /** Position of the last durable fact. */
  head: () => number;
  /** Version of a stream's last durable fact. */
  durableVersion: (stream: string) => Promise<number>;
  committed: CommitSignal;
  /** Resolves when the database is open. @throws {EventStoreError} `CLOSED`, `BUSY` */
  usable: () => Promise<void>;
  /** @throws {EventStoreError} `CLOSED` */
  assertOpen: () => void;
  /** Whether the database is being opened again: subscribers wait until it is there again. */
  recovering: () => boolean;
}): Required<
  Pick<EventStore, 'read' | 'readAll' | 'pages' | 'follow' | 'outlines' | 'opened' | 'subscribe'>
> {
  const { reader, head, durableVersion, committed, usable, assertOpen, recovering } = deps;
  return {
    async *read<S extends string>(stream: S, { afterVersion = 0, limit = Infinity } = {}) {
      const upTo = Math.min(await durableVersion(stream), afterVersion + limit);
      for await (const page of reader.streamPages(stream, afterVersion, upTo)) {
        // Facts are checked when they are appended: each stream holds its own kind.
        yield* page as LoggedFactIn<S>[];
      }
    },
    async *readAll({ afterPosition = 0, limit = Infinity } = {}) {
      await usable();
      const upTo = Math.min(head(), afterPosition + limit);
      for await (const page of reader.pages(afterPosition, upTo)) {
        for (const fact of page) yield fact;
      }
    },
    async *pages({ afterPosition = 0 } = {}) {
      await usable();
      yield* reader.pages(afterPosition, head());
    },
    ...following({
      read: (after, upTo) => reader.recordPage(after, upTo),
      decoder: reader.decoder,
      reached: () => (recovering() ? 0 : head()),
      head,
      committed,
      assertOpen,
    }),
  };
}
