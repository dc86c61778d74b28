import { setTimeout as delay } from 'node:timers/promises';
import { hasCode } from '../shared/errors.ts';
import { isName } from '../../events/facts/validation.ts';
import { LRUCache } from 'lru-cache';
import { join } from 'node:path';
import {
  ConfinementError,
  OversizedDocument,
  type Space,
  readDocument,
} from '../documents/space.ts';
import type { Finding } from './findings.ts';
import type { KeptFiles } from './kept-files.ts';
import { erasuresFile } from '../../events/log/file-keys.ts';
import type { EventLog } from '../../events/event-log.ts';
import { KeyError, type KeyStore } from '../../events/key-store.ts';
import { type LoggedFact, isRecordingFact } from '../../events/facts/catalogue.ts';
import { type Files, filesAfter, noFiles } from '../../events/facts/files.ts';
import { type PerDocument, documentNames } from '../documents/documents.ts';
import { finding } from '../words/findings.ts';

/** How often something is looked at again that goes on meanwhile, or is being removed. */
export const looksMax = 3;
/** Before something is said to be left it is looked at again, after so many milliseconds. */
export const leftLookMs = 500;

/** How many files were looked at. */
export type FilesChecked = { audio: number; documents: number };

/** Compares a recording's files with the hashes in the log. Changes nothing. */
export async function checkFiles(
  kept: Pick<KeptFiles, 'hashAudio' | 'spaceOf'>,
  place: { recordingId: string; stream: string },
  recorded: RecordedFiles,
  report: (finding: Finding) => void,
  pause?: () => Promise<void>,
): Promise<FilesChecked> {
  if (recorded.erased) {
    if (recorded.erased === 'by its fact') await checkErased(kept, place, recorded, report);
    return { audio: 0, documents: 0 };
  }
  const { stream } = place;
  const { audio } = recorded.files;
  if (audio !== null) {
    const { version, bytes, sha256 } = audio;
    const path = join('recordings', place.recordingId, audio.path);
    const at = { kind: 'audio', stream, version, path } as const;
    const there = await kept.hashAudio(place.recordingId, audio.path, {
      like: sha256,
      ...(pause && { pause }),
    });
    if (there === undefined) {
      report({ ...at, severity: 'damage', said: finding('audio-missing') });
    } else if (there.sha256 !== sha256) {
      const sizes = there.bytes === bytes ? {} : { length: there.bytes, saved: bytes };
      report({ ...at, severity: 'damage', said: finding('audio-altered', sizes) });
    }
  }
  return {
    audio: audio === null ? 0 : 1,
    documents: await checkDocuments(kept, stream, recorded, report),
  };
}

/** Names of audio are in facts that stay; those of documents are not. */
async function checkErased(
  kept: Pick<KeptFiles, 'hashAudio'>,
  { recordingId, stream }: { recordingId: string; stream: string },
  { files }: RecordedFiles,
  report: (finding: Finding) => void,
): Promise<void> {
  for (const name of files.past) {
    if ((await kept.hashAudio(recordingId, name)) === undefined) continue;
    const path = join('recordings', recordingId, name);
    report({ kind: 'left', severity: 'damage', stream, path, said: finding('audio-left') });
  }
}

export type KeysChecked = { sound: number; erased: number };

/** Subjects remembered as looked at; one beyond that is looked at again. */
const subjectsKept = 10_000;

/**
 * Looks at the key file of every subject that has content: it is sound, or the subject is listed as
 * erased; and at the lines of that list. The files themselves, not what the service has in memory; also around damaged records.
 */
export async function checkKeys(
  deps: {
    store: EventLog;
    keys: KeyStore;
    kept: Pick<KeptFiles, 'readKey' | 'keyNames' | 'unreadableErasures'>;
  },
  report: (finding: Finding) => void,
  pause: () => Promise<void> = async () => {},
): Promise<KeysChecked> {
  const { store, kept } = deps;
  const looked = new LRUCache<string, true>({ max: subjectsKept });
  const checked: KeysChecked = { sound: 0, erased: 0 };
  for await (const page of store.soundRecords()) {
    await pause();
    for (const { subject, content } of page) {
      if (content === undefined || subject === undefined || looked.get(subject)) continue;
      looked.set(subject, true);
      const state = await keyState(deps, subject);
      if (state === 'sound') checked.sound += 1;
      else if (state === 'erased') checked.erased += 1;
      else if (state === 'left') {
        const said = finding('key-left');
        report({ kind: 'left', severity: 'damage', path: keyPath(subject), said });
      } else {
        const said = finding(keyFaults[state]);
        report({ kind: 'key', severity: 'damage', path: keyPath(subject), said });
      }
    }
  }
  for await (const name of kept.keyNames()) {
    if (isName(name) || name.startsWith('erased.') || name.endsWith('.tmp')) continue;
    const said = finding('key-foreign');
    report({ kind: 'left', severity: 'damage', path: keyPath(name), said });
  }
  for (const line of await kept.unreadableErasures()) {
    const said = finding('erasures-unreadable', { line });
    report({ kind: 'key', severity: 'damage', path: keyPath(erasuresFile), said });
  }
  return checked;
}

/** Where the key of a subject lies, below the data directory. */
export const keyPath = (subject: string): string => `keys/${subject}`;

const keyFaults = {
  missing: 'key-missing',
  damaged: 'key-altered',
  wrong: 'key-other',
} as const;

async function keyState(
  { keys, kept }: { keys: KeyStore; kept: Pick<KeptFiles, 'readKey'> },
  subject: string,
): Promise<'sound' | 'erased' | 'left' | keyof typeof keyFaults> {
  for (let looks = 1; ; looks += 1) {
    const inFile = await kept.readKey(subject);
    const inUse = await inUseAs(keys, subject);
    if (inUse !== 'erased') {
      if (typeof inFile === 'string') return inFile;
      return typeof inUse !== 'string' && inUse.equals(inFile) ? 'sound' : 'wrong';
    }
    if (typeof inFile === 'string') return 'erased';
    // It is listed before it is destroyed.
    if (looks === looksMax) return 'left';
    await delay(leftLookMs);
  }
}

async function inUseAs(keys: KeyStore, subject: string): Promise<Buffer | 'erased' | 'none'> {
  try {
    return await keys.find(subject);
  } catch (error) {
    if (!(error instanceof KeyError)) throw error;
    return 'none';
  }
}

/** What the log says must be on the disk for one recording. */
export type RecordedFiles = {
  files: Files;
  /** Nothing is to be there any more: the recording was discarded or erased, or its key is gone, as after a restore. */
  erased: false | 'by its fact' | 'by its key';
  /** As the documents were last written; null where that cannot be read. */
  saved: { paths: PerDocument; sha256: PerDocument } | null;
};

export const nothingRecorded: RecordedFiles = { files: noFiles, erased: false, saved: null };

/** The same with one more fact of the recording's stream. Pure. */
export function recordedAfter(before: RecordedFiles, fact: LoggedFact): RecordedFiles {
  if (!isRecordingFact(fact)) return before;
  let { erased, saved } = before;
  if (fact.erased === true) erased ||= 'by its key';
  if (fact.to === 'idle.erased') erased = 'by its fact';
  if (fact.type === 'documents.saved')
    saved = fact.content ? { paths: fact.content.paths, sha256: fact.data.sha256 } : null;
  return { files: filesAfter(before.files, fact), erased, saved };
}

async function checkDocuments(
  kept: Pick<KeptFiles, 'spaceOf'>,
  stream: string,
  { files: { documents }, saved }: RecordedFiles,
  report: (finding: Finding) => void,
): Promise<number> {
  if (documents === null || saved === null) return 0;
  const { owner, version } = documents;
  const present = documentNames.filter((name) => !documents.deleted.includes(name));
  const space = await kept.spaceOf(owner);
  // Not its whole path: that is a title, which is content.
  const path = join('spaces', owner);
  for (const name of documents.deleted) {
    // Another one under its name is a person's, or another recording's.
    if ((await hashOf(space, saved.paths[name])) !== saved.sha256[name]) continue;
    const said = finding('document-left', { document: name });
    report({ kind: 'left', severity: 'damage', stream, version, path, said });
  }
  for (const name of present) {
    const at = { kind: 'document', severity: 'note', stream, version, path } as const;
    const sha256 = await hashOf(space, saved.paths[name]);
    if (sha256 === 'missing') {
      report({ ...at, said: finding('document-missing', { document: name }) });
    } else if (sha256 !== saved.sha256[name]) {
      report({ ...at, said: finding('document-changed', { document: name }) });
    }
  }
  return present.length;
}

async function hashOf(space: Space, path: string): Promise<string> {
  try {
    return (await readDocument(space, path))?.sha256 ?? 'missing';
  } catch (error) {
    // Something else is in its place, or it has grown beyond reading: a person's doing.
    if (error instanceof ConfinementError || error instanceof OversizedDocument) return error.name;
    if (hasCode(error, 'ENOENT')) return 'missing';
    throw error;
  }
}
