import type { LoggedFact } from '../../events/catalogue.ts';
import { usernameKey } from './usernames.ts';

export type User = {
  /** ULID: a name used again inherits nothing. */
  readonly id: string;
  readonly username: string;
  readonly isAdmin: boolean;
  /** Cannot log in. */
  readonly disabled: boolean;
  /** PHC string. */
  readonly passwordHash: string;
  /** Version of the stream at which the password became this one; hashing it anew does not count. */
  readonly passwordSince: number;
  /**
   * Version of the stream at which all sessions there were ended: whatever a crash left of them is
   * no good either.
   */
  readonly sessionsSince: number;
};

/** The users as the `users` stream tells, in memory: there are few, and every request asks. */
export class UsersView {
  /** Version of the stream up to which facts were applied. */
  version = 0;
  readonly #users = new Map<string, User>();
  readonly #idsByName = new Map<string, string>();
  readonly #deleted = new Set<string>();
  readonly #idsByCommand = new Map<string, string>();

  get size(): number {
    return this.#users.size;
  }

  /** Those who can log in. */
  get administrators(): number {
    return this.list().filter((user) => user.isAdmin && !user.disabled).length;
  }

  /** Users who are gone, oldest first: whoever deletes content makes sure that theirs is. */
  get deleted(): readonly string[] {
    return [...this.#deleted];
  }

  byId(id: string): User | undefined {
    return this.#users.get(id);
  }

  wasDeleted(id: string): boolean {
    return this.#deleted.has(id);
  }

  /** Compares without case. */
  byName(username: string): User | undefined {
    const id = this.#idsByName.get(usernameKey(username));
    return id === undefined ? undefined : this.#users.get(id);
  }

  /** Id of the user a command created, also when they are gone by now. */
  createdBy(command: string): string | undefined {
    return this.#idsByCommand.get(command);
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
        this.#idsByCommand.set(fact.command, fact.data.user_id);
        // Without content the user was deleted and erased; `user.deleted` follows.
        if (!fact.content) return;
        const { username, password_hash: passwordHash } = fact.content;
        const { user_id: id, is_admin: isAdmin } = fact.data;
        this.#users.set(id, {
          id,
          username,
          isAdmin,
          disabled: false,
          passwordHash,
          passwordSince: fact.version,
          sessionsSince: fact.version,
        });
        this.#idsByName.set(usernameKey(username), id);
        return;
      }
      case 'user.password_changed': {
        if (fact.content) {
          this.#change(fact.data.user_id, {
            passwordHash: fact.content.password_hash,
            ...(fact.data.reason === 'rehashed'
              ? {}
              : { passwordSince: fact.version, sessionsSince: fact.version }),
          });
        }
        return;
      }
      case 'user.admin_granted':
        this.#change(fact.data.user_id, { isAdmin: true });
        return;
      case 'user.admin_revoked':
        this.#change(fact.data.user_id, { isAdmin: false, sessionsSince: fact.version });
        return;
      case 'user.disabled':
        this.#change(fact.data.user_id, { disabled: true, sessionsSince: fact.version });
        return;
      case 'user.enabled':
        this.#change(fact.data.user_id, { disabled: false });
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
