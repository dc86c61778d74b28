import { readdir, realpath, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { recordingFacts } from '../../events/facts/recording.ts';
import { keyOrFault } from '../../events/key-place.ts';
import { filesOf } from '../../events/log/file-keys.ts';
import { rawRecords } from '../../events/log/reader.ts';
import type { LogCopy } from '../../events/log/salvage.ts';
import { openContent } from '../../events/log/sealing.ts';
import { documentsNaming } from '../recordings/erased-files.ts';
import { ifCode } from '../shared/errors.ts';
import { ifMissing } from '../shared/files.ts';

/**
 * Documents of what was erased, by their paths below the data directory, and the folders they were in; also where a
 * deleted user's were put aside.
 */
export type ErasedFiles = { documents: ReadonlySet<string>; folders: ReadonlySet<string> };

/**
 * Finds the documents of erased recordings in a log, with the keys that a backup still has of them:
 * their names are content. Where the key is gone, so are the documents, since it is destroyed last. Those
 * that were saved while the backup ran are in no fact of its log: they say whose they are.
 * Memory: the paths of what was erased.
 * @param root the data directory, or the files of a backup
 */
export async function erasedFiles(
  log: LogCopy,
  root: string,
  isErased: (recordingId: string) => boolean,
): Promise<ErasedFiles> {
  const keys = filesOf(join(root, 'keys'));
  const aside = await readdir(join(root, 'quarantine', 'spaces')).catch(ifMissing<string[]>([]));
  const spacesOf = (user: string): string[] => [
    join('spaces', user),
    ...aside
      .filter((name) => name.startsWith(`${user}-`))
      .map((name) => join('quarantine', 'spaces', name)),
  ];
  const owners = new Map<string, Set<string>>();
  const documents = new Set<string>();
  const folders = new Set<string>();
  const add = (space: string, path: string): void => {
    documents.add(join(space, path));
    if (path.includes('/')) folders.add(join(space, dirname(path)));
  };
  for await (const page of rawRecords(log.db, 0, log.head().position)) {
    for (const { fact } of page) {
      const { subject, content, stream, type } = fact;
      const { owner } = fact.data as { owner?: unknown };
      if (subject === undefined && typeof owner !== 'string') continue;
      const recordingId = stream.replace(/^recording-/, '');
      if (!isErased(recordingId)) continue;
      const known = owners.get(recordingId) ?? new Set<string>();
      owners.set(recordingId, known);
      if (typeof owner === 'string') known.add(owner);
      if (type !== 'documents.saved' || content === undefined) continue;
      const key = await keyOrFault(keys, recordingId);
      if (typeof key === 'string') continue;
      const opened = saved.parse(await openContent(key, fact, content));
      for (const space of [...known].flatMap(spacesOf))
        for (const path of Object.values(opened.paths)) add(space, path);
    }
  }
  for (const top of ['spaces', join('quarantine', 'spaces')]) {
    const there = await readdir(join(root, top), { withFileTypes: true }).catch(ifMissing([]));
    for (const { name } of there.filter((entry) => entry.isDirectory())) {
      const space = { root: join(await realpath(root), top, name), user: name };
      for (const path of await documentsNaming(space, isErased)) add(join(top, name), path);
    }
  }
  return { documents, folders };
}

/** Whose a file or folder is by its path below the data directory: a recording's, also one that was put aside; a key's. */
export function subjectOf(path: string): string | undefined {
  const [top, name] = path.split('/');
  if (top === 'keys' || top === 'recordings') return name;
  // `<id>-<time>`; where `spaces` is, those are below it.
  return top === 'quarantine' ? name?.split('-')[0] : undefined;
}

/** Removes folders of erased documents, whose names are titles, unless a person keeps files there. */
export async function removeEmptied(root: string, folders: Iterable<string>): Promise<void> {
  for (const folder of folders) {
    await rmdir(join(root, folder)).catch(ifCode(undefined, 'ENOENT', 'ENOTEMPTY'));
  }
}

const saved = recordingFacts['documents.saved'].content;
