import pg from 'pg';
import { EventStoreError } from '../../../events/store.ts';
import { codeOf } from '../../shared/errors.ts';
import { DatabaseUnfit, assertFit } from './fitness.ts';
import { anotherLog, prepareSchema } from './schema.ts';

/** One PostgreSQL database, as the adapters of this folder share it. */
export type Postgres = {
  /** The id of the log it holds, a ULID made with it. */
  readonly logId: string;
  /** Host, port and database, for people; never the user or the password. */
  readonly where: string;
  /**
   * Asks over one of a few connections.
   * @throws {EventStoreError} `BUSY` while it is away, `DISK_FULL`, `DAMAGED`
   */
  ask<R extends pg.QueryResultRow>(question: pg.QueryConfig): Promise<R[]>;
  /** As `ask`, once, over a connection that nothing else waits for. Tells whether nothing came of a failure. */
  askApart<R extends pg.QueryResultRow>(question: pg.QueryConfig): Promise<DatabaseAnswer<R>>;
  /** A connection of its own, not connected yet: its caller connects, listens for `error` and ends it. */
  client(): pg.Client;
  /** Why it cannot be asked at present; undefined when the last question was answered. */
  away(): string | undefined;
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
  /** Connections that questions share; three more stay open. */
  connectionsMax?: number;
  /** Called with what goes wrong outside of a call, and what is not as it should be. */
  report?: (message: string, error?: unknown) => void;
};

/** How long the database may take over one question before it gives up, in milliseconds. */
const statementMs = 30_000;
/** How much later it is taken for gone. */
const silenceMs = 5_000;
/** How long a connection may take, or the wait for one that is free, in milliseconds. */
const connectMs = 5_000;
const idleMs = 60_000;

/**
 * Of every session. What was acknowledged is on the disk, whatever the server's own setting says; short questions
 * are not compiled, which took a hundred times as long as asking them.
 */
const sessionSettings = `
  set search_path = mitschrift;
  set client_min_messages = warning;
  set jit = off;
  set statement_timeout = ${statementMs};
  set idle_in_transaction_session_timeout = ${statementMs};
  select set_config('synchronous_commit', 'on', false)
    where current_setting('synchronous_commit') = 'off'`;

/**
 * Opens a database, makes our tables in it when there are none, and looks whether it is fit.
 * @throws {DatabaseUnfit} with a sentence for the person who set it up
 */
export async function openPostgres(options: PostgresOptions): Promise<Postgres> {
  const { url, connectionsMax = 6, report = () => {} } = options;
  const config: pg.PoolConfig = {
    connectionString: url,
    fallback_application_name: 'mitschrift',
    connectionTimeoutMillis: connectMs,
    query_timeout: statementMs + silenceMs,
    keepAlive: true,
    idleTimeoutMillis: idleMs,
    // oxlint-disable-next-line typescript/no-misused-promises -- pg-pool waits for it; its types do not say so
    onConnect: prepareSession,
  };
  const client = (): pg.Client => new pg.Client(config);
  const where = whereOf(client);
  let away: string | undefined;
  const noted = (error: unknown): EventStoreError => {
    const failure = failureOf(error, where);
    if (isAway(error)) away = failure.message;
    return failure;
  };
  const open = (max: number): pg.Pool => {
    const pool = new pg.Pool({ ...config, max });
    // Of a connection that nobody uses: the pool has dropped it already.
    pool.on('error', (error) => report(`A connection to ${where} ended.`, error));
    return pool;
  };
  const shared = open(connectionsMax);
  const apart = open(1);
  const close = async (): Promise<void> => {
    await Promise.all([shared.end(), apart.end()]);
  };
  try {
    await assertFit(client, where, report);
    const logId = await prepareSchema(client, where);
    return {
      logId,
      where,
      client,
      away: () => away,
      close: once(close),
      async ask<R extends pg.QueryResultRow>(question: pg.QueryConfig) {
        try {
          const { rows } = await shared.query<R>(question);
          away = undefined;
          return rows;
        } catch (error) {
          throw noted(error);
        }
      },
      async askApart<R extends pg.QueryResultRow>(question: pg.QueryConfig) {
        const answer = await askOnce<R>(apart, question, where);
        away = 'rows' in answer || !isAway(answer.error.cause) ? undefined : answer.error.message;
        return answer;
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Settings of a session that was just opened. */
export const prepareSession = async (client: pg.ClientBase): Promise<void> => {
  // Its questions fail with it; between two of them nothing else hears of it, and Node would end the process.
  client.on('error', () => {});
  await client.query(sessionSettings);
};

/**
 * What a failed question means for those who ask the log.
 * @throws what is a defect of ours
 */
export function failureOf(error: unknown, where: string): EventStoreError {
  const code = codeOf(error) ?? '';
  if (code === '53100') {
    const message = `The disk of the database ${where} is full: nothing new is taken.`;
    return new EventStoreError('DISK_FULL', message, { cause: error });
  }
  if (code === 'XX001' || code === 'XX002') {
    const message = `The database ${where} has damaged tables (${code}).`;
    return new EventStoreError('DAMAGED', message, { cause: error });
  }
  if (code === anotherLog) {
    const message = `The database ${where} holds another log than at the start. Start again.`;
    return new EventStoreError('DAMAGED', message, { cause: error });
  }
  if (!isAway(error)) throw error;
  const message = `The database ${where} cannot be asked now (${code || 'no answer'}).`;
  return new EventStoreError('BUSY', message, { cause: error });
}

/**
 * Whether the same may succeed once the database is there again. Class 08: connection, 28: who may log in,
 * 3D: no such database, 40: another transaction, 53: no more connections or memory, 55: locks, 57: it was
 * ended or took too long, 58: its disk; 25006: a standby.
 */
function isAway(error: unknown): boolean {
  const code = codeOf(error);
  if (code === undefined) return error instanceof Error && clientFailures.test(error.message);
  if (/^E[A-Z_]+$/.test(code)) return true;
  return /^(08|28|3D|40|53|55|57|58)/.test(code) || code === '25006';
}

/** What `pg` says without a code. */
const clientFailures =
  /^(Connection terminated|Query read timeout|timeout exceeded|timeout expired|Client (has encountered|was closed)|The server does not support SSL)/;

async function askOnce<R extends pg.QueryResultRow>(
  pool: pg.Pool,
  question: pg.QueryConfig,
  where: string,
): Promise<DatabaseAnswer<R>> {
  let client: pg.PoolClient;
  try {
    client = await pool.connect();
  } catch (error) {
    return { error: failureOf(error, where), outcome: 'nothing' };
  }
  try {
    const { rows } = await client.query<R>(question);
    client.release();
    return { rows };
  } catch (error) {
    // A server that goes on with the session has ended the statement, and undone it.
    const goesOn = await client.query('select 1').then(
      () => true,
      () => false,
    );
    client.release(!goesOn);
    return { error: failureOf(error, where), outcome: goesOn ? 'nothing' : 'unknown' };
  }
}

/** @throws {DatabaseUnfit} for what is no URL */
function whereOf(client: () => pg.Client): string {
  try {
    const { host, port, database } = client();
    return `${database ?? ''} at ${host.startsWith('/') ? host : `${host}:${port}`}`;
  } catch {
    // What is wrong with it would quote it, and it has a password.
    const message =
      'The database URL cannot be read. It is postgres://user:password@host:port/database.';
    throw new DatabaseUnfit('malformed', message);
  }
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => (done ??= work());
}
