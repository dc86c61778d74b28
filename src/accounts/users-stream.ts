import type { LoggedFact, OfferedFact } from '../../events/catalogue.ts';
import type { Circumstances } from '../../events/envelope.ts';
import { EventStoreError, type EventStore } from '../../events/store.ts';
import { usersStream, type UserFact } from '../../events/user-facts.ts';
import { AccountError } from './account-error.ts';
import { oneAtATime, type OneAtATime } from './one-at-a-time.ts';
import { UsersView } from './users-view.ts';

/** Tries of one decision when others append in between or an outcome is unknown. */
const triesMax = 5;

/** The `users` stream with its view, always as new as the last own append: the only writer of it. */
export class UsersStream {
  readonly users = new UsersView();
  readonly #store: EventStore;
  readonly #oneAtATime: OneAtATime = oneAtATime(64);

  constructor(store: EventStore) {
    this.#store = store;
  }

  /** Reads what the view has not seen yet; returns it. */
  async catchUp(): Promise<LoggedFact[]> {
    const news: LoggedFact[] = [];
    const { version } = this.users;
    for await (const fact of this.#store.read(usersStream, { afterVersion: version })) {
      this.users.apply(fact);
      news.push(fact);
    }
    return news;
  }

  /**
   * Decides on the newest users and appends what was decided; durable when it returns. `decide` may
   * be asked again when the stream went on meanwhile, and throws what refuses the command.
   * @throws {AccountError} `BUSY`, {EventStoreError}, and what `decide` throws
   */
  change(
    circumstances: Pick<Circumstances, 'by' | 'command'>,
    decide: (users: UsersView) => readonly UserFact[],
  ): Promise<void> {
    return this.#oneAtATime(async () => {
      for (let tries = 0; tries < triesMax; tries += 1) {
        const facts: OfferedFact[] = decide(this.users).map((fact) => ({
          ...fact,
          ...circumstances,
          subject: fact.data.user_id,
        }));
        if (facts.length === 0) return;
        try {
          const stored = await this.#store.append(usersStream, facts, this.users.version);
          for (const fact of stored) this.users.apply(fact);
          return;
        } catch (error) {
          if (!(error instanceof EventStoreError)) throw error;
          if (error.code !== 'VERSION_CONFLICT' && error.code !== 'OUTCOME_UNKNOWN') throw error;
          const news = await this.catchUp();
          if (news.some((fact) => fact.command === circumstances.command)) return;
        }
      }
      throw new AccountError('BUSY', 'The users could not be changed just now. Try again.', 2);
    });
  }
}
