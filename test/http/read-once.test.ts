import assert from 'node:assert/strict';
import { realpath } from 'node:fs/promises';
import { test } from 'node:test';
import { type TestService, connect, startService } from '../support/http-client.ts';
import { ask } from '../support/postgres.ts';
import { tempDir } from '../support/temp-dir.ts';
import { nodeVariables, serverOfNodes } from '../support/test-store.ts';

/** So many recordings are made for each figure. */
const recordings = 6;
/** One that keeps up the rows reads a second time what came while it began to. */
const slack = 0.5;

test('each node reads each fact once, however many listen at it', async (t) => {
  await serverOfNodes({ counts: true });
  const dataDir = await realpath(await tempDir(t));
  const working = await startService(t, { dataDir, node: { name: 'working', role: 'all' } });
  const token = await working.setUp();
  const { MITSCHRIFT_DATABASE_URL: url = '' } = await nodeVariables(dataDir);
  await ask(url, 'create extension pg_stat_statements');
  const read: Record<number, number> = {};
  for (const idle of [0, 2, 4]) {
    const names = Array.from({ length: idle === 0 ? 0 : 2 }, (_, one) => `idle-${idle}-${one}`);
    const nodes = await Promise.all(
      names.map((name) => startService(t, { dataDir, node: { name, role: 'serve' } })),
    );
    // Somebody follows at each.
    for (const node of idle === 0 ? [working] : nodes) {
      const client = connect(node.url, token);
      t.after(client.close);
      await client.until(({ type }) => type === 'status');
    }
    read[idle] = await rowsAFact(url, working, token);
  }
  t.diagnostic(
    `rows of facts read a fact, by position, with 0, 2, 4 idle nodes: ${Object.values(read).join(', ')}`,
  );
  for (const [idle, rows] of Object.entries(read))
    assert.ok(rows <= Number(idle) + 1 + slack, `${rows} rows a fact with ${idle} idle nodes`);
});

async function rowsAFact(url: string, working: TestService, token: string): Promise<number> {
  await ask(url, 'select pg_stat_statements_reset()');
  const before = await working.store.head();
  for (let count = 0; count < recordings; count += 1) await working.settled(token);
  const facts = (await working.store.head()) - before;
  const [row] = await ask<{ rows: number }>(url, rowsByPosition);
  return row!.rows / facts;
}

const rowsByPosition = `
  select coalesce(sum(rows), 0)::float8 as rows from pg_stat_statements
    where query like '%from facts%' and query like '%order by position%'`;
