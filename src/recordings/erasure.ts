import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { KeyStore } from '../../events/key-store.ts';
import { recordingStream } from '../../events/facts/recording.ts';
import type { EventStore } from '../../events/store.ts';
import { deleteDocument } from '../documents/write.ts';
import { ProjectionBehind, ProjectionStopped } from '../../projections/projection-error.ts';
import { documentPaths } from '../documents/documents.ts';
import { OversizedDocument, type Space, readDocument } from '../documents/space.ts';
import type { LoggedRecordingFact } from './handle.ts';
import { retiredSpacesOf } from './retired-spaces-of.ts';

export type ErasureDeps = {
  store: EventStore;
  keys: Pick<KeyStore, 'forget' | 'erasures'>;
  spaceOf(owner: string): Promise<Space>;
  recordingsDir: string;
  quarantineDir: string;
  /** Resolves when every view has applied the log up to a position. */
  applied(position: number): Promise<void>;
  /** Told before each step; tests end the process there. */
  before?(step: ErasureStep): void;
};

export const erasureSteps = ['documents', 'files', 'views', 'key', 'done'] as const;
export type ErasureStep = (typeof erasureSteps)[number];

/**
 * Removes everything of a recording whose facts say that it is erased: documents first, whose names
 * only the key tells, then audio and what was derived from it, then the rows of views, then the key, with
 * which all that is left of it in the log and in rows was sealed. Each step can be done again, so an interrupted erasure is simply begun anew.
 */
export async function eraseEverything(deps: ErasureDeps, recordingId: string): Promise<void> {
  const { store, keys, before = () => {} } = deps;
  before('documents');
  const position = await deleteAllDocuments(deps, recordingId);
  before('files');
  await rm(join(deps.recordingsDir, recordingId), { recursive: true, force: true });
  await removeQuarantined(deps.quarantineDir, recordingId);
  before('views');
  await deps.applied(position).catch((error: unknown) => {
    // Rows of a projection that stands still are sealed: without the key nothing in them can be read.
    if (!(error instanceof ProjectionStopped || error instanceof ProjectionBehind)) throw error;
  });
  before('key');
  await keys.forget(recordingId);
  before('done');
  // Read once more through the log's own door: what can still be read was not erased.
  for await (const fact of store.read(recordingStream(recordingId))) {
    if (fact.content !== undefined) throw new Error(`content of ${recordingId} is still readable`);
  }
}

/** Deletes the documents a recording's last `documents.deleted` names, unless they were written again. */
export async function deleteNamedDocuments(
  deps: Pick<ErasureDeps, 'store' | 'spaceOf'>,
  recordingId: string,
): Promise<void> {
  let owner: string | null = null;
  let saved: LoggedRecordingFact | null = null;
  let deleted: LoggedRecordingFact | null = null;
  for await (const logged of deps.store.read(recordingStream(recordingId))) {
    const fact = logged as LoggedRecordingFact;
    if ('owner' in fact.data) owner = fact.data.owner;
    if (fact.type === 'documents.saved') [saved, deleted] = [fact, null];
    if (fact.type === 'documents.deleted') deleted = fact;
  }
  if (saved?.type !== 'documents.saved' || deleted?.type !== 'documents.deleted') return;
  if (owner === null || !saved.content) return;
  const space = await deps.spaceOf(owner);
  const { documents } = deleted.data;
  const all = documents.includes('index') ? ['index' as const] : documents;
  for (const name of all) await deleteDocument(space, saved.content.paths[name]);
}

/**
 * Deletes documents wherever they were or were about to be, also where a deleted user's were put aside.
 * Returns the position of the last fact.
 */
async function deleteAllDocuments(deps: ErasureDeps, recordingId: string): Promise<number> {
  const bases = new Map<string, Set<string>>();
  let owner: string | null = null;
  let position = 0;
  for await (const logged of deps.store.read(recordingStream(recordingId))) {
    const fact = logged as LoggedRecordingFact;
    position = fact.position;
    if ('owner' in fact.data) owner = fact.data.owner;
    if (fact.type !== 'documents.named' || !fact.content || owner === null) continue;
    bases.set(owner, (bases.get(owner) ?? new Set()).add(fact.content.base));
  }
  for (const [user, names] of bases) {
    const spaces = [await deps.spaceOf(user), ...(await retiredSpacesOf(deps.quarantineDir, user))];
    for (const space of spaces) {
      for (const base of names) {
        if (await belongsToAnother(space, base, recordingId)) continue;
        await deleteDocument(space, documentPaths(base).index);
      }
    }
  }
  return position;
}

/** A name that was given up may be another recording's by now: each document says whose it is. */
async function belongsToAnother(space: Space, base: string, recordingId: string): Promise<boolean> {
  for (const path of Object.values(documentPaths(base))) {
    const document = await readDocument(space, path).catch((error: unknown) => {
      if (error instanceof OversizedDocument) return undefined;
      throw error;
    });
    const front = document?.bytes.subarray(0, frontMatterBytes).toString('utf8') ?? '';
    const named = /^recording: "?([0-9A-HJKMNP-TV-Z]{26})"?$/mu.exec(front)?.[1];
    if (named !== undefined && named !== recordingId) return true;
  }
  return false;
}

/** Where in a document the front matter is looked for. */
const frontMatterBytes = 64 * 1024;

/** Folders put aside carry the recording's id and when they were. */
async function removeQuarantined(quarantineDir: string, recordingId: string): Promise<void> {
  const names = await readdir(quarantineDir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  for (const name of names) {
    if (!name.startsWith(`${recordingId}-`)) continue;
    await rm(join(quarantineDir, name), { recursive: true, force: true });
  }
}
