import { readdir, rename, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { markerPath } from '../../events/log/marker.ts';
import { EventStoreError } from '../../events/store.ts';
import { dataFailure } from '../words/data-failures.ts';
import { ifCode } from '../shared/errors.ts';
import { exists, privateDirectory, syncDirectory, writeDurably } from '../shared/files.ts';
import { type DataFolder, dataFolder } from '../shared/data-directory.ts';

/** A data directory that is built apart from its place, until it is whole. */
export type NewDirectory = {
  building: DataFolder;
  putInPlace(): Promise<void>;
};

/** Where one is built inside its place. What a run that was killed has built there stays until the next. */
export const buildingFolders = ['.restoring', '.repairing'];

/** What the root of a disk has of itself: a folder that has nothing else is empty. */
export const diskOwnFolder = 'lost+found';

/** In what is built once it is whole, and is moved from there. */
const movingFile = 'moving';

/**
 * Clears the place where a data directory is built. One that is there, and empty, may be a mount, or below a folder
 * that this user cannot write to: it stays, and the new one is built inside it. Else it is built beside.
 *
 * @param source what it is made of
 * @param doing what the place is called after
 * @throws {Error} when the target is not empty, or the source lies where it would be built
 */
export async function newDirectory(
  target: DataFolder,
  source: string,
  doing: 'restoring' | 'repairing',
): Promise<NewDirectory> {
  const { root } = target;
  const isThere = await exists(root);
  const building = dataFolder(isThere ? join(root, `.${doing}`) : `${root}.${doing}`);
  if (!relative(building.root, source).startsWith('..')) {
    throw new Error(
      `The new data directory would be built in ${building.root}, which contains ${source}. Choose another one.`,
    );
  }
  if (isThere) await clear(target, building);
  await rm(building.root, { recursive: true, force: true });
  await privateDirectory(building.root);
  return {
    building,
    putInPlace: () => (isThere ? moveUp(building, target) : moveBeside(building.root, root)),
  };
}

/**
 * Before a service makes a log where none is: it would begin empty, and what was being built could not take its place.
 * @throws {EventStoreError} `DAMAGED` where a restore or a repair is building, or was killed
 */
export async function assertNoneIsBuilt({ root, log }: DataFolder): Promise<void> {
  // What is no folder is refused where the service makes its own, which says so.
  if (await exists(markerPath(log)).catch(ifCode(true, 'ENOTDIR'))) return;
  for (const name of buildingFolders)
    for (const folder of [join(root, name), `${root}${name}`])
      if (await exists(folder))
        throw new EventStoreError('DAMAGED', dataFailure('data-not-built', { folder }));
}

/**
 * What a run that was killed while it moved has moved already goes: no service starts there, so nothing else has come.
 * Where it was killed before, one may have.
 */
async function clear(target: DataFolder, building: DataFolder): Promise<void> {
  const entries = (await readdir(target.root)).filter(
    (name) => !buildingFolders.includes(name) && name !== diskOwnFolder,
  );
  const isHalf =
    (await exists(join(building.root, movingFile))) &&
    (await exists(building.log)) &&
    (await exists(markerPath(target.log))) &&
    !(await exists(target.log));
  if (entries.length > 0 && !isHalf) {
    throw new Error(`${target.root} is not empty. Choose an empty folder.`);
  }
  // The marker last: it is what says that this is half.
  const marker = basename(markerPath(target.log));
  const ordered = [...entries.filter((name) => name !== marker), ...(isHalf ? [marker] : [])];
  for (const name of ordered) await rm(join(target.root, name), { recursive: true, force: true });
}

/** The marker first and its log last: a service refuses a data directory that has one without the other. */
async function moveUp(building: DataFolder, target: DataFolder): Promise<void> {
  await privateDirectory(target.root);
  const [first, last] = [basename(markerPath(target.log)), basename(target.log)];
  const others = (await readdir(building.root)).filter((name) => name !== first && name !== last);
  const moving = join(building.root, movingFile);
  await writeDurably(moving, '');
  for (const name of [first, ...others, last]) {
    await rename(join(building.root, name), join(target.root, name));
    await syncDirectory(target.root);
  }
  await rm(moving);
  await rmdir(building.root);
}

async function moveBeside(building: string, root: string): Promise<void> {
  await rename(building, root);
  await syncDirectory(dirname(root));
}
