import { readdir, rm } from 'node:fs/promises';
import type { EventLog } from '../../events/event-log.ts';
import type { KeyStore } from '../../events/key-store.ts';
import { openFileKeys } from '../../events/log/file-keys.ts';
import { type LevelLog, openLog } from '../../events/log/level-log.ts';
import { type Ownership, soleOwnership } from '../../events/ownership.ts';
import { correctedWords } from '../../projections/corrections.ts';
import { people } from '../../projections/people.ts';
import { rebuildRecording } from '../../projections/rebuild-recording.ts';
import { recordings } from '../../projections/recordings.ts';
import { served } from '../../projections/served.ts';
import type { ProjectionStorage } from '../../projections/runner/projection.ts';
import { type ProjectionRunner, startProjections } from '../../projections/runner/runner.ts';
import type { SharedProjectionsOptions } from '../../projections/runner/tenure.ts';
import { type Backups, backupTimes, openBackups } from '../integrity/backups.ts';
import { fileSetupCodes, type SetupCodes } from '../accounts/setup-code.ts';
import type { SettingKey } from '../config/schema.ts';
import { openSecretStore, type SecretStore } from '../config/secret-store.ts';
import { openSecretsFile } from '../config/secrets-file.ts';
import { type OpenMark, assertOwnLog, markOpen } from '../integrity/open-mark.ts';
import { type Scrub, startScrub, openingCheck, readScrubState } from '../integrity/scrub.ts';
import { harmedTables } from '../integrity/tables/tables.ts';
import { takeOverDefaults } from '../recordings/control/take-over.ts';
import { type DataFolder, prepare } from '../shared/data-directory.ts';
import type { Log } from '../shared/log.ts';
import type { AudioStore } from '../storage/audio/audio-store.ts';
import type { ClusterMember } from '../storage/cluster.ts';
import { type ByOne, openByOne } from '../storage/by-one.ts';
import { openDailyCounts } from '../storage/daily-counts.ts';
import { openAudioStore } from '../storage/audio/audio-store.ts';
import type { Blobs } from '../storage/blobs/blobs.ts';
import { blobsOfOneProcess } from '../storage/blobs/file-blobs.ts';
import type { PromisedNames } from '../storage/blobs/promised-names.ts';
import { isNoSpace, removeReserve } from '../storage/disk.ts';
import type { Kept } from '../storage/kept.ts';
import { levelKept, levelPassageCells } from '../storage/level-rows.ts';
import { type Notices, noNotices } from '../storage/notices.ts';
import {
  type LevelRows,
  type RowsStorage,
  openRows,
  removePlainRows,
} from '../storage/open-rows.ts';
import { type PassageRows, passageRows } from '../storage/passage-rows.ts';
import { type PendingJobs, pendingJobs } from '../storage/pending-jobs.ts';
import { forEachKeyThatCameBack } from '../storage/sealed-rows.ts';
import { folderUploads } from '../storage/uploads/folder-uploads.ts';
import type { UnfinishedUploads } from '../storage/uploads/unfinished-uploads.ts';

/** The event log with its keys, and what lies beside it. */
export type LogParts = {
  keys: KeyStore;
  store: EventLog;
  kept: Kept;
  jobs: PendingJobs;
  /** Who acts for a recording, among all processes that have the log open. */
  ownership: Ownership;
  byOne: ByOne;
  /** Keys of servers. */
  openSecrets(): Promise<SecretStore>;
  setupCodes: SetupCodes;
  /** What nodes tell each other beside the log. */
  notices: Notices;
  close(): Promise<void>;
};

/** With the rows folded from it. */
export type OpenedLog = LogParts & {
  rows: RowsStorage;
  /** Passages of recordings, and what they mean. */
  passages: PassageRows;
  standing: Standing;
  /** This process among those that share the log; null: it is alone. */
  cluster: ClusterMember | null;
  /**
   * Aborts when the log is not any more what this process remembers of it, with a sentence for the operator as reason:
   * then all of it has to be opened again. Null: nothing but this process touches the log.
   */
  outdated: AbortSignal | null;
  /** Keeps the rows up to the log. */
  keepRows(): ProjectionRunner;
  /** What looks after all that is kept, and copies it. */
  guard(deps: Guarded): Promise<{ scrub: Scrub; backups: Backups }>;
  /** The files of recordings. */
  audio: AudioStore;
  /** Names of documents that other nodes have promised; null where there are none. */
  names: PromisedNames | null;
  /** Files of recordings, documents and keys, by name. */
  blobs: Blobs;
  /** Uploads that can be taken up again. */
  unfinished: UnfinishedUploads;
  /** Folders of recordings as the last process left them: none where other processes have the same folders. */
  leftFolders: readonly string[];
  /**
   * Removes what earlier releases keep beside the log, also when one has run again; nothing may be appended meanwhile.
   * @returns whether there was something @throws what the databases throw
   */
  removeOldRows(): Promise<boolean>;
};

/** What a process may do beside others that have the same log. */
export type Standing = {
  /** Whether sound devices of this host are recorded. */
  recordsDevices: boolean;
  /** Settings of one computer, which have no effect beside others. */
  notHere: readonly SettingKey[];
  /** Whether other processes write into the same folders: audio that is recorded, and what is received of uploads. */
  sharesFolders: boolean;
  /** Whether it works on audio and words; else it takes in what browsers send, and others work on it. */
  worksOnAudio: boolean;
  /** Whether it answers requests; else only that it lives, and its figures. */
  serves: boolean;
  /** For how many recordings it acts at once, and how often it looks for them. */
  takeOver: typeof takeOverDefaults;
};

export type Guarded = {
  /** Recordings that could not be taken up at the start, and why. */
  notTakenUp(): [recordingId: string, reason: string][];
  whileFilesStay<T>(work: () => Promise<T>): Promise<T>;
};

/**
 * Opens the event log of a data directory.
 * @throws {EventStoreError} `LOCKED` when another process has it, `DAMAGED`, `NEWER_LOG`.
 */
export async function openEventLog(data: DataFolder, log: Log): Promise<OpenedLog> {
  return await openOnce(data, log).catch(async (error: unknown) => {
    // On a full disk the reserve is what lets the service start, so that something can be deleted.
    if (!isNoSpace(error) || !(await removeReserve(data.root))) throw error;
    log.warn('disk is full; the reserved space was released');
    return await openOnce(data, log);
  });
}

async function openOnce(data: DataFolder, log: Log): Promise<OpenedLog> {
  await prepare(data);
  const mark = await markOpen(data);
  const store = await openLog({
    directory: data.log,
    keys: () => openFileKeys(data.keys, ({ message }) => log.error(message)),
    ...openingCheck(await readScrubState(data.root), mark),
    report: (message, error) => log.error({ err: error }, message),
  }).catch(async (error: unknown) => {
    await mark.failed(error);
    throw error;
  });
  try {
    await mark.opened();
    const rows = await openServedRows(data, store.keys, mark, log);
    await takeInKeys(store, rows.storage, log);
    const blobs = blobsOfOneProcess(data.shared);
    const parts = partsOf(store, data);
    return {
      ...parts,
      rows,
      passages: passageRows(levelPassageCells(rows.db), store.keys),
      standing: {
        recordsDevices: true,
        notHere: [],
        sharesFolders: false,
        worksOnAudio: true,
        serves: true,
        takeOver: takeOverDefaults,
      },
      keepRows: () =>
        startProjections({
          store,
          storage: rows.storage,
          projections: served,
          ...rowsReports(log),
        }),
      async guard({ notTakenUp, whileFilesStay }) {
        const all = { store, keys: store.keys, data, log };
        const scrub = await startScrub({ ...all, notTakenUp });
        const { stopping } = scrub;
        const how = { counted: openDailyCounts(parts.kept), times: backupTimes, stopping };
        return {
          scrub,
          backups: openBackups({ ...all, ...how, kept: parts.kept, whileFilesStay }),
        };
      },
      audio: openAudioStore({ blobs, derived: data.derived }),
      names: null,
      cluster: null,
      outdated: null,
      blobs,
      unfinished: folderUploads(data.resumable),
      leftFolders: await readdir(data.recordings),
      // LevelDB may end the process over a harmed table that it rewrites.
      removeOldRows: () =>
        removePlainRows(store, rows.db, async () => (await harmedTables(data.log)).length === 0),
      async close() {
        await rows.close();
        await store.close();
        await mark.closed();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/**
 * The log without a service and without rows: for a command of this host. Made where there is none.
 * @throws {EventStoreError} as `openEventLog`; {Error} as `assertOwnLog`
 */
export async function openLogAlone(data: DataFolder): Promise<LogParts> {
  await assertOwnLog(data);
  const store = await openLog({ directory: data.log, keys: () => openFileKeys(data.keys) });
  return partsOf(store, data);
}

function partsOf(store: LevelLog, data: DataFolder): LogParts {
  const kept = levelKept(store.db, () => new Date());
  const ownership = soleOwnership();
  return {
    keys: store.keys,
    store,
    kept,
    jobs: pendingJobs(kept),
    ownership,
    byOne: openByOne(kept, ownership),
    openSecrets: async () => await openSecretStore(await openSecretsFile(data.secrets)),
    setupCodes: fileSetupCodes(data.setupCode),
    notices: noNotices(),
    close: () => store.close(),
  };
}

/** LevelDB may end the process over a harmed table. Rows are not repaired but made again from the log. */
async function openServedRows(
  data: DataFolder,
  keys: KeyStore,
  { cleanEnd }: OpenMark,
  log: Log,
): Promise<LevelRows> {
  if (!cleanEnd && (await harmedTables(data.rows)).length > 0) {
    log.warn('projection rows are damaged; rebuilding them from the event log');
    await rm(data.rows, { recursive: true, force: true });
  }
  return await openRows({ directory: data.rows, keys, projections: served, log });
}

/** What is said of rows that are kept up no more. */
export const rowsReports = (
  log: Log,
): Pick<SharedProjectionsOptions, 'onStopped' | 'onListenerError'> => ({
  onStopped: (stopped) => log.error(stopped, 'projection stopped'),
  onListenerError: (error) => log.error({ err: error }, 'projection listener failed'),
});

/** Makes the rows of recordings again whose keys were put back since they were written. Mostly there are none. */
export async function takeInKeys(
  store: EventLog,
  storage: ProjectionStorage,
  log: Log,
): Promise<void> {
  for (const projection of [recordings, people, correctedWords]) {
    const { name } = projection;
    await forEachKeyThatCameBack(storage, store.keys, name, async (recordingId, marks) => {
      await rebuildRecording(store, storage, { projection, recordingId, beside: marks }).then(
        () =>
          log.info(
            { recordingId, name },
            'key is available again; projection rows of the recording were rebuilt',
          ),
        (error: unknown) =>
          log.error(
            { err: error, recordingId, name },
            'rebuilding projection rows failed; trying again',
          ),
      );
    });
  }
}
