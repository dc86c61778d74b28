/** Holds a name until it is lost: `lock-holder-process.js URL LEASE_MS NAME`. Says `held`, then `lost`. */
import { openPostgres } from '../../src/storage/postgres/connection.ts';
import { postgresOwnership } from '../../src/storage/postgres/ownership.ts';

const [url, leaseMs, name] = process.argv.slice(2) as [string, string, string];
const db = await openPostgres({ url });
const held = await postgresOwnership(db, { leaseMs: Number(leaseMs) }).claim(
  name,
  new AbortController().signal,
);
held!.lost.addEventListener('abort', () => {
  console.log('lost');
  process.exit();
});
console.log('held');
