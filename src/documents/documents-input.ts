import type { RecordingRow, TranscriptRow } from '../../projections/recording-row.ts';
import type { Block } from '../../events/facts/transcript.ts';
import { baseName } from './file-names.ts';
import type { DocumentsInput } from './documents.ts';
import { paragraphs } from '../../projections/recording/paragraphs.ts';
import type { Note } from '../../projections/recording/notes.ts';
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
    blocks: blocksOf(transcript),
    summary: transcript.summary ?? '',
    abstract: row.abstract ?? '',
    notes: row.notes as Note[],
  };
}

/** Paragraphs or turns; before there are any, what was recognised so far. */
export function blocksOf({ blocks, utterances }: TranscriptRow): Block[] {
  if (blocks.length > 0) return blocks;
  const heard = utterances.map((one) => ({ ...one, language: null, doubt: one.doubt }));
  return paragraphs(heard, null);
}

const free = () => false;
