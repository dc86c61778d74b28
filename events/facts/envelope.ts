import type { z } from 'zod';

/** What one type of fact carries: `data` is readable for ever, `content` dies with its subject's key. */
export type FactSchema = { data: z.ZodType; content?: z.ZodType };
export type FactSchemas = Record<string, FactSchema>;

/** The union of all facts of a set of schemas, discriminated by `type`. */
export type FactOf<S extends FactSchemas> = {
  [T in keyof S & string]: {
    type: T;
    data: z.infer<S[T]['data']>;
    content?: S[T] extends { content: infer C extends z.ZodType } ? z.infer<C> : undefined;
  };
}[keyof S & string];

/** What surrounds a fact that is appended; the store adds the rest. */
export type Metadata = {
  /** Who wanted it: a user's id, `guest`, or `system` for the service itself. */
  by: string;
  /** Id of the command that led to it. The same id again is the same command, not a second one. */
  command: string;
  /** Which run through the pipeline a stage's fact belongs to, from 1. */
  run?: number;
  /** Which start of a stage within the run it belongs to, from 1. */
  attempt?: number;
  /** Canonical name of the machine's state before and after, for facts a machine decides on. */
  from?: string;
  to?: string;
  /** Version of the machine that decided. */
  machine?: number;
  /** Whose key encrypts the content: a recording's or a user's id. Needed where there is content. */
  subject?: string;
  /** When it happened, RFC 3339 UTC; the store's clock if absent. */
  at?: string;
};

/** What the store adds to a fact, once and for ever. */
export type Envelope = Omit<Metadata, 'at'> & {
  /** ULID. */
  id: string;
  /** Place in the whole log: 1, 2, 3, … without gaps. */
  position: number;
  stream: string;
  /** Place in its stream: 1, 2, 3, … without gaps. */
  version: number;
  /** RFC 3339 UTC. */
  at: string;
  /** True when the content was there and its key has been destroyed since: `content` is absent. */
  erased?: true;
  /** True when there is content that cannot be read, since its key is lost: `content` is absent. */
  unreadable?: true;
};

/** A fact as it is handed to the store. */
export type NewFact<F extends AnyFact = AnyFact> = F & Metadata;
/** A fact as the store returns it. */
export type StoredFact<F extends AnyFact = AnyFact> = F & Envelope;
/** Any fact, its type not looked at yet. */
export type AnyFact = { type: string; data: unknown; content?: unknown };
