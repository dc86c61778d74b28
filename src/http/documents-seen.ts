import type { RecordingRow } from '../../projections/recording-row.ts';
import type { TranscriptRow } from '../../projections/texts.ts';
import { transcriptOf } from '../../projections/texts.ts';
import { type DocumentsInput, type PerDocument, exportInput } from '../documents/documents.ts';
import type { HttpServices } from './services.ts';

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

/** What the owner wrote is no note of who reads it. */
export const asReadByOthers = (input: DocumentsInput): DocumentsInput => ({
  ...input,
  sidenotes: input.sidenotes.map((note) => ({ ...note, own: false })),
});

/**
 * The documents as others than the owner get them: as they are written from what is said now. The owner's own have folder,
 * tags and earlier titles on top, and what a person added to the files.
 */
export async function documentsForOthers(
  services: Services,
  row: RecordingRow,
): Promise<PerDocument | undefined> {
  const transcript = await transcriptOf(services.storage, row.recordingId);
  if (!transcript) return undefined;
  const { renderDocuments } = await import('../documents/render.ts');
  return renderDocuments(asReadByOthers(await exportInputOf(services, row, transcript)));
}
