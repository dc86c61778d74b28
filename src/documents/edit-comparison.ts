import type { DocumentEdit } from '../../projections/recording/edit-document.ts';
import type { Reading } from '../../projections/recording/reading.ts';
import { documentFilesOf, type Recording } from '../../projections/recording/recording.ts';
import { editIn } from './document-edit.ts';
import { type DocumentName, documentsInput } from './documents.ts';
import { summaryEditIn } from './summary-edit.ts';

/**
 * What a person changed of a document as we would write it. What the file that is there says so already, in their own words
 * of before, takes nothing back that was corrected since.
 */
export async function comparison(
  recordingId: string,
  document: DocumentName,
  { markdown, there }: Record<'markdown' | 'there', string>,
) {
  const { renderDocuments } = await import('./render.ts');
  return (now: Recording, reading: Reading): DocumentEdit => {
    const { named, saved } = documentFilesOf(now, reading.source);
    const { data, content } = named ?? {};
    if (!data || !content) return { changes: [], own: true };
    const input = documentsInput(
      recordingId,
      reading,
      { ...data, ...content },
      saved?.data ?? {},
      saved?.content,
    );
    const ours = renderDocuments(input);
    const editOf = (theirs: string): DocumentEdit => {
      if (document === 'transcript') return editIn(ours.transcript, theirs);
      return document === 'summary' && input.lines.length > 0
        ? summaryEditIn(ours.summary, theirs, input)
        : { changes: [], own: ours[document].trim() !== theirs.trim() };
    };
    const [edit, earlier] = [editOf(markdown), editOf(there)];
    const known = new Set([...earlier.changes, ...(earlier.lines ?? [])].map(wordsOfChange));
    const isNew = (change: object): boolean => !known.has(wordsOfChange(change));
    return {
      ...edit,
      changes: edit.changes.filter(isNew),
      ...(edit.lines ? { lines: edit.lines.filter(isNew) } : {}),
    };
  };
}

const wordsOfChange = (change: object): string => JSON.stringify(change);
