import type pg from 'pg';

/** How long the database may take over one question before it gives up, in milliseconds. */
export const statementMs = 30_000;

/**
 * Of every session. What was acknowledged is on the disk, whatever the server's own setting says; who waited for
 * a lock sees what was committed meanwhile, else it is refused; short questions are not compiled, which took a hundred
 * times as long as asking them.
 */
const sessionSettings = `
  set search_path = mitschrift;
  set client_min_messages = warning;
  set default_transaction_isolation = 'read committed';
  set jit = off;
  set statement_timeout = ${statementMs};
  set idle_in_transaction_session_timeout = ${statementMs};
  select set_config('synchronous_commit', 'on', false)
    where current_setting('synchronous_commit') = 'off'`;

/**
 * Of the session that appends. Each of its statements is planned once, for its indexes however small the table was then: to
 * plan each call took a quarter of an append, and to set this with each call a fifth.
 */
const appendSettings = `
  set enable_seqscan = off;
  set plan_cache_mode = force_generic_plan`;

/** The same of the session that appends. */
export const prepareAppending = async (client: pg.ClientBase): Promise<void> => {
  await prepareSession(client);
  await client.query(appendSettings);
};

/** Settings of a session that was just opened. */
export const prepareSession = async (client: pg.ClientBase): Promise<void> => {
  // Its questions fail with it; between two of them nothing else hears of it, and Node would end the process.
  client.on('error', () => {});
  await client.query(sessionSettings);
};
