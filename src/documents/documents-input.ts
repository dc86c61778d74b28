import type { RecordingRow, TranscriptRow } from '../../projections/recording-row.ts';
import { baseName } from './file-names.ts';
import type { DocumentsInput } from './documents.ts';
import { localTime } from '../recordings/local-time.ts';

/**
 * What documents and exports of a recording are made of, from its rows: what a reader is shown, also
 * while there are no documents. `base` is the one of the documents, or the one they would get.
 */
export async function exportInput(
  row: RecordingRow,
  transcript: TranscriptRow,
  uiLanguage: 'de' | 'en',
): Promise<DocumentsInput> {
  const localStart = localTime(new Date(row.started_at));
  const title = row.title ?? '';
  return {
    recordingId: row.recording_id,
    base: row.documents?.index.replace(/\.md$/u, '') ?? (await baseName(localStart, title, free)),
    title,
    aliases: [],
    kind: row.kind,
    language: row.language,
    duration: row.duration,
    localStart,
    uiLanguage,
    speakers: row.speakers,
    blocks: transcript.blocks,
    summary: transcript.summary ?? '',
    abstract: row.abstract ?? '',
    notes: row.notes,
  };
}

const free = () => false;
