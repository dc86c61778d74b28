import { commandHandler } from '../../events/command-handler.ts';
import type { StoredFact } from '../../events/facts/envelope.ts';
import { type PersonalFact, personalStream } from '../../events/facts/personal.ts';
import type { EventStore } from '../../events/store.ts';
import {
  type DecidePersonal,
  type Personal,
  type PersonalRefusal,
  personalAggregate,
} from '../../projections/personal.ts';

/** What users have set in order, and the only way to change it. */
export type OrderBook = {
  /** As new as the log. @throws {EventStoreError} */
  of(userId: string): Promise<Personal>;
  /**
   * Returns the facts that the command led to, now or when it was given before; durable then.
   * @throws {EventStoreError} `BUSY` and what the log says
   */
  change(
    userId: string,
    metadata: { by: string; command: string },
    decide: DecidePersonal,
  ): Promise<readonly StoredFact<PersonalFact>[] | PersonalRefusal>;
};

/** Changes of one user that may wait, and users whose order is kept in memory. */
const waitingMax = 64;
const streamsMax = 200;

/** Reads a user's stream when it is asked for. */
export function openOrderBook(store: Pick<EventStore, 'append' | 'read'>): OrderBook {
  const handler = commandHandler(store, personalAggregate, { waitingMax, streamsMax });
  return {
    of: (userId) => handler.read(personalStream(userId), (personal) => personal),
    change: (userId, metadata, decide) => handler.handle(personalStream(userId), metadata, decide),
  };
}
