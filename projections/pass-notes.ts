import type { ReprocessedFrom } from '../events/facts/recording.ts';

/** What a reader should know of a pass: what was left out, and why. */
export type Note = { code: string; detail: string };

/** Code of the note that says how many corrections found no place. */
export const unplacedNote = 'corrections-unplaced';

/** The notes with one more, unless it is there already. */
export const withNote = (notes: readonly Note[], note: Note): Note[] =>
  notes.some(({ code, detail }) => code === note.code && detail === note.detail)
    ? [...notes]
    : [...notes, note];

/** Whether what a note says still holds while a pass runs again from there. */
export function noteStays(code: string, from: ReprocessedFrom): boolean {
  if (code === 'capture-interrupted' || code === 'edited') return true;
  if (from === 'speech-to-text') return false;
  if (from === 'entitle' || from === 'write') return true;
  const ofWords = ['no-language-model', 'parts-unpunctuated', unplacedNote, 'restored'];
  const ofSpeakers = ['diarization-skipped', 'identification-skipped', 'speakers-skipped'];
  return !ofWords.includes(code) && (from === 'language-model' || !ofSpeakers.includes(code));
}
