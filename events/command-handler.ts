import type { Sentence } from '../src/words/params.ts';
import { LRUCache } from 'lru-cache';
import pLimit, { type LimitFunction } from 'p-limit';
import type { Fact, LoggedFact, OfferedFact } from './facts/catalogue.ts';
import type { Metadata, StoredFact } from './facts/envelope.ts';
import { type EventStore, EventStoreError } from './store.ts';

/** Why a command changes nothing: a code for programs, a sentence for people. */
export type Refusal<Code extends string = string> = { refused: Code; said: Sentence };

export const refuse = <const Code extends string>(
  refused: Code,
  said: Sentence,
): Refusal<Code> => ({ refused, said });

/** The facts that a command leads to (none when nothing changes), or why it is refused. */
export type Decision<F extends Fact = Fact, R extends Refusal = Refusal> = readonly F[] | R;
/** Who wants it, and the id by which a repetition of the command is recognised. */
export type CommandMetadata = Pick<Metadata, 'by' | 'command' | 'run' | 'attempt'>;

/** A kind of stream: how it folds, and what it accepts. Recordings, users and config are one each. */
export type Aggregate<S, F extends Fact = Fact, R extends Refusal = never> = {
  /** The state before the first fact. */
  initial(stream: string): S;
  evolve(state: S, fact: StoredFact<F>): S;
  /** The facts as they are stored after `version`, or why they are not. Pure. */
  accept(
    state: S,
    version: number,
    facts: readonly F[],
    metadata: CommandMetadata,
  ): readonly OfferedFact[] | R;
};

/** The only way from a command into the log. */
export type CommandHandler<S, F extends Fact = Fact, R extends Refusal = never> = {
  /**
   * Decides on the newest state and appends; durable when it returns. A command that was stored
   * before returns the facts it led to then, without their content. `decide` is pure; it is asked
   * again when the stream has moved on. A refusal holds for the newest state, never for an older one.
   * @throws {EventStoreError} what the log says; `BUSY` when too many commands wait for the stream
   */
  handle<D extends Decision<F>>(
    stream: string,
    metadata: CommandMetadata,
    decide: (state: S, version: number) => D,
  ): Promise<readonly StoredFact<F>[] | R | Extract<D, Refusal>>;
  /**
   * Hands `look` the state after everything that the log has; nothing is appended here meanwhile. Version 0: no
   * such stream. Where nothing was appended since, reading on costs a comparison of versions.
   */
  read<T>(stream: string, look: (state: S, version: number) => T): Promise<T>;
  /** Takes in what others have appended. */
  readOn(stream: string): Promise<void>;
  /** Resolves when everything that was handed in before has been decided and stored. */
  settled(stream: string): Promise<void>;
};

export type CommandHandlerOptions<S, F extends Fact> = {
  /** Commands that may wait for one stream; more are refused with `BUSY`. */
  waitingMax: number;
  /** Streams whose state is kept in memory. */
  streamsMax: number;
  /** How much of the memory's `sizeMax` a fact takes in the state; without it only `streamsMax` holds. */
  sizeOf?(fact: StoredFact<F>): number;
  sizeMax?: number;
  /** Awaited between accepting and appending: notes what the facts promise. What it throws refuses. */
  beforeAppend?(stream: string, facts: readonly OfferedFact[]): Promise<void>;
  /** Called with each fact of a stream in order, also of other processes, also when it is read again. */
  onFact?(fact: StoredFact<F>, state: S): void;
};

type HandledStore = Pick<EventStore, 'append' | 'read'>;

/** Tries of one command when others append in between, or an outcome is unknown. */
const triesMax = 5;
/** Commands remembered of one stream: people repeat theirs within days, the service at once. */
const peoplesCommandsMax = 1000;
const ownCommandsMax = 64;

/** A refusal, or what else a decision may be. */
export const isRefusal = <R extends Refusal>(decision: readonly unknown[] | R): decision is R =>
  'refused' in decision;

/**
 * Reads a stream once and keeps its state, decides, appends with the expected version, and decides
 * again after a conflict or an unknown outcome. One command a stream at a time.
 */
export function commandHandler<S, F extends Fact = Fact, R extends Refusal = never>(
  store: HandledStore,
  aggregate: Aggregate<S, F, R>,
  options: CommandHandlerOptions<S, F>,
): CommandHandler<S, F, R> {
  const parts = { store, aggregate, options };
  const { queued, settled } = streamQueues<S, F>((stream) => aggregate.initial(stream), options);
  /** Readings on that wait for their turn. */
  const upcoming = new Map<string, Promise<void>>();

  return {
    async handle<D extends Decision<F>>(
      stream: string,
      metadata: CommandMetadata,
      decide: (state: S, version: number) => D,
    ) {
      const decided = await queued(stream, (held) =>
        decideAndAppend(parts, held, metadata, decide),
      );
      return decided as readonly StoredFact<F>[] | R | Extract<D, Refusal>;
    },
    read: (stream, look) =>
      queued(stream, async (held) => {
        await readOn(parts, held);
        return look(held.state, held.version);
      }),
    // One that has not begun sees all that was appended until now, so that it serves everybody who asks meanwhile.
    async readOn(stream) {
      const reading =
        upcoming.get(stream) ??
        queued(stream, async (held) => {
          upcoming.delete(stream);
          await readOn(parts, held);
        });
      upcoming.set(stream, reading);
      // Refused, it never begins.
      await reading.catch((error: unknown) => {
        if (upcoming.get(stream) === reading) upcoming.delete(stream);
        throw error;
      });
    },
    settled,
  };
}

/** The states that are kept in memory, and one turn a stream. */
function streamQueues<S, F extends Fact>(
  initial: (stream: string) => S,
  {
    streamsMax: max,
    sizeMax: maxSize,
    waitingMax,
  }: Pick<CommandHandlerOptions<S, F>, 'streamsMax' | 'sizeMax' | 'waitingMax'>,
) {
  const kept = new LRUCache<string, StreamState<S, F>>(maxSize ? { max, maxSize } : { max });
  /** Those that commands wait for, so that a stream never has two queues. */
  const inUse = new Map<string, StreamState<S, F>>();
  return {
    /** Runs `work` when everything that was handed in for the stream before has ended. */
    async queued<T>(stream: string, work: (held: StreamState<S, F>) => Promise<T>): Promise<T> {
      const held =
        inUse.get(stream) ?? kept.get(stream) ?? newStreamState<S, F>(stream, initial(stream));
      if (held.queue.pendingCount >= waitingMax) {
        const message = `More than ${waitingMax} commands wait for ${stream}.`;
        throw new EventStoreError('BUSY', message);
      }
      inUse.set(stream, held);
      held.users += 1;
      const sizeBefore = held.size;
      try {
        return await held.queue(() => work(held));
      } finally {
        held.users -= 1;
        if (held.users === 0) inUse.delete(stream);
        // The same object set again would keep the size that it had. One larger than all that is kept takes the room
        // alone: else each command would read it from the beginning.
        if (held.size !== sizeBefore || kept.peek(stream) !== held) {
          kept.delete(stream);
          kept.set(stream, held, maxSize ? { size: Math.min(held.size, maxSize) } : {});
        }
      }
    },
    async settled(stream: string): Promise<void> {
      await inUse.get(stream)?.queue(() => {});
    },
  };
}

type Parts<S, F extends Fact, R extends Refusal> = {
  store: HandledStore;
  aggregate: Aggregate<S, F, R>;
  options: CommandHandlerOptions<S, F>;
};

/** What is kept of one stream. */
type StreamState<S, F extends Fact> = {
  stream: string;
  queue: LimitFunction;
  /** Commands and readers that wait or are served. */
  users: number;
  state: S;
  version: number;
  size: number;
  /** Whether the log may hold more than was read. */
  isStale: boolean;
  peoplesCommands: LRUCache<string, StoredFact<F>[]>;
  ownCommands: LRUCache<string, StoredFact<F>[]>;
};

const newStreamState = <S, F extends Fact>(stream: string, state: S): StreamState<S, F> => ({
  stream,
  queue: pLimit(1),
  users: 0,
  state,
  version: 0,
  size: 1,
  isStale: true,
  peoplesCommands: new LRUCache({ max: peoplesCommandsMax }),
  ownCommands: new LRUCache({ max: ownCommandsMax }),
});

async function decideAndAppend<S, F extends Fact, R extends Refusal>(
  parts: Parts<S, F, R>,
  held: StreamState<S, F>,
  metadata: CommandMetadata,
  decide: (state: S, version: number) => Decision<F>,
): Promise<readonly StoredFact<F>[] | Refusal> {
  const { store, aggregate, options } = parts;
  let failure: unknown;
  let unknown: EventStoreError | undefined;
  /** That the log is away now does not say that nothing was stored before. */
  const giveUp = (error: unknown): never => {
    throw unknown && error instanceof EventStoreError && error.retriable ? unknown : error;
  };
  for (let tries = 0; ; tries += 1) {
    const wasStale = held.isStale;
    if (wasStale) await readOn(parts, held).catch(giveUp);
    const earlier = commandsOf(held, metadata.by).get(metadata.command);
    if (earlier) return earlier;
    if (tries === triesMax) throw failure;

    const decision = decide(held.state, held.version);
    const facts = isRefusal(decision)
      ? decision
      : aggregate.accept(held.state, held.version, decision, metadata);
    if (isRefusal(facts)) {
      if (wasStale || !(await readOn(parts, held))) return facts;
      continue;
    }
    if (facts.length === 0) {
      if (wasStale || !(await readOn(parts, held))) return [];
      continue;
    }
    await options.beforeAppend?.(held.stream, facts);
    try {
      const appended = await store.append(held.stream, facts, held.version);
      const stored = appended.map(ofItsKind<F>);
      for (const fact of stored) take(parts, held, fact);
      held.isStale = false;
      return stored;
    } catch (error) {
      if (!(error instanceof EventStoreError)) throw error;
      if (error.code === 'OUTCOME_UNKNOWN') failure = unknown = error;
      else if (error.code === 'VERSION_CONFLICT') failure = changedTooOften(error, held.stream);
      else giveUp(error);
      held.isStale = true;
    }
  }
}

const changedTooOften = (cause: EventStoreError, stream: string): EventStoreError => {
  const message = `${stream} changed ${triesMax} times meanwhile; nothing was stored.`;
  return new EventStoreError('BUSY', message, { cause });
};

/** Takes in what the log has and was not read yet. Returns whether there was anything. */
async function readOn<S, F extends Fact, R extends Refusal>(
  parts: Parts<S, F, R>,
  held: StreamState<S, F>,
): Promise<boolean> {
  const { version } = held;
  for await (const fact of parts.store.read(held.stream, { afterVersion: version })) {
    take(parts, held, ofItsKind<F>(fact));
  }
  // What does not exist yet may come into being elsewhere.
  held.isStale = held.version === 0;
  return held.version > version;
}

function take<S, F extends Fact, R extends Refusal>(
  { aggregate, options }: Parts<S, F, R>,
  held: StreamState<S, F>,
  fact: StoredFact<F>,
): void {
  held.state = aggregate.evolve(held.state, fact);
  held.version = fact.version;
  held.size += options.sizeOf?.(fact) ?? 0;
  const commands = commandsOf(held, fact.by);
  // Content may be large, and a repetition only needs to know that it was stored.
  const { content: _content, ...rest } = fact;
  const answer = rest as StoredFact<F>;
  commands.set(fact.command, [...(commands.get(fact.command) ?? []), answer]);
  options.onFact?.(fact, held.state);
}

/** The stream holds facts of this kind only: nothing else appends to it. */
const ofItsKind = <F extends Fact>(fact: LoggedFact) => fact as StoredFact<F>;

const commandsOf = <F extends Fact>(held: StreamState<unknown, F>, by: string) =>
  by === 'system' ? held.ownCommands : held.peoplesCommands;
