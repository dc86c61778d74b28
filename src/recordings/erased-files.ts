import { readdir, realpath, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { filesAfter, noFiles } from '../../events/facts/files.ts';
import { recordingStream } from '../../events/facts/recording.ts';
import type { EventStore } from '../../events/store.ts';
import { factsOf, readRecording } from '../../projections/recording/recording.ts';
import { documentPaths } from '../documents/documents.ts';
import {
  ConfinementError,
  OversizedDocument,
  type Space,
  namesInSpace,
  readDocument,
} from '../documents/space.ts';
import { deleteDocument } from '../documents/write.ts';
import { hashFile, ifMissing } from '../shared/files.ts';

/* What an erasure, or a deletion of documents, removes from the disk. */

type Folders = { spaceOf(owner: string): Promise<Space>; quarantineDir: string };

/** An uploaded file. */
type Audio = { bytes: number; sha256: string };

/**
 * What its documents were or were about to be called, by owner, and the audio files it had. Names that
 * cannot be read, since the key is lost, are looked for in the documents, which say whose they are.
 */
export async function namedIn(
  { store, ...folders }: Folders & { store: EventStore },
  recordingId: string,
): Promise<{ bases: Map<string, Set<string>>; audio: Audio[] }> {
  const bases = new Map<string, Set<string>>();
  const audio: Audio[] = [];
  const unreadable = new Set<string>();
  let files = noFiles;
  for await (const fact of store.read(recordingStream(recordingId))) {
    files = filesAfter(files, fact);
    const { owner } = files;
    if (fact.type === 'audio.imported') audio.push(fact.data);
    if (fact.type !== 'documents.named' || owner === null) continue;
    if (fact.unreadable) unreadable.add(owner);
    if (fact.content) bases.set(owner, (bases.get(owner) ?? new Set()).add(fact.content.base));
  }
  for (const user of unreadable) {
    const names = bases.get(user) ?? new Set();
    for (const space of await spacesOf(folders, user)) {
      for (const base of await basesOf(space, recordingId)) names.add(base);
    }
    bases.set(user, names);
  }
  return { bases, audio };
}

/** Paths of documents of these names, by owner, but for those of names that are another recording's by now. */
export async function pathsLeft(
  folders: Folders,
  recordingId: string,
  bases: ReadonlyMap<string, ReadonlySet<string>>,
): Promise<Map<string, string[]>> {
  const left = new Map<string, string[]>();
  for (const [owner, names] of bases) {
    const its: string[] = [];
    const spaces = await spacesOf(folders, owner);
    for (const base of names) {
      const paths = Object.values(documentPaths(base));
      const others = spaces.map((space) => belongsToAnother(space, paths, recordingId));
      if (!(await Promise.all(others)).includes(true)) its.push(...paths);
    }
    left.set(owner, its);
  }
  return left;
}

/** Deletes an owner's documents of these names, also where a deleted user's were put aside. */
export async function deleteDocuments(
  folders: Folders,
  recordingId: string,
  owner: string,
  bases: ReadonlySet<string>,
): Promise<void> {
  for (const space of await spacesOf(folders, owner)) {
    for (const base of bases) {
      const paths = Object.values(documentPaths(base));
      if (await belongsToAnother(space, paths, recordingId)) continue;
      await deleteDocument(space, documentPaths(base).index);
    }
  }
}

/**
 * Documents that were deleted since they were last written, all deletions together, and whose they were then; but for those
 * whose names are another recording's by now. Null: none.
 */
export async function deletedDocuments(
  { store, spaceOf }: Pick<Folders, 'spaceOf'> & { store: EventStore },
  recordingId: string,
): Promise<{ owner: string; paths: string[] } | null> {
  const recording = await readRecording(store, recordingId);
  const { documents } = recording.files;
  const paths = factsOf(recording, 'documents.saved', Infinity).at(-1)?.content?.paths;
  if (!documents || !paths || documents.deleted.length === 0) return null;
  const { owner, deleted } = documents;
  // With the index all of them go.
  const names = deleted.includes('index') ? ['index' as const] : deleted;
  const space = await spaceOf(owner);
  const its: string[] = [];
  for (const path of names.map((name) => paths[name]))
    if (!(await belongsToAnother(space, [path], recordingId))) its.push(path);
  return { owner, paths: its };
}

/** A name that was given up may be another recording's by now: each document says whose it is. */
async function belongsToAnother(
  space: Space,
  paths: readonly string[],
  recordingId: string,
): Promise<boolean> {
  return (await recordingsNamedIn(space, paths)).some((named) => named !== recordingId);
}

const spacesOf = async ({ spaceOf, quarantineDir }: Folders, owner: string): Promise<Space[]> => [
  await spaceOf(owner),
  ...(await archivedSpaces(quarantineDir, owner)),
];

/** Names of the documents that say they are of this recording. */
const basesOf = async (space: Space, recordingId: string): Promise<string[]> =>
  (await documentsNaming(space, (id) => id === recordingId)).map((path) =>
    path.includes('/') ? dirname(path) : path.replace(/\.md$/u, ''),
  );

/** Paths of the documents that say they are of one of these recordings. Looks at every document of the space. */
export async function documentsNaming(
  space: Space,
  isOne: (recordingId: string) => boolean,
): Promise<string[]> {
  const found: string[] = [];
  const bases = (await namesInSpace(space)).map((name) => name.replace(/\.md$/u, ''));
  for (const base of new Set(bases))
    for (const path of Object.values(documentPaths(base)))
      if ((await recordingsNamedIn(space, [path])).some(isOne)) found.push(path);
  return found;
}

/** Ids of the recordings that documents say they are of. */
async function recordingsNamedIn(space: Space, paths: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const path of paths) {
    const document = await readDocument(space, path).catch((error: unknown) => {
      if (error instanceof OversizedDocument || error instanceof ConfinementError) return undefined;
      throw error;
    });
    const front = document?.bytes.subarray(0, frontMatterBytes).toString('utf8') ?? '';
    const named = /^recording: "?(?:\S+\/notes\/)?([0-9A-HJKMNP-TV-Z]{26})"?$/mu.exec(front)?.[1];
    if (named !== undefined) ids.push(named);
  }
  return ids;
}

/** Where in a document the front matter is looked for. */
const frontMatterBytes = 64 * 1024;

/** Where a deleted user's documents were put aside: `<quarantine>/spaces/<id>-<time>`. */
async function archivedSpaces(quarantineDir: string, user: string): Promise<Space[]> {
  const folder = join(quarantineDir, 'spaces');
  const entries = await readdir(folder, { withFileTypes: true }).catch(ifMissing([]));
  const names = entries
    .filter((entry) => entry.isDirectory() && entry.name.startsWith(`${user}-`))
    .map(({ name }) => name);
  if (names.length === 0) return [];
  const root = await realpath(folder);
  return names.map((name) => ({ root: join(root, name), user }));
}

/**
 * Removes folders of the recording that were put aside (`<id>-<time>`), and those of other ids in which
 * the same audio lies: an upload that died in an earlier release and was sent again.
 */
export async function removeQuarantined(
  quarantineDir: string,
  recordingId: string,
  audio: readonly Audio[],
): Promise<void> {
  for (const name of await readdir(quarantineDir).catch(ifMissing([]))) {
    const folder = join(quarantineDir, name);
    const its = name.startsWith(`${recordingId}-`);
    if (!its && !(/^[0-9A-Z]{26}-\d+$/.test(name) && (await holdsAudio(folder, audio)))) continue;
    await rm(folder, { recursive: true, force: true });
  }
}

async function holdsAudio(folder: string, audio: readonly Audio[]): Promise<boolean> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const { size } = await stat(path);
    for (const { bytes, sha256 } of audio)
      if (bytes === size && (await hashFile(path, { like: sha256 }))?.sha256 === sha256)
        return true;
  }
  return false;
}
