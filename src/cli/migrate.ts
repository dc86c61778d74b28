import { migrateFromCluster, migrateToCluster } from '../integrity/migrate.ts';
import { dataFolder, hostFrom } from '../shared/data-directory.ts';

/**
 * `mitschrift migrate --from DIR`: a data directory into the database and the blobs of the environment;
 * `--to DIR`: the way back. Called again it goes on.
 */
export async function migrate(options: {
  from?: string | undefined;
  to?: string | undefined;
  json: boolean;
}): Promise<void> {
  const { from, to, json } = options;
  if ((from === undefined) === (to === undefined)) {
    console.error('Say which way: --from DIR into the database, or --to DIR out of it.');
    process.exitCode = 2;
    return;
  }
  const { cluster } = hostFrom(process.env);
  if (cluster === null)
    throw new Error(
      'The database is not named: set MITSCHRIFT_DATABASE_URL, MITSCHRIFT_BLOBS_URL and MITSCHRIFT_MASTER_KEY.',
    );
  const say = (text: string) => console.error(text);
  const migrated =
    from === undefined
      ? await migrateFromCluster(cluster, dataFolder(to!), say)
      : await migrateToCluster(dataFolder(from), cluster, say);
  if (json) console.log(JSON.stringify(migrated));
  else
    console.log(
      `${migrated.facts} facts, ${migrated.files.copied} files copied, ${migrated.files.present} already there. ` +
        'People log in again; API keys of servers are set again in the settings.',
    );
}
