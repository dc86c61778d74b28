import type { LoggedFact } from '../../events/catalogue.ts';
import { usernameKey } from './usernames.ts';

export type User = {
  /** ULID: a name used again inherits nothing. */
  readonly id: string;
  readonly username: string;
  readonly isAdmin: boolean;
  /** PHC string. */
  readonly passwordHash: string;
  /** Version of the stream at which the password became this one; hashing it anew does not count. */
  readonly passwordSince: number;
};

/** The users as the `users` stream tells, in memory: there are few, and every request asks. */
export class UsersView {
  /** Version of the stream up to which facts were applied. */
  version = 0;
  readonly #users = new Map<string, User>();
  readonly #idsByName = new Map<string, string>();
  readonly #deleted = new Set<string>();

  get size(): number {
    return this.#users.size;
  }

  get administrators(): number {
    return this.list().filter((user) => user.isAdmin).length;
  }

  /** Users who are gone, oldest first: whoever deletes content makes sure that theirs is. */
  get deleted(): readonly string[] {
    return [...this.#deleted];
  }

  byId(id: string): User | undefined {
    return this.#users.get(id);
  }

  /** Compares without case. */
  byName(username: string): User | undefined {
    const id = this.#idsByName.get(usernameKey(username));
    return id === undefined ? undefined : this.#users.get(id);
  }

  list(): User[] {
    return [...this.#users.values()];
  }

  /** @throws {Error} the fact is not the next one of the stream */
  apply(fact: LoggedFact): void {
    if (fact.version !== this.version + 1) {
      throw new Error(`users: version ${fact.version} after ${this.version}`);
    }
    this.version = fact.version;
    switch (fact.type) {
      case 'user.registered': {
        // Without content the user was deleted and erased; `user.deleted` follows.
        if (!fact.content) return;
        const { username, password_hash: passwordHash } = fact.content;
        const { user_id: id, is_admin: isAdmin } = fact.data;
        this.#users.set(id, {
          id,
          username,
          isAdmin,
          passwordHash,
          passwordSince: fact.version,
        });
        this.#idsByName.set(usernameKey(username), id);
        return;
      }
      case 'user.password_changed': {
        if (fact.content) {
          this.#change(fact.data.user_id, {
            passwordHash: fact.content.password_hash,
            ...(fact.data.reason === 'rehashed' ? {} : { passwordSince: fact.version }),
          });
        }
        return;
      }
      case 'user.admin_granted':
      case 'user.admin_revoked':
        this.#change(fact.data.user_id, { isAdmin: fact.type === 'user.admin_granted' });
        return;
      case 'user.deleted': {
        const { user_id: id } = fact.data;
        this.#deleted.add(id);
        const user = this.#users.get(id);
        if (!user) return;
        this.#users.delete(id);
        this.#idsByName.delete(usernameKey(user.username));
        return;
      }
      default:
        throw new Error(`users: a fact of type ${fact.type} does not belong here`);
    }
  }

  #change(id: string, change: Partial<User>): void {
    const user = this.#users.get(id);
    if (user) this.#users.set(id, { ...user, ...change });
  }
}
