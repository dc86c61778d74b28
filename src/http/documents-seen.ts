import type { RecordingRow } from '../../projections/recording-row.ts';
import type { TranscriptRow } from '../../projections/texts.ts';
import { transcriptOf } from '../../projections/texts.ts';
import {
  type DocumentsInput,
  type PerDocument,
  baseOfToday,
  documentNames,
  documentPaths,
  exportInput,
} from '../documents/documents.ts';
import { readDocument } from '../documents/space.ts';
import { loadOnce } from '../shared/package.ts';
import type { HttpServices } from './services.ts';
import type { SeenRecording } from './visible-recording.ts';

type Services = Pick<HttpServices, 'storage' | 'settings'>;

/** What an export is made of. */
export async function exportInputOf(
  { settings }: Pick<Services, 'settings'>,
  row: RecordingRow,
  transcript: TranscriptRow,
) {
  const now = settings();
  return await exportInput(row, transcript, {
    uiLanguage: now['ui.language'],
    times: now['documents.times'],
    links: now['speakers.links'],
  });
}

/**
 * What the owner wrote is no note of who reads it.
 * @param base `baseOfToday`: the owner's files are called by the title that was replaced
 */
export const asReadByOthers = (input: DocumentsInput, base: string): DocumentsInput => ({
  ...input,
  base,
  sidenotes: input.sidenotes.map((note) => ({ ...note, own: false })),
});

/** A document in a file of several; without `bytes`: it cannot be read. */
type ReadDocument = { path: string; bytes: Buffer | string | undefined };

/**
 * The documents of a note: the owner's as they are stored, with folder, tags, earlier titles and what a person added to the
 * files; what is missing, and others', as they are written from what is said now. None of them keeps the others from being read.
 * @param isTaken whether another note of others has files of this base name
 */
export async function readDocuments(
  services: Services & Pick<HttpServices, 'spaceOf' | 'log'>,
  { row, right }: SeenRecording,
  isTaken?: (base: string) => boolean,
): Promise<ReadDocument[]> {
  const { documents, recordingId, owner } = row;
  if (documents === null) return [];
  const isOwn = right.role === 'owner';
  const base = isOwn ? undefined : await baseOfToday(row, isTaken);
  const paths = base === undefined ? documents : documentPaths(base);
  const rendered = loadOnce(() => renderedNow(services, row, base));
  const space = loadOnce(() => services.spaceOf(owner));
  const all: ReadDocument[] = [];
  for (const name of documentNames) {
    const path = paths[name];
    try {
      const stored = isOwn ? await readDocument(await space(), path) : undefined;
      all.push({ path, bytes: stored?.bytes ?? (await rendered())?.[name] });
    } catch (error) {
      services.log.warn({ err: error, recording_id: recordingId }, 'document not exported');
      all.push({ path, bytes: undefined });
    }
  }
  return all;
}

async function renderedNow(
  services: Services,
  row: RecordingRow,
  base: string | undefined,
): Promise<PerDocument | undefined> {
  const transcript = await transcriptOf(services.storage, row.recordingId);
  if (!transcript) return undefined;
  const { renderDocuments } = await import('../documents/render.ts');
  const input = await exportInputOf(services, row, transcript);
  return renderDocuments(base === undefined ? input : asReadByOthers(input, base));
}
