import { lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isValid as isUlid } from 'ulid';
import { hasCode } from '../shared/errors.ts';
import { ifMissing, moveFolder, syncDirectory } from '../shared/files.ts';
import type { Log } from '../shared/log.ts';
import { countBytes } from './disk.ts';

/** Something that was put aside below `<data>/quarantine`. */
export type Quarantined = {
  /** Its path below the quarantine, `/` between the parts: what it is purged by. */
  name: string;
  /** Documents of a deleted user; a recording's folder that no fact speaks of; or nothing of ours. */
  kind: 'documents' | 'recording' | 'other';
  /** The user's id, or the recording's. */
  id: string | null;
  /** When it was put aside, RFC 3339; of what is not ours when it was last changed. */
  since: string;
  bytes: number;
  /** Files and folders in it that could not be looked at. */
  unread: number;
};

/** One list holds so much; what was put aside first comes first. */
export const quarantinedMax = 10_000;

/** What lies in the quarantine, the oldest first, and how much more there is than a list holds. */
export async function listQuarantined(
  quarantineDir: string,
): Promise<{ entries: Quarantined[]; more: number }> {
  const found: Omit<Quarantined, 'bytes' | 'unread'>[] = [];
  for (const name of await namesIn(quarantineDir)) {
    const described = await describe(quarantineDir, name);
    if (described) found.push(described);
  }
  found.sort((one, other) => compare(one.since, other.since) || compare(one.name, other.name));
  const entries: Quarantined[] = [];
  for (const entry of found.slice(0, quarantinedMax)) {
    entries.push({ ...entry, ...(await countBytes(join(quarantineDir, entry.name))) });
  }
  return { entries, more: found.length - entries.length };
}

/**
 * Removes one after the other from the quarantine for good, and says each that is gone: no crash brings
 * it back. What an interrupted removal left keeps its name, to be purged again.
 * @param names as `listQuarantined` says them
 * @throws {Error} there is nothing of a name; what removing throws. Those before it are gone.
 */
export async function* purgeQuarantined(
  quarantineDir: string,
  names: readonly string[],
): AsyncGenerator<string> {
  // Looked up, never made into a path untried: so no name leads out of the quarantine.
  const there = new Set(await namesIn(quarantineDir));
  for (const name of names) {
    if (!there.has(name)) throw new Error(`${name} is not in the quarantine.`);
    const path = join(quarantineDir, name);
    await rm(path, { recursive: true, force: true });
    await syncDirectory(dirname(path));
    yield name;
  }
}

/** Where the documents of deleted users are put (`src/accounts/user-removal.ts`). */
const spaces = 'spaces';

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/**
 * Moves folders of recordings that no fact speaks of out of the way: what an upload left that was never
 * acknowledged. Nothing is deleted: that is
 * for `mitschrift quarantine purge`. What is no recording's by its name stays, as what a file system keeps for itself; so
 * does what cannot be moved. Returns the names of what was.
 * @param folders names of folders that were there before this process took anything
 * @throws what `isKnown` throws
 */
export async function quarantineUnknown(
  deps: { recordingsDir: string; quarantineDir: string; log: Pick<Log, 'warn'> },
  folders: readonly string[],
  isKnown: (recordingId: string) => Promise<boolean>,
): Promise<string[]> {
  const { recordingsDir, quarantineDir, log } = deps;
  const moved: string[] = [];
  for (const name of folders) {
    if (!isUlid(name) || (await isKnown(name))) continue;
    try {
      await mkdir(quarantineDir, { recursive: true, mode: 0o700 });
      await moveFolder(join(recordingsDir, name), join(quarantineDir, `${name}-${Date.now()}`));
      moved.push(name);
    } catch (err) {
      // Removed meanwhile: an upload that was not acknowledged.
      if (hasCode(err, 'ENOENT')) continue;
      log.warn({ err, folder: name }, 'unknown recording folder could not be moved; it stays');
    }
  }
  return moved;
}

async function namesIn(quarantineDir: string): Promise<string[]> {
  const top = await readdir(quarantineDir).catch(ifMissing([]));
  const retired = await readdir(join(quarantineDir, spaces)).catch(ifMissing([]));
  return [...top.filter((name) => name !== spaces), ...retired.map((name) => `${spaces}/${name}`)];
}

/** Undefined when it has gone meanwhile. */
async function describe(quarantineDir: string, name: string) {
  const documents = /^spaces\/(.+)-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z$/u.exec(name);
  if (documents) {
    const [, id = null, year, month, day, hour, minute, second, ms] = documents;
    const since = `${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`;
    return { name, kind: 'documents', id, since } as const;
  }
  const recording = /^([^/]+)-(\d{13})$/u.exec(name);
  if (recording) {
    const [, id = null, ms] = recording;
    return { name, kind: 'recording', id, since: new Date(Number(ms)).toISOString() } as const;
  }
  const there = await lstat(join(quarantineDir, name)).catch(ifMissing(undefined));
  if (!there) return undefined;
  return { name, kind: 'other', id: null, since: there.mtime.toISOString() } as const;
}
