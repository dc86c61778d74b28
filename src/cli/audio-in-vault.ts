import { realpath } from 'node:fs/promises';
import { dirname, extname, join, relative, sep } from 'node:path';
import { exists } from '../shared/files.ts';

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

async function vaultOf(notes: string): Promise<string> {
  for (let folder = notes; folder !== dirname(folder); folder = dirname(folder)) {
    if (await exists(join(folder, '.obsidian'))) return folder;
  }
  return notes;
}
