import { ulid } from 'ulid';
import { type Decision, commandHandler, isRefusal } from '../../events/command-handler.ts';
import { type LoggedFact, type UserFact, usersStream } from '../../events/facts/catalogue.ts';
import type { StoredFact } from '../../events/facts/envelope.ts';
import type { EventStore } from '../../events/store.ts';
import { usersAggregate } from '../../projections/users-fold.ts';
import type { UserRefusal, Users } from '../../projections/users.ts';
import { AccountError } from './account-error.ts';

/** Who wants it and by which command; from the request. */
export type OnBehalf = { by: string; command?: string | undefined };
export type UserMetadata = { by: string; command: string };

/** The users, always as new as the last change, and the only way to change them. */
export type UserStream = {
  users: Users;
  /** Takes in what other processes appended. @returns the version of then @throws {EventStoreError} */
  takeIn(): Promise<number>;
  /** The fact of this version, with its content as far as it can be read. @throws {EventStoreError} */
  factAt(version: number): Promise<LoggedFact | undefined>;
  /**
   * Returns the facts the command led to, now or when it was given before; durable then.
   * @throws {AccountError} what `decide` refuses; {EventStoreError} `BUSY` and what the log says
   */
  change(
    onBehalf: OnBehalf,
    decide: (users: Users) => Decision<UserFact, UserRefusal>,
  ): Promise<readonly StoredFact<UserFact>[]>;
};

/** Changes of users that may wait; more are refused. */
const waitingMax = 64;

/** Reads the `users` stream. @throws {EventStoreError} */
export async function openUserStream(store: EventStore): Promise<UserStream> {
  const handler = commandHandler(store, usersAggregate, { waitingMax, streamsMax: 1 });
  const users = await handler.read(usersStream, (state) => state);
  return {
    users,
    async takeIn() {
      await handler.readOn(usersStream);
      return users.version;
    },
    async factAt(version) {
      const only = { afterVersion: version - 1, limit: 1 };
      for await (const fact of store.read(usersStream, only)) return fact;
      return undefined;
    },
    async change(onBehalf, decide) {
      const decided = await handler.handle(usersStream, metadataOf(onBehalf), decide);
      if (isRefusal(decided)) throw accountError(decided);
      return decided;
    },
  };
}

export const metadataOf = ({ by, command = ulid() }: OnBehalf): UserMetadata => ({ by, command });

export const accountError = ({ refused, said }: UserRefusal): AccountError =>
  new AccountError(refused, said);
