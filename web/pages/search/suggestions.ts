/** While a question is typed: notes that have its words in their titles and names. */
import { atom } from 'nanostores';
import { ApiError, answer, api } from '../../client/api.ts';
import type { NoteFound, NotesFound } from '../home/library/rows.ts';

/** Milliseconds of rest after a key before it is asked, and notes at most. */
const restMs = 150;
const notesMax = 5;
/** Characters of a question that are sent: the service takes no more. */
export const charactersMax = 400;

export function openSuggestions() {
  const notes = atom<NoteFound[]>([]);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asking: AbortController | undefined;

  const forget = () => {
    clearTimeout(timer);
    asking?.abort();
    asking = undefined;
  };

  async function ask(text: string): Promise<void> {
    const mine = (asking = new AbortController());
    try {
      const query = {
        q: text.slice(0, charactersMax),
        group: 'note' as const,
        in: 'headings' as const,
        limit: notesMax,
        passages: 1,
      };
      const found = await answer(api.GET('/search', { params: { query }, signal: mine.signal }));
      // `group=note` is answered with notes, by the OpenAPI document one of two.
      if (asking === mine) notes.set((found as NotesFound).notes);
    } catch (error) {
      // Nothing is suggested then: the search itself says what is wrong.
      if (!mine.signal.aborted && !(error instanceof ApiError)) throw error;
    }
  }

  return {
    notes,
    type(text: string): void {
      forget();
      if (text === '') notes.set([]);
      else timer = setTimeout(() => void ask(text), restMs);
    },
    stop: forget,
  };
}
