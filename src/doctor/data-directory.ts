import { access, constants, statfs } from 'node:fs/promises';
import { prepare, type DataFolder } from '../host.ts';
import { ok, type Check } from './check.ts';

/** Below this the service will not begin a recording, in bytes. */
const freeBytesMin = 500_000_000;

/** Whether the data directory can be written, and has room. */
export async function checkDataDirectory(data: DataFolder): Promise<Check> {
  const name = 'data directory';
  try {
    await prepare(data);
    await access(data.root, constants.W_OK);
  } catch (error) {
    const detail = `${data.root} cannot be written: ${(error as Error).message}`;
    return { name, state: 'failed', detail, remedy: 'Set MITSCHRIFT_DATA to a folder of yours.' };
  }
  const { bavail, bsize } = await statfs(data.root);
  const free = bavail * bsize;
  if (free >= freeBytesMin) return ok(name, `${data.root}, ${Math.round(free / 1e9)} GB free`);
  const detail = `${data.root} has only ${Math.round(free / 1e6)} MB free`;
  return { name, state: 'failed', detail, remedy: 'Make room on this disk.' };
}
