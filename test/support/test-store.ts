import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { after } from 'node:test';
import { pathToFileURL } from 'node:url';
import { type Cluster, ask, postgresCluster } from './postgres.ts';

/** Whether whole services of the tests are nodes on PostgreSQL (`MITSCHRIFT_TEST_STORE=postgres`), and not alone on LevelDB. */
export const onPostgres = process.env['MITSCHRIFT_TEST_STORE'] === 'postgres';

const nodeName = 'node';

const ends: (() => unknown)[] = [];
after(async () => {
  for (const end of ends.toReversed()) await end();
});

/** One server a file; a database for each data directory. */
let cluster: Promise<Cluster> | undefined;
const databases = new Map<string, Promise<string>>();

/**
 * What a service with this data directory is started with. On PostgreSQL the directory is what nodes share, and a
 * service that is started on it again finds the same database.
 */
export async function storeVariables(dataDir: string): Promise<Record<string, string>> {
  return onPostgres ? await nodeVariables(dataDir) : { MITSCHRIFT_DATA: dataDir };
}

/** Where a service that `storeVariables` starts keeps what is its machine's alone, such as models. */
export const machineFolder = (dataDir: string): string =>
  onPostgres ? join(dataDir, nodeName) : dataDir;

/** The server of this file's nodes. @param options count when it is asked for first */
export const serverOfNodes = (
  options: Parameters<typeof postgresCluster>[1] = {},
): Promise<Cluster> =>
  (cluster ??= postgresCluster({ after: (end) => void ends.push(end) }, options));

/** As `storeVariables` on PostgreSQL. @param node a name: each has a folder of its own */
export async function nodeVariables(
  dataDir: string,
  node = nodeName,
): Promise<Record<string, string>> {
  const { url } = await serverOfNodes();
  const name = `t${createHash('sha256').update(dataDir).digest('hex').slice(0, 20)}`;
  const made = databases.get(name) ?? ask(url, `create database ${name}`).then(() => name);
  databases.set(name, made);
  return {
    MITSCHRIFT_DATA: join(dataDir, node),
    MITSCHRIFT_DATABASE_URL: url.replace(/[^/]*$/, await made),
    MITSCHRIFT_BLOBS_URL: pathToFileURL(dataDir).href,
    MITSCHRIFT_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  };
}
