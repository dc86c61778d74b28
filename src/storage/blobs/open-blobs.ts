import * as z from 'zod';
import { buffer } from 'node:stream/consumers';
import { type Ownership } from '../../../events/ownership.ts';
import { check } from '../../words/checks.ts';
import { type Blobs, BlobsError, exclusivelyBy } from './blobs.ts';
import { type BlobsPlace, blobsPlace, whereOf } from './blobs-url.ts';
import { openFileBlobs } from './file-blobs.ts';

/** Says whose files these are. Also beside the log in a data directory, in the same words. */
const markerKey = 'log.json';
const markerSchema = z.object({ format: z.literal(1), log: z.string().min(1) });

/**
 * Opens the store that a URL names, for one log: the first that comes marks it, and it is no other's from then on.
 * @param options.ownership grants names among all nodes
 * @param options.marks whether one that no log has used is marked; else it is refused
 * @throws {BlobsError} `BLOBS_URL`, `BLOBS_OTHER_LOG`, `BLOBS_AWAY`, `BLOBS_REFUSED`
 */
export async function openBlobs(
  url: string,
  { logId, ownership, marks = true }: { logId: string; ownership: Ownership; marks?: boolean },
): Promise<Blobs> {
  const place = blobsPlace(url);
  const exclusively = exclusivelyBy(ownership);
  if (place.kind === 'file') {
    const blobs = await openFileBlobs(place.directory, exclusively);
    await mark(blobs, place, { logId, marks });
    return blobs;
  }
  // The SDK is large: only who needs it loads it.
  const { openS3Blobs } = await import('./s3-blobs.ts');
  const blobs = openS3Blobs(place, exclusively);
  try {
    const marker = await mark(blobs, place, { logId, marks });
    await blobs.learnConditions(markerKey, marker);
    return blobs;
  } catch (error) {
    await blobs.close();
    throw error;
  }
}

/** Returns what is there afterwards. */
async function mark(
  blobs: Blobs,
  place: BlobsPlace,
  { logId, marks }: { logId: string; marks: boolean },
): Promise<Buffer> {
  const ours = Buffer.from(`${JSON.stringify({ format: 1, log: logId })}\n`);
  const present = await readMarker(blobs);
  if (present === null && !marks) throw unused(place);
  if (present === null) await blobs.put(markerKey, ours, { ifAbsent: true });
  const marker = present ?? (await readMarker(blobs)) ?? ours;
  const found = logIn(marker);
  if (found === logId) return marker;
  const where = whereOf(place);
  throw new BlobsError(
    'BLOBS_OTHER_LOG',
    found === null
      ? check('files-foreign', { place: where, file: markerKey })
      : check('files-of-other-log', { place: where, log: found, ours: logId }),
  );
}

const unused = (place: BlobsPlace): BlobsError =>
  new BlobsError('BLOBS_OTHER_LOG', check('files-unknown-place', { place: whereOf(place) }));

async function readMarker(blobs: Blobs): Promise<Buffer | null> {
  const found = await blobs.get(markerKey);
  return found && (await buffer(found.body));
}

function logIn(marker: Buffer): string | null {
  try {
    return markerSchema.parse(JSON.parse(marker.toString('utf8'))).log;
  } catch {
    return null;
  }
}
