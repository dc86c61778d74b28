import { hostFrom } from '../shared/data-directory.ts';
import { localTime } from '../shared/time.ts';
import type { ClusterNode } from '../storage/cluster.ts';
import { openPostgres } from '../storage/postgres/connection.ts';
import { nodesAt } from '../storage/postgres/nodes.ts';

/**
 * `mitschrift nodes`: which nodes of the cluster are there, and what each holds since when. Asks the database, no
 * node. Exit code 1 when none is there.
 */
export async function nodesCommand({ json }: { json: boolean }): Promise<void> {
  const { cluster } = hostFrom(process.env);
  if (cluster === null)
    throw new Error(
      'No cluster is set up here: set MITSCHRIFT_DATABASE_URL, MITSCHRIFT_BLOBS_URL and MITSCHRIFT_MASTER_KEY as on its nodes.',
    );
  const db = await openPostgres({ url: cluster.databaseUrl, makesTables: false });
  try {
    const nodes = await nodesAt(db);
    if (json) console.log(JSON.stringify({ nodes }));
    else for (const line of nodes.flatMap(described)) console.log(line);
    if (nodes.some(({ there }) => there)) return;
    console.error('No node is running.');
    process.exitCode = 1;
  } finally {
    await db.close();
  }
}

function described(node: ClusterNode): string[] {
  const { host, process: number, role, slots, version, address, there } = node;
  const work = slots === 0 ? '' : `, ${slots} at a time`;
  const who = `${host} ${number}  ${role}${work}  ${address ?? 'not listening yet'}  ${version}`;
  const time = (at: string): string => localTime(new Date(at));
  if (!there) return [`✖ ${who}  stopped or unreachable, last seen at ${time(node.noted_at)}`];
  const held = node.holds.map(
    ({ name, since }) => `    ${name.replace(':', ' ')}  since ${time(since)}`,
  );
  const more = node.unnamed === 0 ? [] : [`    ${node.unnamed} more, not registered yet`];
  return [`✔ ${who}  since ${time(node.started_at)}`, ...held, ...more];
}
