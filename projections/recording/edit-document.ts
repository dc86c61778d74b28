import { type Decision, isRefusal } from '../../events/command-handler.ts';
import type { RecordingFactOf } from '../../events/facts/recording.ts';
import { type LineEdit, type SummaryRefusal, summaryEdits } from './edit-summary.ts';
import {
  type BlockChange,
  type EditRefusal,
  type ShownName,
  editsOf,
  noDocuments,
  turnsChanged,
} from './edit-turns.ts';
import { type Reading, isRestoring, published } from './reading.ts';
import type { Recording } from './recording.ts';

/** What a person made of a document: corrections of its turns, edits of its summary, and whether there is more to it. */
export type DocumentEdit = {
  changes: readonly BlockChange[];
  lines?: readonly LineEdit[];
  own: boolean;
};
type DocumentEdited = RecordingFactOf<'document.edited'>;

/**
 * Takes a document that a person edited: what can be said of its turns and lines corrects transcript and summary; with
 * anything else the whole is kept as their own version.
 * @param compare what the person changed of the document as it is now
 * @param by their user id
 */
export const editDocument =
  (
    given: { document: DocumentEdited['data']['document']; markdown: string; replaces: string },
    compare: (recording: Recording, reading: Reading) => DocumentEdit,
    shownName: ShownName,
    by: string,
  ) =>
  (
    recording: Recording,
  ): Decision<
    RecordingFactOf<'turn.edited' | 'summary.edited' | 'task.checked'> | DocumentEdited,
    EditRefusal | SummaryRefusal
  > => {
    const reading = published(recording);
    if (!reading) return noDocuments('document.edited');
    if (isRestoring(recording)) return turnsChanged;
    const { document, markdown, replaces } = given;
    const { changes, lines = [], own } = compare(recording, reading);
    const edits = editsOf(recording, reading, changes, shownName);
    if (isRefusal(edits)) return edits;
    const summary = summaryEdits(recording, reading, lines, by);
    if (isRefusal(summary)) return summary;
    const content = own ? { markdown } : {};
    return [
      ...edits,
      ...summary,
      { type: 'document.edited', data: { document, own, replaces }, content },
    ];
  };
