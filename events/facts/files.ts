import type * as z from 'zod';
import type { documentFacts } from './documents.ts';
import type { KeptLedger } from './ledger.ts';
import type { SourceFact } from './sources.ts';

/**
 * Whose a recording is, and which files it has: folded once, for the machine, the rows, and all that keeps, checks or
 * removes files. No content is needed, so an erased recording folds too.
 */
export type Files = {
  /** User id. Null until the recording has begun. */
  owner: string | null;
  /** Version of the fact that handed it to its present owner; null: it has always been theirs. */
  handedOver: number | null;
  /** The kept audio; null before there is any, and once it was removed. */
  audio: KeptAudio | null;
  /** Names, in the recording's folder, of files that were replaced or removed: they may be there still. */
  past: readonly string[];
  /** How much was captured and what is missing from it, also of audio that was removed. */
  ledger: KeptLedger | null;
  /** The documents as they were last written; null: never, or the recording was erased. */
  documents: WrittenDocuments | null;
};

/** The kept audio, with the fact that says so. `isCaptured`: it is the WAV that a device or a browser left. */
export type KeptAudio = {
  path: string;
  bytes: number;
  sha256: string;
  version: number;
  isCaptured: boolean;
};

/** Version of the fact, whose they were then, and which of them were deleted since. */
type WrittenDocuments = { version: number; owner: string; deleted: readonly DocumentName[] };
type DocumentName = z.infer<(typeof documentFacts)['document.edited']['data']>['document'];

/** The files of a recording before its first fact. */
export const noFiles: Files = {
  owner: null,
  handedOver: null,
  audio: null,
  past: [],
  ledger: null,
  documents: null,
};

/** The files after a fact; the same object when it changes none. Pure. */
export function filesAfter(files: Files, fact: SourceFact): Files {
  const { documents } = files;
  switch (fact.type) {
    case 'recording.started':
      return { ...files, owner: fact.data.owner };
    case 'recording.handed_over':
      return { ...files, owner: fact.data.owner, handedOver: fact.version };
    case 'audio.imported': {
      const { owner, parts, ledger = null } = fact.data;
      return { ...files, owner, audio: keptAudio(fact, parts !== undefined), ledger };
    }
    case 'audio.captured':
    case 'capture.interrupted':
    case 'audio.assembled':
    case 'audio.extended': {
      const { ledger = null } = fact.data;
      return { ...files, audio: keptAudio(fact, true), past: pastOf(files), ledger };
    }
    case 'audio.compressed':
      return { ...files, audio: keptAudio(fact, false), past: pastOf(files) };
    case 'audio.removed':
      return { ...files, audio: null, past: pastOf(files) };
    case 'documents.saved': {
      const { version } = fact;
      return { ...files, documents: { version, owner: files.owner ?? '', deleted: [] } };
    }
    case 'documents.deleted': {
      if (documents === null) return files;
      const deleted = [...new Set([...documents.deleted, ...fact.data.documents])];
      return { ...files, documents: { ...documents, deleted } };
    }
    case 'recording.discarded':
    case 'recording.erased':
      return { ...files, audio: null, past: pastOf(files), documents: null };
    default:
      return files;
  }
}

const keptAudio = (
  { data, version }: { data: { path: string; bytes: number; sha256: string }; version: number },
  isCaptured: boolean,
): KeptAudio => {
  const { path, bytes, sha256 } = data;
  return { path, bytes, sha256, version, isCaptured };
};

const pastOf = ({ audio, past }: Files): readonly string[] =>
  audio === null ? past : [...past, audio.path];
