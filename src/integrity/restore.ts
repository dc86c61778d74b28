import { readdir, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { privateDirectory, syncDirectory } from '../../events/durable-file.ts';
import { openErasureList, type ErasureList } from '../../events/erasure-list.ts';
import { openLogCopy, type LogCopy } from '../../events/log-copy.ts';
import { rawRecords } from '../../events/raw-records.ts';
import { dataFolder, type DataFolder } from '../host.ts';
import { recordErasures } from './apply-erasures.ts';
import { assertApart } from './assert-apart.ts';
import { backupLayout, readBackupMarker, type BackupMarker } from './backup-marker.ts';
import { copyTree, type Copied } from './copy-tree.ts';
import { erasedFiles, removeEmptied, type ErasedFiles } from './erased-files.ts';
import { exists } from './exists.ts';
import { withLogAlone } from './open-alone.ts';
import { assertTablesReadable } from './tables/check-tables.ts';
import { verifyData, type VerifyReport } from './verify-data.ts';

/** What `mitschrift restore` answers. */
export type RestoreReport = {
  /** The data directory; beside it when the backup's log turned out to be damaged. */
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
 * and by a later one when given. It is built beside the data directory, checked, and only then put in
 * its place; with a damaged log it stays beside, for `mitschrift repair`.
 *
 * @param erasures a later list of erasures (`keys/erased.jsonl` of the lost data directory)
 * @throws {Error} when the data directory is not empty, or there is no complete backup
 */
export async function restore(
  directory: string,
  data: DataFolder,
  { erasures }: { erasures?: string } = {},
): Promise<RestoreReport> {
  if ((await exists(data.root)) && (await readdir(data.root)).length > 0) {
    throw new Error(`${data.root} is not empty. Restore into an empty data directory.`);
  }
  const marker = await readBackupMarker(directory);
  if (!marker) throw new Error(`There is no complete backup in ${directory}.`);
  const building = dataFolder(`${data.root}.restoring`);
  assertApart(directory, building.root);
  await rm(building.root, { recursive: true, force: true });

  const list = await listOfErasures(directory, building, erasures);
  const from = backupLayout(directory).filesOf(marker);
  const copy = await openLogCopy(building.log, marker.log);
  let files: Copied;
  try {
    await copyLog(directory, marker, copy);
    // Before the keys are left behind: only with them it is known which documents were erased.
    const erased = await erasedFiles(copy, join(from, 'keys'), list);
    files = await copyFiles(from, building, list, erased);
  } finally {
    await copy.close();
  }
  const { erasedAgain, verified } = await withLogAlone(building, async ({ store, keys }) => ({
    erasedAgain: await recordErasures(store, list),
    verified: await verifyData({ store, keys, data: building }),
  }));
  const damaged = verified.findings.some(
    ({ kind, severity }) => severity === 'damage' && (kind === 'record' || kind === 'index'),
  );
  const report = { at: marker.at, facts: marker.position, files, erasedAgain, verified };
  if (damaged) return { ...report, directory: building.root };
  if (await exists(data.root)) await rmdir(data.root);
  await rename(building.root, data.root);
  await syncDirectory(dirname(data.root));
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
  if (later !== undefined && !(await exists(later))) throw new Error(`There is no ${later}.`);
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
      const [top, second] = path.split('/');
      if ((top === 'keys' || top === 'recordings') && second !== undefined) {
        return !list.has(second);
      }
      return !erased.documents.has(path);
    },
  });
  await removeEmptied(building.root, erased.folders);
  return files;
}
