import type { Note } from '../../projections/recording/notes.ts';
import type { Reading } from '../../projections/recording/reading.ts';
import type { DocumentsInput } from '../documents/documents.ts';

/** Everything the three documents are made of, from the log alone: the same log, the same bytes. */
export function documentsInput(
  recordingId: string,
  reading: Reading,
  named: { base: string; title: string; local_start: string; ui_language: 'de' | 'en' },
): DocumentsInput {
  const { kind, language, duration, speakers, blocks } = reading;
  const title = reading.title ?? named.title;
  const former = [named.title, ...reading.formerTitles];
  return {
    recordingId,
    base: named.base,
    title,
    aliases: [...new Set(former)].filter((alias) => alias !== title),
    kind,
    language,
    duration,
    localStart: named.local_start,
    uiLanguage: named.ui_language,
    speakers,
    blocks,
    summary: reading.summary ?? '',
    abstract: reading.abstract ?? '',
    notes: reading.notes.flatMap(noteInDocuments),
  };
}

/** What was edited by hand is known only once the files are written; why a stage was left out is no sentence. */
function noteInDocuments({ code, detail }: Note): Note[] {
  if (code === 'edited') return [];
  return [{ code, detail: code.endsWith('-skipped') ? '' : detail }];
}
