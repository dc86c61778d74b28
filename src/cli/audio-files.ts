import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { extname, join, dirname, relative, sep } from 'node:path';
import { ifCode } from '../shared/errors.ts';
import { exists } from '../shared/files.ts';

/** A file to transcribe, or what a person named that cannot be one. */
export type FoundFile = { path: string; bytes: number; modifiedAt: Date; fault: string | null };

/** Files that one command takes at most. */
const filesMax = 10_000;

/** What a folder is searched for; a file that is named is taken whatever it is called. */
const audioExtensions: ReadonlySet<string> = new Set(
  (
    'wav wave mp3 m4a m4b aac ogg oga opus flac aif aiff caf amr awb 3gp 3g2 wma au gsm mka ac3 ' +
    'mp4 m4v mov mkv webm avi mpg mpeg ts wmv'
  ).split(' '),
);

/**
 * The files that paths name, each once, in the order given; a folder's audio files by name, hidden ones
 * left out.
 * @param recursive whether the folders of a folder are searched too
 * @returns the files, and how many folders with audio in folders were not searched
 * @throws {Error} more than 10,000 files, or a folder that cannot be read
 */
export async function findAudioFiles(
  paths: readonly string[],
  recursive: boolean,
): Promise<{ files: FoundFile[]; notSearched: number }> {
  const found: FoundFile[] = [];
  const seen = new Set<string>();
  const below = { recursive, notSearched: 0 };
  for (const path of paths) {
    for (const file of await filesAt(path, below)) {
      const real = file.fault === null ? await realpath(file.path) : file.path;
      if (!seen.has(real)) found.push(file);
      seen.add(real);
      if (found.length > filesMax) throw new Error(`More than ${filesMax} files. Choose fewer.`);
    }
  }
  return { files: found, notSearched: below.notSearched };
}

/** What Obsidian plays in a note (https://help.obsidian.md/file-formats). */
const embedded = /^\.(?:flac|m4a|mp3|ogg|wav|webm|3gp|mkv|mov|mp4|ogv)$/i;

/** What cannot be in a link between `![[` and `]]`. */
const inNoLink = /[#^[\]|\n\r]/u;

/**
 * Path of an audio file in the vault that a folder of notes is in: the nearest folder above the notes with `.obsidian` in it,
 * else the folder of the notes itself. Null where the file lies elsewhere, or cannot be embedded in a note.
 */
export async function audioInVault(file: string, notes: string): Promise<string | null> {
  const path = relative(await vaultOf(notes), await realpath(file));
  if (path.startsWith(`..${sep}`) || path.startsWith(sep) || inNoLink.test(path)) return null;
  return embedded.test(extname(path)) ? path.split(sep).join('/') : null;
}

/** Whether folders in folders are searched; else how many of those that hold audio were not. */
type Below = { recursive: boolean; notSearched: number };

async function filesAt(path: string, below: Below): Promise<FoundFile[]> {
  const there = await statOf(path);
  if (there === null) return [faulty(path, 'File not found')];
  if (there.isFile()) return [{ path, bytes: there.size, modifiedAt: there.mtime, fault: null }];
  if (!there.isDirectory()) return [faulty(path, 'Not a file or folder')];
  const paths = await audioBelow(path, below);
  if (paths.length === 0) {
    const advice = below.recursive ? '' : ' (add --recursive to include subfolders)';
    return [faulty(path, `No audio files in this folder${advice}`)];
  }
  return (await Promise.all(paths.map((one) => filesAt(one, below)))).flat();
}

/** Folders behind links are not searched: a link may lead back. */
async function audioBelow(folder: string, below: Below): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const paths: string[] = [];
  for (const entry of entries.toSorted(byName)) {
    if (entry.name.startsWith('.')) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (below.recursive) paths.push(...(await audioBelow(path, below)));
      else if (await holdsAudio(path)) below.notSearched += 1;
    } else if (isAudioName(entry.name)) {
      const there = entry.isFile() ? null : await statOf(path);
      // A link that leads nowhere is named as a fault, not passed over.
      if (entry.isFile() || there?.isFile() || (entry.isSymbolicLink() && there === null))
        paths.push(path);
    }
  }
  return paths;
}

/** Whether a folder itself has an audio file in it. */
async function holdsAudio(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => []);
  return names.some((name) => !name.startsWith('.') && isAudioName(name));
}

const isAudioName = (name: string): boolean =>
  audioExtensions.has(extname(name).slice(1).toLowerCase());

/** As people count: `talk 9` before `talk 10`. */
const byName = ({ name: one }: Dirent, { name: other }: Dirent): number =>
  one.localeCompare(other, 'en', { numeric: true });

const statOf = (path: string) => stat(path).catch(ifCode(null, 'ENOENT', 'ENOTDIR'));

const faulty = (path: string, fault: string): FoundFile => ({
  path,
  bytes: 0,
  modifiedAt: new Date(0),
  fault,
});

async function vaultOf(notes: string): Promise<string> {
  for (let folder = notes; folder !== dirname(folder); folder = dirname(folder)) {
    if (await exists(join(folder, '.obsidian'))) return folder;
  }
  return notes;
}
