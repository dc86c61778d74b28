import type { Note } from './notes.ts';
import type { Language } from './params.ts';
import { type Hearer, sayTo } from './say.ts';

/** Notes as somebody reads them, a text each. One cause has several consequences: it is said with the first. */
export function sayNotes(hearer: Hearer, notes: readonly Note[], language: Language): string[] {
  const known = new Set<string>();
  return notes.map(({ detail, params = {}, ...note }) => {
    const { cause, ...others } = params;
    const why = detail ?? (cause === undefined ? undefined : JSON.stringify(cause));
    const isKnown = why !== undefined && known.has(why);
    if (why !== undefined) known.add(why);
    const sentence = { area: 'note', ...note, params: isKnown ? others : params };
    return [sayTo(hearer, sentence, language) ?? note.code, isKnown ? undefined : detail]
      .filter((part) => part !== undefined)
      .join(' ');
  });
}
