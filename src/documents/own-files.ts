import { createHash } from 'node:crypto';
import { type PerDocument, documentNames } from './documents.ts';
import { OversizedDocument, type Space, readDocument } from './space.ts';
import { StageError } from '../shared/errors.ts';
import type { DocumentFiles } from '../../projections/recording/files.ts';

type OwnFiles = Pick<DocumentFiles, 'saved' | 'rendered' | 'authored'>;

/** Hashes by which each document is known as one that may be replaced. */
export type OwnHashes = PerDocument<ReadonlySet<string>>;

/**
 * What we wrote last and what may have been written since (a process may have died after it), what
 * people sent through us, and the file that a person had seen when they sent another.
 */
export function ownHashes({ saved, rendered, authored }: OwnFiles): OwnHashes {
  const hashes = {
    index: new Set<string>(),
    transcript: new Set<string>(),
    summary: new Set<string>(),
  };
  for (const name of documentNames) {
    if (saved) hashes[name].add(saved.data.sha256[name]);
    for (const fact of rendered) hashes[name].add(fact.data.sha256[name]);
    const edit = authored[name];
    if (!edit) continue;
    if (edit.version > (saved?.version ?? 0)) hashes[name].add(edit.data.replaces);
    const { markdown } = edit.content ?? {};
    if (markdown !== undefined)
      hashes[name].add(createHash('sha256').update(markdown).digest('hex'));
  }
  return hashes;
}

/** Of each document the hash of the file that is there if it is ours, else none: to hand to `writeDocuments`. */
export async function presentHashes(
  space: Space,
  paths: PerDocument,
  own: OwnHashes,
): Promise<PerDocument> {
  const present = { index: '', transcript: '', summary: '' };
  for (const name of documentNames) {
    const document = await readUnlessLarge(space, paths[name]);
    if (document && own[name].has(document.sha256)) present[name] = document.sha256;
  }
  return present;
}

/**
 * Documents of a space that a person has changed there, to be moved as they are.
 * @throws {StageError} `not-text`: what is not UTF-8 cannot be moved without a change.
 */
export async function foreignDocuments(
  space: Space,
  paths: PerDocument,
  files: OwnFiles,
): Promise<Partial<PerDocument>> {
  const own = ownHashes(files);
  const foreign: Partial<PerDocument> = {};
  for (const name of documentNames) {
    const document = await readDocument(space, paths[name]);
    if (!document || own[name].has(document.sha256)) continue;
    const text = document.bytes.toString('utf8');
    if (!Buffer.from(text).equals(document.bytes)) {
      throw new StageError(
        'not-text',
        `The ${name} was changed by hand and is not UTF-8 text, so it cannot be moved. Save it as UTF-8.`,
        { retriable: true },
      );
    }
    foreign[name] = text;
  }
  return foreign;
}

/** Something that large is not ours in any case. */
async function readUnlessLarge(space: Space, path: string) {
  try {
    return await readDocument(space, path);
  } catch (error) {
    if (error instanceof OversizedDocument) return undefined;
    throw error;
  }
}
