import { isRefusal, type Decision, type Refusal } from '../../events/command-handler.ts';
import type { RecordingFactOf } from '../../events/facts/recording.ts';
import type { Block } from '../../events/facts/transcript.ts';
import { corrected, newLabel } from './carry-over.ts';
import { type Reading, published } from './reading.ts';
import { type Recording, factAt } from './recording.ts';

/** What a person wants of one block: other words, or another speaker (a label, a name, or a new one). */
export type BlockChange = {
  block: string;
  text?: string | undefined;
  speaker?: string | undefined;
};
/** A label as the documents show it: without a name `SPEAKER_00` is `Speaker 1`. */
export type ShownName = (
  input: { speakers: Reading['speakers']; uiLanguage: 'de' | 'en' },
  label: string,
) => string;

export type EditRefusal =
  | (Refusal<'NO_DOCUMENTS'> & { type: 'turn.edited' | 'speakers.renamed' | 'document.edited' })
  | Refusal<'NO_SUCH_TURN'>
  | Refusal<'NO_SPEAKERS'>;
type TurnEdit = RecordingFactOf<'turn.edited'>;

/** Corrects the turn at an index of what people are shown. */
export const editTurn =
  (index: number, change: Omit<BlockChange, 'block'>, shownName: ShownName) =>
  (recording: Recording): Decision<TurnEdit, EditRefusal> => {
    const reading = published(recording);
    if (!reading) return noDocuments('turn.edited');
    const block = reading.blocks[index];
    if (!block) return { refused: 'NO_SUCH_TURN', message: 'There is no such utterance.' };
    return editsOf(recording, reading, [{ block: block.id, ...change }], shownName);
  };

/** What a person made of a document: corrections of its turns, and whether there is more to it. */
export type DocumentEdit = { changes: readonly BlockChange[]; own: boolean };
type DocumentEdited = RecordingFactOf<'document.edited'>;

/**
 * Takes a document that a person edited: what can be said by the ids of its turns corrects the
 * transcript; with anything else the whole is kept as their own version.
 * @param compare what the person changed of the document as it is now
 */
export const editDocument =
  (
    given: { document: DocumentEdited['data']['document']; markdown: string; replaces: string },
    compare: (recording: Recording, reading: Reading) => DocumentEdit,
    shownName: ShownName,
  ) =>
  (recording: Recording): Decision<TurnEdit | DocumentEdited, EditRefusal> => {
    const reading = published(recording);
    if (!reading) return noDocuments('document.edited');
    const { document, markdown, replaces } = given;
    const { changes, own } = compare(recording, reading);
    const edits = editsOf(recording, reading, changes, shownName);
    if (isRefusal(edits)) return edits;
    const content = own ? { markdown } : {};
    return [...edits, { type: 'document.edited', data: { document, own, replaces }, content }];
  };

/**
 * The facts for changes of blocks in what people are shown; none where nothing changes. A speaker
 * without a name yet gets a new label; blocks that do not exist are left out. Pure.
 */
function editsOf(
  recording: Recording,
  reading: Reading,
  changes: readonly BlockChange[],
  shownName: ShownName,
): Decision<TurnEdit, Refusal<'NO_SPEAKERS'>> {
  const { basis } = reading;
  const blocks = new Map(reading.blocks.map((block) => [block.id, block]));
  const named = factAt(recording, reading.source.results.named, 'documents.named');
  const uiLanguage = named?.data.ui_language ?? 'en';
  const labels = speakerLabels(reading.speakers, (label) =>
    shownName({ speakers: reading.speakers, uiLanguage }, label),
  );
  const facts: TurnEdit[] = [];
  for (const change of changes) {
    const block = blocks.get(change.block);
    if (!block || basis === null) continue;
    if (change.speaker !== undefined && block.speaker === null) return noSpeakers;
    const text = change.text ?? block.text;
    const { label, name } = labels.of(change.speaker, block);
    if (text === block.text && label === block.speaker) continue;
    const words = text === block.text ? { text, words: block.words } : corrected(block, text);
    facts.push({
      type: 'turn.edited',
      data: { basis, block: block.id, speaker: label },
      content: { ...words, ...(name === undefined ? {} : { name }) },
    });
  }
  return facts;
}

export const noDocuments = <T extends (EditRefusal & { type: unknown })['type']>(type: T) => ({
  refused: 'NO_DOCUMENTS' as const,
  message: 'The recording has no documents yet.',
  type,
});

const noSpeakers: Refusal<'NO_SPEAKERS'> = {
  refused: 'NO_SPEAKERS',
  message: 'This passage belongs to no speaker: the recording is not a meeting.',
};

/** Finds labels by label, by name, or as the documents show them; one that is not found is new. */
function speakerLabels(speakers: Reading['speakers'], shownName: (label: string) => string) {
  const added = new Map<string, string>();
  return {
    of(wanted: string | undefined, block: Block): { label: string | null; name?: string } {
      if (wanted === undefined) return { label: block.speaker };
      const found =
        speakers.find(({ label }) => label === wanted) ??
        speakers.find(({ name }) => name === wanted) ??
        speakers.find(({ label }) => shownName(label) === wanted);
      if (found) return { label: found.label };
      const label =
        added.get(wanted) ??
        newLabel(new Set([...speakers.map((one) => one.label), ...added.values()]));
      added.set(wanted, label);
      return { label, name: wanted };
    },
  };
}
