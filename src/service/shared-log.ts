import { sealedSetupCodes } from '../accounts/setup-code.ts';
import { detail } from '../words/details.ts';
import { openSecretStore } from '../config/secret-store.ts';
import type { Projection, ProjectionStorage } from '../../projections/runner/projection.ts';
import { startSharedProjections } from '../../projections/runner/shared-runner.ts';
import { type Guarded, type OpenedLog, rowsReports, takeInKeys } from './event-log.ts';
import { type Backups, BackupRefused } from '../integrity/backups.ts';
import { type Scrub, startScrub } from '../integrity/scrub.ts';
import { takeOverDefaults } from '../recordings/control/take-over.ts';
import type { ClusterSettings } from '../shared/cluster-settings.ts';
import { type DataFolder, prepare } from '../shared/data-directory.ts';
import type { Log } from '../shared/log.ts';
import { blobsPlace, whereOf } from '../storage/blobs/blobs-url.ts';
import { keepCollecting } from '../storage/blobs/collect.ts';
import { followErasures } from '../storage/blobs/follow-erasures.ts';
import { openNodeFiles } from '../storage/blobs/node-files.ts';
import { promisedNames } from '../storage/blobs/promised-names.ts';
import { openByOne } from '../storage/by-one.ts';
import { joinCluster } from '../storage/cluster-member.ts';
import { passageRows } from '../storage/passage-rows.ts';
import { pendingJobs } from '../storage/pending-jobs.ts';
import { type Postgres, openPostgres } from '../storage/postgres/connection.ts';
import { generationOf } from '../storage/postgres/generation.ts';
import { postgresKept } from '../storage/postgres/kept.ts';
import { postgresNotices } from '../storage/postgres/notices.ts';
import { keepRemovingOldRows } from '../storage/postgres/old-rows.ts';
import { postgresOwnership } from '../storage/postgres/ownership.ts';
import { openPostgresLog } from '../storage/postgres/postgres-log.ts';
import { postgresPassageCells } from '../storage/postgres/passage-cells.ts';
import { postgresProjectionStorage } from '../storage/postgres/projection-storage.ts';
import { postgresProjectorChannel } from '../storage/postgres/projector-channel.ts';
import { postgresPuts } from '../storage/postgres/puts.ts';
import { sealedRows } from '../storage/sealed-rows.ts';
import { keyOfNodes, openSealedTexts } from '../storage/sealed-texts.ts';

/** After so many leases every node that is alive has its session again. */
const leasesToComeBack = 3;
/** So long a recording waits at most whose node died and said nothing, in milliseconds. */
const lookMs = 500;

export type SharedLogOptions = {
  data: DataFolder;
  cluster: ClusterSettings;
  log: Log;
  /** How long what a node holds stays its own after it was last heard of, in milliseconds. */
  leaseMs: number;
  projections: readonly Projection[];
};

/**
 * Opens the log that the nodes of a cluster have in PostgreSQL, with their keys and files in what they share.
 * @throws {DatabaseUnfit}, {ConfigError} `MASTER_KEY_DIFFERS`: with a sentence for the person who set it up
 */
export async function openSharedLog(options: SharedLogOptions): Promise<OpenedLog> {
  const { data, cluster, log, leaseMs, projections } = options;
  await prepare(data);
  const report = (message: string, error?: unknown): void => log.warn({ err: error }, message);
  const db = await openPostgres({ url: cluster.databaseUrl, leaseMs, report, keepsAll: true });
  const ownership = postgresOwnership(db, { leaseMs });
  const closing: (() => Promise<unknown>)[] = [() => db.close(), () => ownership.close()];
  try {
    const puts = postgresPuts(db);
    const files = await openNodeFiles({
      url: cluster.blobsUrl,
      logId: db.logId,
      ownership,
      data,
      beforePut: puts.note,
    });
    closing.push(() => files.blobs.close());
    const member = await joinCluster({ cluster, db, ownership, blobs: files.blobs, log });
    closing.push(() => member.leave());
    const { blobs, keys, audio, unfinished } = files;
    const store = openPostgresLog({ db, keys });
    closing.push(() => store.close());
    const kept = postgresKept(db, keyOfNodes(cluster.masterKey, db, 'login attempts'));
    const texts = await openSealedTexts(kept, db, cluster.masterKey);
    const notices = postgresNotices(db, report);
    closing.push(() => notices.close());
    closing.push(followErasures(store, files, log));
    const rows = openNodeRows({ db, ownership, store, keys, log, leaseMs, projections, report });
    closing.push(() => rows.stop());
    const { storage } = rows;
    const byOne = openByOne(kept, ownership);
    closing.push(keepCollecting({ blobs, puts, store, storage, ownership, byOne }, log));
    return {
      keys,
      store,
      kept,
      jobs: pendingJobs(kept),
      ownership,
      byOne,
      openSecrets: () => openSecretStore(texts),
      setupCodes: sealedSetupCodes(texts),
      notices,
      rows: rowsOf(storage),
      passages: passageRows(postgresPassageCells(db), keys),
      audio,
      names: promisedNames(files.blobs),
      cluster: member,
      outdated: store.outdated,
      blobs,
      unfinished,
      standing: standingOf(cluster, { sharesFolders: blobs.pathOf('uploads') !== null }),
      keepRows: rows.keep,
      guard: (deps) => guard({ store, keys, data, log, blobs }, deps, cluster, db),
      leftFolders: [],
      removeOldRows: async () => false,
      close: () => inTurn(closing),
    };
  } catch (error) {
    await inTurn(closing);
    throw error;
  }
}

/** What a node may do beside others, by its role. */
const standingOf = (
  { role, workSlots }: SharedLogOptions['cluster'],
  folders: { sharesFolders: boolean },
): OpenedLog['standing'] => ({
  ...folders,
  recordsDevices: false,
  notHere: ['notes.vault'],
  worksOnAudio: role !== 'serve',
  serves: role !== 'work',
  takeOver: { ...takeOverDefaults, slots: role === 'serve' ? 0 : workSlots, pollMs: lookMs },
});

/** The rows of this release, which one of its nodes keeps up. */
function openNodeRows(
  parts: Pick<OpenedLog, 'ownership' | 'store' | 'keys'> & {
    db: Postgres;
    log: Log;
    leaseMs: number;
    projections: readonly Projection[];
    report(message: string, error?: unknown): void;
  },
): { storage: ProjectionStorage; keep: OpenedLog['keepRows']; stop(): Promise<void> } {
  const { db, ownership, store, keys, log, leaseMs, projections, report } = parts;
  const generation = generationOf(projections);
  const opened = ({ fenced }: { fenced: boolean }): ProjectionStorage =>
    sealedRows(postgresProjectionStorage(db, { generation, fenced }), {
      keys,
      projections,
      report: (problem) => log.error(problem, 'projection rows cannot be read'),
    });
  const everyMs = leasesToComeBack * leaseMs;
  const oldRows = keepRemovingOldRows({
    db,
    ownership,
    generation,
    everyMs,
    onRemoved: (places) => log.info({ places }, 'projection rows of another version removed'),
    onFailure: (err) =>
      log.warn({ err }, 'projection rows of another version could not be removed; trying again'),
  });
  return {
    storage: opened({ fenced: false }),
    keep: () =>
      startSharedProjections({
        ...rowsReports(log),
        store,
        projections,
        ownership,
        name: generation.projector,
        channel: postgresProjectorChannel(db, generation.channel, report),
        storage: () => opened({ fenced: true }),
        before: (rows) => takeInKeys(store, rows, log),
        onProjector: (is) => {
          log.info(
            is
              ? 'this node now keeps the projections up to date'
              : 'another node keeps the projections up to date',
          );
          oldRows.projects(is);
        },
        onFailure: (err) =>
          log.warn({ err }, 'this node cannot update the projections at the moment'),
      }),
    stop: oldRows.stop,
  };
}

/** The last that was opened first. */
async function inTurn(closing: (() => Promise<unknown>)[]): Promise<void> {
  for (const close of closing.toReversed()) await close();
}

/** Rows that cannot be written for want of room show in the log's health: it is the same database. */
const rowsOf = (storage: OpenedLog['rows']['storage']): OpenedLog['rows'] => ({
  storage,
  withRoom: async () => {},
  full: () => undefined,
  close: async () => {},
});

/**
 * The database checks its own pages, and copies itself: here only what a person asks for is looked through.
 */
async function guard(
  kept: Pick<OpenedLog, 'store' | 'keys' | 'blobs'> & { data: DataFolder; log: Log },
  { notTakenUp }: Guarded,
  { blobsUrl }: ClusterSettings,
  { where }: Postgres,
): Promise<{ scrub: Scrub; backups: Backups }> {
  const scrub = await startScrub({ ...kept, notTakenUp, manual: true });
  const refuse = async (): Promise<never> => {
    throw new BackupRefused(
      'BACKUP_PLACE',
      detail('backup-by-database', { database: where, files: whereOf(blobsPlace(blobsUrl)) }),
    );
  };
  return {
    scrub,
    backups: {
      make: refuse,
      begin: refuse,
      cancel: async () => {},
      now: async () => null,
      onChange: () => () => {},
      close: async () => {},
    },
  };
}
