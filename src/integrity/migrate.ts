import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { EventLog } from '../../events/event-log.ts';
import { soleOwnership } from '../../events/ownership.ts';
import { openSecretsFile } from '../config/secrets-file.ts';
import type { ClusterSettings } from '../shared/cluster-settings.ts';
import { type DataFolder, dataFolder } from '../shared/data-directory.ts';
import { exists, ifMissing, privateDirectory } from '../shared/files.ts';
import { openBlobs } from '../storage/blobs/open-blobs.ts';
import { importFacts, nodesConnected } from '../storage/postgres/import-facts.ts';
import { exportLog } from './export-log.ts';
import { importLog } from './import-log.ts';
import { keptData, putKeptData } from './kept-data.ts';
import {
  type FilesMigrated,
  type MigratedFiles,
  filesOfBlobs,
  filesOfFolder,
  migrateFiles,
} from './migrate-files.ts';
import { withLogAlone } from './open-mark.ts';
import { type SharedLogParts, withSharedLog } from './shared-log-alone.ts';

/** What `mitschrift migrate` did. `secrets`: values of settings that are API keys of servers. */
export type Migrated = { log: string; facts: number; files: FilesMigrated; secrets: number };

type Say = (text: string) => void;

/**
 * Copies a data directory into an empty database and a store of blobs: first the keys and files, then the log, in one
 * transaction. Interrupted anywhere it can be called again. The data directory is only read.
 * @throws {Error} the database has another log, or more of it; nodes or a service run; a device is being recorded
 */
export async function migrateToCluster(
  data: DataFolder,
  cluster: ClusterSettings,
  say: Say,
): Promise<Migrated> {
  await refuseNodes(cluster);
  await refuseCaptures(data, cluster);
  const named = await (await openSecretsFile(data.secrets)).all();
  return await withLogAlone(data, async (source) => {
    const { id } = source.store;
    const here = await endOf(source.store);
    const { keys } = source;
    const there = await withSharedLog(cluster, keys, async ({ store }) => await endOf(store));
    if (there.facts > 0) assertSame(here, there, 'The database');
    const files = await withFiles(cluster, data, id, async (to) => {
      const copied = await migrateFiles(filesOfFolder(data), to, say);
      // A subject that was erased between two calls: its key was copied by the first.
      for (const { subject } of await source.keys.erasures()) await to.remove(`keys/${subject}`);
      return copied;
    });
    if (there.facts === 0) {
      const rows = await keptData(source.kept);
      await withSharedLog(cluster, keys, ({ kept }) => putKeptData(kept, rows));
      const pages = source.store.records({ afterPosition: 0, upToPosition: here.facts });
      await importFacts(cluster.databaseUrl, { id, pages }, progressOf(here.facts, say));
    }
    await withSharedLog(cluster, keys, async ({ store, secrets }) => {
      assertSame(here, await endOf(store), 'The copy');
      await (await secrets()).add(named);
    });
    await sayUploads(data, say);
    say(`The database contains the same ${here.facts} events: checksum ${here.checksum}.`);
    return { log: id, facts: here.facts, files, secrets: named.length };
  });
}

/**
 * The way back: copies log, keys and files of a cluster into a data directory without a log. Interrupted anywhere it can
 * be called again. Database and blobs are only read.
 * @throws {Error} the data directory has another log, or more of it; nodes run
 */
export async function migrateFromCluster(
  cluster: ClusterSettings,
  data: DataFolder,
  say: Say,
): Promise<Migrated> {
  await refuseNodes(cluster);
  return await withSharedLog(cluster, null, async (source) => {
    const there = await endOf(source.store);
    const known = (await exists(data.log))
      ? await withLogAlone(data, async ({ store }) => await endOf(store))
      : null;
    if (known) assertSame(there, known, data.root);
    await privateDirectory(data.root);
    // Also whether the master key is the right one, before anything is copied.
    const named = (await (await source.secrets()).all()).filter((one) => one.fingerprint !== '');
    const files = await withFiles(cluster, data, there.id, async (from) => {
      if (source.blobs?.pathOf('recordings') === null) await refuseLivePieces(from);
      return await migrateFiles(from, filesOfFolder(data), say);
    });
    // As one list of erasures, which `importLog` makes.
    await rm(join(data.keys, 'erased.list'), { recursive: true, force: true });
    if (!known) await importThrough(source, data, say);
    await withLogAlone(data, async ({ store, kept }) => {
      assertSame(there, await endOf(store), 'The copy');
      await putKeptData(kept, await keptData(source.kept));
    });
    await (await openSecretsFile(data.secrets)).add(named);
    say(`${data.root} contains the same ${there.facts} events: checksum ${there.checksum}.`);
    return { log: there.id, facts: there.facts, files, secrets: named.length };
  });
}

/** The store is marked with the log: it never gets the files of two. */
async function withFiles<T>(
  { blobsUrl, sharedDirectory }: ClusterSettings,
  { root }: DataFolder,
  logId: string,
  work: (files: ReturnType<typeof filesOfBlobs>) => Promise<T>,
): Promise<T> {
  const blobs = await openBlobs(blobsUrl, { logId, ownership: soleOwnership() });
  try {
    const shared = sharedDirectory === null ? null : dataFolder(root, sharedDirectory);
    return await work(shared === null ? filesOfBlobs(blobs, root) : filesOfFolder(shared));
  } finally {
    await blobs.close();
  }
}

type End = { id: string; facts: number; checksum: string };

async function endOf(store: EventLog): Promise<End> {
  const facts = await store.head();
  return { id: store.id, facts, checksum: await store.checksum(facts) };
}

/** @param what of the two it is that differs */
function assertSame(wanted: End, found: End, what: string): void {
  if (wanted.id === found.id && wanted.checksum === found.checksum && wanted.facts === found.facts)
    return;
  const why =
    wanted.id !== found.id
      ? `contains other data (${found.id})`
      : `contains ${found.facts} events that differ from these ${wanted.facts}`;
  throw new Error(`${what} ${why}. Nothing there was changed. Choose an empty target.`);
}

async function importThrough(source: SharedLogParts, data: DataFolder, say: Say): Promise<void> {
  const file = join(data.root, 'migrating.jsonl');
  try {
    const { facts } = await exportLog(source, file, { decrypt: false });
    say(`${facts} events read from the database`);
    await importLog(data, file);
  } finally {
    await rm(file, { force: true });
  }
}

/** Those that are not complete stay behind: whoever sends one begins again. */
async function sayUploads({ resumable }: DataFolder, say: Say): Promise<void> {
  const names = await readdir(resumable).catch(ifMissing<string[]>([]));
  // Of one that is over there is only what was said of it.
  const count = names.filter((name) => !name.endsWith('.json')).length;
  if (count > 0) say(`Unfinished uploads are not copied (${count}): upload these files again.`);
}

/** @returns says how many facts are there, every so often */
function progressOf(facts: number, say: Say): (position: number) => void {
  let said = 0;
  return (position) => {
    if (position < facts && position - said < factsBetween) return;
    said = position;
    say(`${position} of ${facts} events`);
  };
}

const factsBetween = 20_000;

async function refuseNodes({ databaseUrl }: ClusterSettings): Promise<void> {
  const nodes = await nodesConnected(databaseUrl);
  if (nodes === 0) return;
  throw new Error(
    `Nodes are connected to the database (${nodes} connections). Stop all of them first; ` +
      'otherwise what they save meanwhile would be missing.',
  );
}

/** What captures of devices leave; what browsers send is files too, which go on wherever all nodes have them. */
const capturesOfDevices = ['capture.json'];
const capturesOfBrowsers = ['capture-browser.json', 'late'];

/** A capture outlives its service, and its file grows; in a bucket no file does. */
async function refuseCaptures(
  { recordings }: DataFolder,
  { sharedDirectory }: ClusterSettings,
): Promise<void> {
  const names = [...capturesOfDevices, ...(sharedDirectory === null ? capturesOfBrowsers : [])];
  for (const recordingId of await readdir(recordings).catch(ifMissing<string[]>([])))
    for (const name of names)
      if (await exists(join(recordings, recordingId, name))) throw stillRecorded(recordingId);
}

/** As `liveInBucket` and `lateInBucket` have what is being recorded, and what came behind it. */
async function refuseLivePieces(from: MigratedFiles): Promise<void> {
  for await (const name of from.list('recordings')) {
    const [, recordingId = '', folder] = name.split('/');
    if (folder === 'live' || folder === 'late') throw stillRecorded(recordingId);
  }
}

const stillRecorded = (recordingId: string): Error =>
  new Error(
    `A recording is still running, or was when Mitschrift ended (${recordingId}). Start Mitschrift, ` +
      'stop the recording, stop Mitschrift, and run this command again.',
  );
