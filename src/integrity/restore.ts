import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { exists, ifMissing, privateDirectory } from '../shared/files.ts';
import { type ErasureList, openErasureList } from '../../events/log/file-keys.ts';
import { type LogCopy, openLogCopy } from '../../events/log/salvage.ts';
import { rawRecords } from '../../events/log/reader.ts';
import type { DataFolder } from '../shared/data-directory.ts';
import { type BackupMarker, backupLayout, readBackupMarker } from './backup.ts';
import { type Copied, copyTree } from './copy-tree.ts';
import { vaultProgressFile } from '../documents/own-vaults.ts';
import { type ErasedFiles, erasedFiles, removeEmptied, subjectOf } from './erased-files.ts';
import { putKeptData, readKeptData, recordingOfRow } from './kept-data.ts';
import { newDirectory } from './new-directory.ts';
import { keptDataFile } from './not-in-backups.ts';
import { withLogAlone } from './open-mark.ts';
import { assertTablesReadable } from './tables/tables.ts';
import { type VerifyReport, verifyData } from './verify.ts';
import type { EventLog } from '../../events/event-log.ts';
import { type RecordingFactOf, recordingStream } from '../../events/facts/recording.ts';
import { groupSubject, userSubjects, usersStream } from '../../events/facts/catalogue.ts';
import { nextSnapshot, initialState, machineVersion } from '../../machines/recording.ts';
import { toMachineEvent } from '../../machines/context.ts';
import { stateName } from '../../machines/states.ts';
import { erasedState, lastState } from '../recordings/handle.ts';
import type { PendingJobs } from '../storage/pending-jobs.ts';

/** What `mitschrift restore` answers. */
export type RestoreReport = {
  /** The data directory; where it was built when the backup's log turned out to be damaged. */
  directory: string;
  /** When the backup was made. */
  at: string;
  facts: number;
  files: Copied;
  /** Recordings and users that were erased after the facts in the backup, and are erased again. */
  erasedAgain: number;
  /** Everything in it, checked and folded. */
  verified: VerifyReport;
};

/**
 * Makes a data directory of a backup. What was erased is not brought back: by the list in the backup,
 * and by a later one when given. It is built apart, checked, and only then put in its place; with a
 * damaged log it stays where it was built, for `mitschrift repair`.
 *
 * @param erasures a later list of erasures (`keys/erased.jsonl` of the lost data directory)
 * @throws {Error} when the data directory is not empty, or there is no complete backup
 */
export async function restore(
  directory: string,
  data: DataFolder,
  { erasures }: { erasures?: string } = {},
): Promise<RestoreReport> {
  const marker = await readBackupMarker(directory);
  if (!marker) throw new Error(`${directory} doesn’t contain a complete backup.`);
  const { building, putInPlace } = await newDirectory(data, directory, 'restoring');

  const list = await listOfErasures(directory, building, erasures);
  const from = backupLayout(directory).filesOf(marker);
  const copy = await openLogCopy(building.log, marker.log);
  let files: Copied;
  try {
    await copyLog(directory, marker, copy);
    // Before the keys are left behind: only with them it is known which documents were erased.
    const erased = await erasedFiles(copy, from, list.has);
    files = await copyFiles(from, building, list, erased);
  } finally {
    await copy.close();
  }
  const { erasedAgain, verified } = await withLogAlone(
    building,
    async ({ store, keys, kept, jobs, counted }) => {
      const again = await recordErasures(store, list);
      const rows = await readKeptData(backupLayout(directory).keptOf(marker));
      const left = rows.filter((row) => !list.has(recordingOfRow(row) ?? ''));
      await putKeptData(kept, left);
      await addJobs(building, { store, jobs });
      await counted.note('backup.restored', 'system');
      return {
        erasedAgain: again,
        verified: await verifyData({ store, keys, data: building }),
      };
    },
  );
  const damaged = verified.findings.some(
    ({ kind, severity }) => severity === 'damage' && (kind === 'record' || kind === 'index'),
  );
  const report = { at: marker.at, facts: marker.position, files, erasedAgain, verified };
  if (damaged) return { ...report, directory: building.root };
  await putInPlace();
  return { ...report, directory: data.root };
}

/** Records up to the marker's position; an interrupted later run may have left more. */
async function copyLog(directory: string, marker: BackupMarker, to: LogCopy): Promise<void> {
  await assertTablesReadable(backupLayout(directory).log);
  const from = await openLogCopy(backupLayout(directory).log, marker.log);
  try {
    for await (const page of rawRecords(from.db, 0, marker.position)) {
      await to.append(page.map(({ json }) => json));
    }
  } finally {
    await from.close();
  }
}

/** The backup's list and the later one, together, as the new data directory's. */
async function listOfErasures(
  directory: string,
  building: DataFolder,
  later: string | undefined,
): Promise<ErasureList> {
  if (later !== undefined && !(await exists(later))) throw new Error(`${later} doesn’t exist.`);
  await privateDirectory(building.keys);
  const list = await openErasureList(join(building.keys, 'erased.jsonl'));
  for (const path of [backupLayout(directory).erasures, later]) {
    if (path === undefined) continue;
    for (const { subject, at } of (await openErasureList(path)).list()) {
      if (!list.has(subject)) await list.add(subject, at);
    }
  }
  return list;
}

/** Keys, audio and documents but those of what was erased. */
async function copyFiles(
  from: string,
  building: DataFolder,
  list: ErasureList,
  erased: ErasedFiles,
): Promise<Copied> {
  const files = await copyTree(from, building.root, {
    wanted(path) {
      const subject = subjectOf(path);
      if (subject !== undefined && list.has(subject)) return false;
      if (path === keptDataFile || path === vaultProgressFile) return false;
      return !erased.documents.has(path);
    },
  });
  await removeEmptied(building.root, erased.folders);
  return files;
}

/**
 * Says in the log that recordings on the list were erased and users on it deleted, where its facts do
 * not say so: those of a backup end before. Returns how many facts were appended.
 */
async function recordErasures(store: EventLog, list: ErasureList): Promise<number> {
  return (await eraseRecordings(store, list)) + (await deleteAccounts(store, list));
}

/**
 * One at work is left as it is: it has no content to work on, and the service erases it when it is
 * started.
 */
async function eraseRecordings(store: EventLog, list: ErasureList): Promise<number> {
  let appended = 0;
  for (const { subject } of list.list()) {
    const stream = recordingStream(subject);
    let version = 0;
    let state = initialState(subject);
    for await (const fact of store.read(stream)) {
      state = nextSnapshot(state, toMachineEvent(fact));
      version = fact.version;
    }
    if (version === 0) continue;
    const erased: RecordingFactOf<'recording.erased'> = { type: 'recording.erased', data: {} };
    const onBehalf = { by: 'system', command: `restore-erasure-${subject}` };
    const event = toMachineEvent({ ...erased, ...onBehalf, version: version + 1 });
    if (!state.can(event)) continue;
    const metadata = {
      ...onBehalf,
      from: stateName(state.value),
      to: stateName(nextSnapshot(state, event).value),
      machine: machineVersion,
    };
    await store.append(stream, [{ ...erased, ...metadata }], version);
    appended += 1;
  }
  return appended;
}

/** What the copied files show to be unfinished is to be finished by the service. */
export async function addJobs(
  data: DataFolder,
  { store, jobs }: { store: EventLog; jobs: PendingJobs },
): Promise<void> {
  for (const recordingId of await readdir(data.recordings).catch(ifMissing<string[]>([]))) {
    const late = join(data.recordings, recordingId, 'late', 'late.json');
    if (await exists(late)) await jobs.add(recordingId, 'late-audio');
  }
  // The key is destroyed last.
  for (const subject of await readdir(data.keys)) {
    const state = await lastState(store, subject);
    if (state === erasedState) await jobs.add(subject, 'erase');
  }
}

/** Without this a deleted user or group would be one without a name, and count as one. */
async function deleteAccounts(store: EventLog, list: ErasureList): Promise<number> {
  const present = new Set<string>();
  const groups = new Set<string>();
  let version = 0;
  for await (const fact of store.read(usersStream)) {
    if (fact.type === 'user.registered') present.add(fact.data.user_id);
    if (fact.type === 'user.deleted') present.delete(fact.data.user_id);
    if (fact.type === 'group.created') groups.add(fact.data.group_id);
    if (fact.type === 'group.deleted') groups.delete(fact.data.group_id);
    version = fact.version;
  }
  const deleted = [
    ...[...present]
      .filter((id) => userSubjects(id).some(list.has))
      .map((id) => ({ type: 'user.deleted', data: { user_id: id } }) as const),
    ...[...groups]
      .filter((id) => list.has(groupSubject(id)))
      .map((id) => ({ type: 'group.deleted', data: { group_id: id } }) as const),
  ];
  for (const fact of deleted) {
    const id = 'group_id' in fact.data ? fact.data.group_id : fact.data.user_id;
    const metadata = { by: 'system', command: `restore-erasure-${id}` };
    await store.append(usersStream, [{ ...fact, ...metadata }], version);
    version += 1;
  }
  return deleted.length;
}
