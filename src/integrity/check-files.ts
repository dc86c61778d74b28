import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import {
  ConfinementError,
  OversizedDocument,
  readDocument,
  type Space,
} from '../documents/space.ts';
import type { DataFolder } from '../host.ts';
import type { Finding } from './findings.ts';
import { hashFile } from './hash-file.ts';
import type { RecordedFiles } from './recorded-files.ts';

/** How many files were looked at. */
export type FilesChecked = { audio: number; documents: number };

/** Compares a recording's files with the hashes in the log. Changes nothing. */
export async function checkFiles(
  data: Pick<DataFolder, 'root' | 'recordings'>,
  place: { recordingId: string; stream: string },
  files: RecordedFiles,
  report: (finding: Finding) => void,
  pause?: () => Promise<void>,
): Promise<FilesChecked> {
  if (files.erased) return { audio: 0, documents: 0 };
  const { stream } = place;
  for (const [name, { version, bytes, sha256 }] of files.audio) {
    const path = join('recordings', place.recordingId, name);
    const at = { kind: 'audio', stream, version, path } as const;
    const there = await hashFile(join(data.recordings, place.recordingId, name), pause);
    if (there === undefined) {
      report({ ...at, severity: 'damage', what: 'The audio is missing.' });
    } else if (there.sha256 !== sha256) {
      const length =
        there.bytes === bytes ? '' : ` It has ${there.bytes} bytes; ${bytes} were recorded.`;
      const what = `The audio is not as it was recorded.${length}`;
      report({ ...at, severity: 'damage', what });
    }
  }
  return {
    audio: files.audio.size,
    documents: await checkDocuments(data.root, stream, files, report),
  };
}

async function checkDocuments(
  root: string,
  stream: string,
  { documents }: RecordedFiles,
  report: (finding: Finding) => void,
): Promise<number> {
  if (documents === null) return 0;
  const { owner, version } = documents;
  // Not `openSpace`: that would make a folder, and looking must change nothing.
  const space: Space = { root: join(await realpath(root), 'spaces', owner), user: owner };
  for (const name of documents.present) {
    // Not its whole path: that is a title, which is content.
    const path = join('spaces', owner);
    const at = { kind: 'document', severity: 'note', stream, version, path } as const;
    const sha256 = await hashOf(space, documents.paths[name]);
    if (sha256 === 'missing') {
      report({ ...at, what: `The ${name} is missing: deleted or moved.` });
    } else if (sha256 !== documents.sha256[name]) {
      report({ ...at, what: `The ${name} was changed after it was written.` });
    }
  }
  return documents.present.length;
}

async function hashOf(space: Space, path: string): Promise<string> {
  try {
    return (await readDocument(space, path))?.sha256 ?? 'missing';
  } catch (error) {
    // Something else is in its place, or it has grown beyond reading: a person's doing.
    if (error instanceof ConfinementError || error instanceof OversizedDocument) return error.name;
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'missing';
    throw error;
  }
}
