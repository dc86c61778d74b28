import { type Reading, plainTitle } from '../../projections/recording/reading.ts';
import type { DocumentsInput } from './documents.ts';
import type { RecordingRow } from '../../projections/recording-row.ts';
import type { TranscriptRow } from '../../projections/texts.ts';
import { baseName } from './file-names.ts';
import { localTime } from '../shared/time.ts';
import type { Language } from '../words/params.ts';

/** Everything the three documents are made of, from the log alone: the same log, the same bytes. */
export function documentsInput(
  recordingId: string,
  reading: Reading,
  named: {
    base: string;
    title: string;
    local_start: string;
    ui_language: Language;
  },
  /** As the documents are, or were, saved; undefined in facts before there was the choice. */
  {
    times = true,
    links = false,
    address = null,
  }: {
    times?: boolean | undefined;
    links?: boolean | undefined;
    address?: string | null | undefined;
  },
  /** Path of the audio in the vault that the documents lie in. */
  audio: string | null = null,
): DocumentsInput {
  const { kind, language, duration, speakers, blocks } = reading;
  const firstTitle = plainTitle(named.title);
  const title = reading.title ?? firstTitle;
  const former = [firstTitle, ...reading.formerTitles];
  return {
    recordingId,
    base: named.base,
    title,
    source: reading.filename,
    aliases: [...new Set(former)].filter((alias) => alias !== title),
    kind,
    language,
    duration,
    localStart: reading.localStart ?? named.local_start,
    uiLanguage: named.ui_language,
    times,
    links,
    address,
    audio,
    speakers,
    blocks,
    summary: reading.summary ?? '',
    lines: reading.lines,
    sidenotes: reading.sidenotes,
    abstract: reading.abstract ?? '',
    // What was edited by hand is known only once the files are written.
    notes: reading.notes.filter(({ code }) => code !== 'edited'),
  };
}

/**
 * What documents and exports of a recording are made of, from its rows: what a reader is shown, also
 * while there are no documents. `base` is the one of the documents, or the one they would get.
 */
export async function exportInput(
  row: RecordingRow,
  transcript: TranscriptRow,
  { uiLanguage, times, links }: Pick<DocumentsInput, 'uiLanguage' | 'times' | 'links'>,
): Promise<DocumentsInput> {
  const localStart = localTime(new Date(row.startedAt));
  const title = row.title ?? '';
  return {
    recordingId: row.recordingId,
    base: row.documents?.index.replace(/\.md$/u, '') ?? (await baseName(localStart, title, free)),
    title,
    source: row.source,
    aliases: [],
    kind: row.kind,
    language: row.language,
    duration: row.duration,
    localStart,
    uiLanguage,
    times,
    links,
    speakers: row.speakers,
    blocks: transcript.blocks,
    summary: transcript.summary ?? '',
    lines: transcript.lines,
    sidenotes: transcript.sidenotes,
    abstract: row.abstract ?? '',
    notes: row.notes,
  };
}

const free = () => false;
