import type { LoggedFact } from '../../events/catalogue.ts';
import type { RecordingFactOf } from '../../events/recording-facts.ts';
import { documentNames, type DocumentName, type PerDocument } from '../documents/documents.ts';

/** What the log says must be on the disk for one recording. */
export type RecordedFiles = {
  /** Whose space new documents go to. */
  owner: string | null;
  /** Nothing is to be there any more: the recording was discarded or erased, or its key is gone. */
  erased: boolean;
  /** By path below the recording's folder. */
  audio: Map<string, { version: number; bytes: number; sha256: string }>;
  documents: {
    version: number;
    owner: string;
    paths: PerDocument;
    sha256: PerDocument;
    /** Those that are to be there; the others were deleted on purpose. */
    present: DocumentName[];
  } | null;
};

export const noFiles = (): RecordedFiles => ({
  owner: null,
  erased: false,
  audio: new Map(),
  documents: null,
});

/** Takes one more fact of the recording's stream into account. */
export function noteFiles(files: RecordedFiles, fact: LoggedFact): void {
  if (fact.erased === true || fact.to === 'idle.erased') files.erased = true;
  const { owner } = fact.data as { owner?: unknown };
  if (typeof owner === 'string') files.owner = owner;
  const audio = audioOf(fact);
  if (audio) {
    const { path, bytes, sha256 } = audio;
    files.audio.set(path, { version: fact.version, bytes, sha256 });
  }
  if (fact.type === 'audio.compressed') {
    const { path, bytes, sha256, replaces } = fact.data;
    files.audio.delete(replaces);
    files.audio.set(path, { version: fact.version, bytes, sha256 });
  }
  if (fact.type === 'audio.removed') files.audio.clear();
  if (fact.type === 'documents.saved' && fact.content && files.owner !== null) {
    const { version, content } = fact;
    const { sha256 } = fact.data;
    const { owner } = files;
    files.documents = { version, owner, paths: content.paths, sha256, present: [...documentNames] };
  }
  if (fact.type === 'documents.deleted' && files.documents) {
    const gone: readonly string[] = fact.data.documents;
    files.documents.present = files.documents.present.filter((name) => !gone.includes(name));
  }
}

/** Facts that name a file of the recording's folder with its hash. */
function audioOf(fact: LoggedFact): RecordingFactOf<'audio.captured'>['data'] | undefined {
  switch (fact.type) {
    case 'audio.imported':
    case 'audio.captured':
    case 'capture.interrupted':
      return fact.data;
    default:
      return undefined;
  }
}
