import { type Migrated, migrateFromCluster, migrateToCluster } from '../integrity/migrate.ts';
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
    console.error('Choose a direction: --from DIR into the database, or --to DIR out of it.');
    process.exitCode = 2;
    return;
  }
  const { cluster } = hostFrom(process.env);
  if (cluster === null)
    throw new Error(
      'Set MITSCHRIFT_DATABASE_URL, MITSCHRIFT_BLOBS_URL and MITSCHRIFT_MASTER_KEY first.',
    );
  const say = (text: string) => console.error(text);
  const migrated =
    from === undefined
      ? await migrateFromCluster(cluster, dataFolder(to!), say)
      : await migrateToCluster(dataFolder(from), cluster, say);
  if (json) console.log(JSON.stringify(migrated));
  else printMigrated(migrated);
}

function printMigrated({ facts, files, secrets }: Migrated): void {
  const keys = secrets === 0 ? '' : `, ${secrets} API keys`;
  console.log(
    `${facts} events, ${files.copied} files copied, ${files.present} already there${keys}. Everyone must log in again.`,
  );
  if (files.left > 0)
    console.log(`${files.left} files were not copied because a bucket can’t store them.`);
}
