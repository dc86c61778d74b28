import type { LoggedFact, OfferedFact } from '../../events/catalogue.ts';
import { configStream, type ConfigFact } from '../../events/config-facts.ts';
import { EventStoreError, type EventStore } from '../../events/store.ts';
import { ConfigError } from './config-error.ts';

/** What is stored of one key: its value, or of a secret the fingerprint. */
export type StoredSetting = { value: unknown } | { fingerprint: string };

/** Tries of one decision when others append in between, or an outcome is unknown. */
const triesMax = 5;

/** The `config` stream and what it says now, as new as the last own append: its only writer. */
export class ConfigStream {
  readonly #store: EventStore;
  readonly #set = new Map<string, StoredSetting>();
  #version = 0;

  constructor(store: EventStore) {
    this.#store = store;
  }

  /** Every key that was set. */
  get set(): ReadonlyMap<string, StoredSetting> {
    return this.#set;
  }

  /** Reads what is not known yet; returns it. */
  async catchUp(): Promise<LoggedFact[]> {
    const news: LoggedFact[] = [];
    for await (const fact of this.#store.read(configStream, { afterVersion: this.#version })) {
      this.#apply(fact);
      news.push(fact);
    }
    return news;
  }

  /**
   * Decides on the newest settings and appends what was decided, all in one; durable when it
   * returns. One call at a time. `decide` is asked again when others appended meanwhile.
   * @throws {ConfigError} `CONFIG_BUSY`, {EventStoreError}
   */
  async change(
    circumstances: { by: string; command: string },
    decide: (set: ReadonlyMap<string, StoredSetting>) => readonly ConfigFact[],
  ): Promise<readonly ConfigFact[]> {
    for (let tries = 0; tries < triesMax; tries += 1) {
      const decided = decide(this.#set);
      if (decided.length === 0) return decided;
      const facts: OfferedFact[] = decided.map((fact) => ({ ...fact, ...circumstances }));
      try {
        const stored = await this.#store.append(configStream, facts, this.#version);
        for (const fact of stored) this.#apply(fact);
        return decided;
      } catch (error) {
        if (!(error instanceof EventStoreError)) throw error;
        if (error.code !== 'VERSION_CONFLICT' && error.code !== 'OUTCOME_UNKNOWN') throw error;
        const news = await this.catchUp();
        if (news.some((fact) => fact.command === circumstances.command)) return decided;
      }
    }
    throw new ConfigError('CONFIG_BUSY', 'The settings could not be changed just now. Try again.');
  }

  #apply(fact: LoggedFact): void {
    this.#version = fact.version;
    if (fact.type === 'config.key_set') this.#set.set(fact.data.key, { value: fact.data.value });
    if (fact.type === 'config.secret_set') {
      this.#set.set(fact.data.key, { fingerprint: fact.data.fingerprint });
    }
    if (fact.type === 'config.key_reset') this.#set.delete(fact.data.key);
  }
}
