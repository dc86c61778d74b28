import { readFile, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { ifMissing } from '../shared/files.ts';
import type { Blobs } from './blobs/blobs.ts';
import { removeUpload, uploadsUnderWay } from './blobs/unfinished-uploads.ts';

/**
 * Removes the unfinished resumable uploads of some users, with the names of their files. One that another connection is
 * sending to meanwhile is refused at its next piece.
 * @param place the bucket, or the folder `resumable` with `<id>` and `<id>.json`
 * @returns how many there were
 */
export async function removeUploadsOf(
  owners: ReadonlySet<string>,
  place: Blobs | { folder: string },
): Promise<number> {
  if (owners.size === 0) return 0;
  const uploads = 'folder' in place ? await inFolder(place.folder) : await inBucket(place);
  const theirs = uploads.filter(({ owner }) => typeof owner === 'string' && owners.has(owner));
  for (const { id } of theirs) {
    if ('folder' in place) await removeFiles(place.folder, id);
    else await removeUpload(place, id);
  }
  return theirs.length;
}

type Owned = { id: string; owner: string | null | undefined };

const inBucket = async (bucket: Blobs): Promise<Owned[]> =>
  (await uploadsUnderWay(bucket)).map(({ id, info }) => ({ id, owner: info.metadata['owner'] }));

async function inFolder(folder: string): Promise<Owned[]> {
  const found: Owned[] = [];
  for (const name of await readdir(folder).catch(ifMissing([]))) {
    if (!name.endsWith('.json')) continue;
    const text = await readFile(join(folder, name), 'utf8').catch(ifMissing(undefined));
    if (text === undefined) continue;
    const { metadata } = infoSchema.parse(JSON.parse(text));
    found.push({ id: name.slice(0, -'.json'.length), owner: metadata?.owner });
  }
  return found;
}

/** The last to go is what makes it known. */
async function removeFiles(folder: string, id: string): Promise<void> {
  await rm(join(folder, id), { force: true });
  await rm(join(folder, `${id}.json`), { force: true });
}

/** What is needed of it. */
const infoSchema = z.object({
  metadata: z.object({ owner: z.string().nullish() }).optional(),
});
