import pg from 'pg';
import { EventStoreError } from '../../../events/store.ts';
import { hasCode } from '../../shared/errors.ts';
import { Busy, type Limited, limited } from '../../shared/mutex.ts';
import { retry } from '../../shared/retry.ts';
import { failureOf, isAway } from './failures.ts';
import { DatabaseUnfit, assertFit, tooManyConnections, unfit } from './fitness.ts';
import { type Channels, openChannels } from './channels.ts';
import type { AskDatabase } from './known-end.ts';
import { prepareSchema } from './schema.ts';
import { prepareAppending, prepareSession, statementMs } from './session-settings.ts';
import type { Sentence } from '../../words/params.ts';
import { check } from '../../words/checks.ts';
import { dataFailure } from '../../words/data-failures.ts';

/** One PostgreSQL database, as the adapters of this folder share it. */
export type Postgres = {
  /** The id of the log it holds, a ULID made with it. */
  readonly logId: string;
  /** Host, port and database as the setting names them, for people; never the user or the password. */
  readonly where: string;
  /**
   * Asks over one of a few connections.
   * @throws {EventStoreError} `BUSY` while it is away, `DISK_FULL`, `DAMAGED`
   */
  ask<R extends pg.QueryResultRow>(question: pg.QueryConfig): Promise<R[]>;
  /** As `ask`, once, over the connection of appends, that nothing else waits for. Tells whether nothing came of a failure. */
  askApart<R extends pg.QueryResultRow>(question: pg.QueryConfig): Promise<DatabaseAnswer<R>>;
  /** A connection of its own, not connected yet: its caller connects, listens for `error` and ends it. */
  client(): pg.Client;
  /** Asked of each connection that is opened from now on, before anything else; what it throws closes that connection. */
  onConnect(look: (ask: AskDatabase) => Promise<void>): void;
  /** What nodes say to each other; heard over one session of its own, opened when something is listened for. */
  readonly channels: Channels;
  /** Why it cannot be asked at present; undefined when the last question was answered. */
  away(): Sentence | undefined;
  /** Of those that questions share: how many are in use, and how many questions wait for one. */
  connections(): { used: number; max: number; waiting: number };
  close(): Promise<void>;
};

/** What became of a question. `unknown`: it was sent, and what came of it cannot be told from here. */
export type DatabaseAnswer<R> =
  | { rows: R[] }
  | { error: EventStoreError; outcome: 'nothing' }
  | { error: EventStoreError; outcome: 'unknown' };

export type PostgresOptions = {
  /** `postgres://user:password@host:port/database`, or `postgres:///database?host=/run/postgresql`. */
  url: string;
  /** Connections that questions share; three more stay open: of appends, of what is heard, of what is held. */
  connectionsMax?: number;
  /** Whether all are opened at once and kept, as those of a node: else each when it is needed. */
  keepsAll?: boolean;
  /** After so many milliseconds without an answer a connection is taken for gone. For tests. */
  answerMs?: number;
  /** How long the server and this process believe in a session that is silent, in milliseconds. Default 10,000. */
  leaseMs?: number;
  /** Whether tables are made where there are none. Default true. */
  makesTables?: boolean;
  /** Called with what goes wrong outside of a call, and what is not as it should be. */
  report?: (message: string, error?: unknown) => void;
};

/** How much later than a question may take it is taken for gone. */
const silenceMs = 5_000;
/** Questions that wait for a connection, and for how long, in milliseconds. */
const waitingMax = 10_000;
const waitingMs = 10_000;
/** How long a connection may take, or the wait for one that is free, in milliseconds. */
const connectMs = 5_000;
const idleMs = 60_000;
/** Beside those that questions share. */
const connectionsBeside = 3;
/** Between looks whether one of our own is free, when the server has no more, in milliseconds. */
const ownPauses = { first: 20, max: 250 };
/** Between looks whether a server that is starting takes connections, and how long that may last, in milliseconds. */
const startPauses = { first: 100, max: 2_000 };
const startMs = 60_000;
const leaseMsDefault = 10_000;

/**
 * Opens a database, makes our tables in it when there are none, and looks whether it is fit.
 * @throws {DatabaseUnfit} with a sentence for the person who set it up
 */
export async function openPostgres(options: PostgresOptions): Promise<Postgres> {
  const { connectionsMax = 6, leaseMs = leaseMsDefault, report = () => {} } = options;
  const needed = options.keepsAll ? connectionsMax + connectionsBeside : 0;
  const config = configOf(options);
  const client = (): pg.Client => new pg.Client(config);
  const where = whereOf(client);
  const unreachable = dataFailure('database-away', { database: where });
  let away: Sentence | undefined;
  const noted = (error: unknown): EventStoreError => {
    const failure = failureOf(error, where);
    if (isAway(error)) away = failure.sentence ?? unreachable;
    return failure;
  };
  const pools = poolsOf(config, (error) => report(`database connection ended: ${where}`, error));
  const shared = pools.open(connectionsMax, prepareSession);
  const apart = pools.open(1, prepareAppending);
  const inLine = lineOf(connectionsMax, where);
  const closing = new AbortController();
  const close = async (): Promise<void> => {
    closing.abort(new EventStoreError('CLOSED', `The database ${where} is closed here.`));
    await Promise.all([shared.end(), apart.end()]);
  };
  const patiently = <T>(work: () => Promise<T>): Promise<T> => untilOwnIsFree(work, closing.signal);
  try {
    await untilStarted(() => assertFit(client, where, report, needed), closing.signal, report);
    const logId = await prepareSchema(client, where, { makes: options.makesTables ?? true });
    const asking = {
      logId,
      where,
      client,
      ask: <R extends pg.QueryResultRow>(question: pg.QueryConfig) =>
        inLine(async () => {
          try {
            const { rows } = await patiently(() => shared.query<R>(question));
            away = undefined;
            return rows;
          } catch (error) {
            throw noted(error);
          }
        }),
    };
    if (needed > 0) await Promise.all([openAll(shared, where), openAll(apart, where)]);
    const channels = openChannels(asking, { leaseMs, report, onSilent: pools.cut });
    return {
      ...asking,
      channels,
      onConnect: pools.onConnect,
      away: () => away,
      connections: () => ({
        used: shared.totalCount - shared.idleCount,
        max: connectionsMax,
        waiting: shared.waitingCount,
      }),
      close: once(() => channels.close().then(close)),
      async askApart<R extends pg.QueryResultRow>(question: pg.QueryConfig) {
        const connect = () => patiently(() => apart.connect());
        const answer = await askOnce<R>(connect, question, where);
        away =
          'rows' in answer || !isAway(answer.error.cause)
            ? undefined
            : (answer.error.sentence ?? unreachable);
        return answer;
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

const configOf = ({
  url,
  answerMs = statementMs + silenceMs,
  keepsAll = false,
}: PostgresOptions): pg.PoolConfig => ({
  connectionString: url,
  fallback_application_name: 'mitschrift',
  connectionTimeoutMillis: connectMs,
  query_timeout: answerMs,
  keepAlive: true,
  keepAliveInitialDelayMillis: leaseMsDefault,
  idleTimeoutMillis: keepsAll ? 0 : idleMs,
});

/**
 * A server that is starting, or recovers after a crash, takes no connections and says so: it is waited for.
 * @throws what `work` throws, that too after a minute
 */
const untilStarted = (
  work: () => Promise<void>,
  signal: AbortSignal,
  report: (message: string, error: unknown) => void,
): Promise<void> =>
  retry(work, {
    pauses: startPauses,
    signal,
    isTransient: (error) => error instanceof DatabaseUnfit && hasCode(error.cause, isStarting),
    limitMs: () => startMs,
    onRetry: (error) => report('database is starting; trying again', error),
  });

/** PostgreSQL's code while it starts, recovers or stops. */
const isStarting = '57P03';

/** @param onEnded called with why a connection ended that nobody used: its pool has dropped it already */
function poolsOf(config: pg.PoolConfig, onEnded: (error: Error) => void) {
  const connected = new Set<pg.PoolClient>();
  let look: Parameters<Postgres['onConnect']>[0] = async () => {};
  return {
    onConnect: (wanted: typeof look) => void (look = wanted),
    open(max: number, prepare: typeof prepareSession): pg.Pool {
      const onConnect = async (client: pg.ClientBase): Promise<void> => {
        await prepare(client);
        await look(async (question) => (await client.query(question)).rows);
      };
      // oxlint-disable-next-line typescript/no-misused-promises -- pg-pool waits for it; its types do not say so
      const pool = new pg.Pool({ ...config, max, onConnect });
      pool.on('connect', (one) => void connected.add(one));
      pool.on('remove', (one) => void connected.delete(one));
      pool.on('error', (error: Error & { client?: unknown }) => {
        // All that it was connected with is no line for the log.
        delete error.client;
        onEnded(error);
      });
      return pool;
    },
    /** Of all: what waits for an answer would else wait for as long as a question may take. */
    cut(): void {
      for (const { connection } of connected) connection.stream.destroy();
    },
  };
}

/**
 * Connects a pool as often as it may, so that no other takes what it needs at its next peak.
 * @throws {DatabaseUnfit} the server has not so many
 */
async function openAll(pool: pg.Pool, where: string): Promise<void> {
  const { max } = pool.options;
  const opening = await Promise.allSettled(Array.from({ length: max }, () => pool.connect()));
  for (const opened of opening) if (opened.status === 'fulfilled') opened.value.release();
  for (const opened of opening)
    if (opened.status === 'rejected') throw unfit(opened.reason, where) as Error;
}

/**
 * A pool opens another connection where it has none that is free. A server that has no more says so; then one of its own is
 * waited for, as long as one may take, instead of failing what could be done.
 */
const untilOwnIsFree = <T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> =>
  retry(work, {
    pauses: ownPauses,
    signal,
    isTransient: (error) => hasCode(error, tooManyConnections),
    limitMs: () => waitingMs,
  });

/**
 * The pool's own queue gives up after the time a connection may take, however many are in front.
 * @throws {EventStoreError} `BUSY` (nothing was asked) when too many wait, or one did for too long
 */
function lineOf(atOnceMax: number, where: string): Limited {
  const inTurn = limited(atOnceMax, waitingMax);
  const busy = (cause?: unknown): EventStoreError => {
    const message = `Too many questions wait for the database ${where}.`;
    return new EventStoreError('BUSY', message, { cause });
  };
  return async (work) => {
    const since = performance.now();
    try {
      return await inTurn(async () => {
        if (performance.now() - since > waitingMs) throw busy();
        return await work();
      });
    } catch (error) {
      throw error instanceof Busy ? busy(error) : error;
    }
  };
}

async function askOnce<R extends pg.QueryResultRow>(
  connect: () => Promise<pg.PoolClient>,
  question: pg.QueryConfig,
  where: string,
): Promise<DatabaseAnswer<R>> {
  let client: pg.PoolClient;
  try {
    client = await connect();
  } catch (error) {
    return { error: failureOf(error, where), outcome: 'nothing' };
  }
  try {
    const { rows } = await client.query<R>(question);
    client.release();
    return { rows };
  } catch (error) {
    // A server that says so and goes on with the session has ended the statement, and undone it; one that is silent is not asked.
    const goesOn =
      error instanceof pg.DatabaseError &&
      (await client.query('select 1').then(
        () => true,
        () => false,
      ));
    client.release(!goesOn);
    return { error: failureOf(error, where), outcome: goesOn ? 'nothing' : 'unknown' };
  }
}

/** @throws {DatabaseUnfit} for what is no URL */
function whereOf(client: () => pg.Client): string {
  try {
    const { host, port, database } = client();
    const name = database ?? '';
    return host.startsWith('/')
      ? `postgres:///${name}?host=${host}`
      : `postgres://${host}:${port}/${name}`;
  } catch {
    // What is wrong with it would quote it, and it has a password.
    throw new DatabaseUnfit('malformed', check('database-url-wrong'));
  }
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => (done ??= work());
}
