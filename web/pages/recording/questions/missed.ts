/** What somebody missed of a talk that is recorded, and since when they were away from it. */
import { type ReadableAtom, atom } from 'nanostores';
import { type Answer, type Asker, openAsker } from '../../../questions/asking.ts';
import { words } from '../../../questions/words.ts';
import { dates } from '../../../words/i18n.ts';
import type { Note } from '../changes.ts';
import { positionIn, recordedInto } from '../sidenotes/now.ts';

/** From where it is told; `left`: from when the page was hidden. */
export type Missed = 'recent' | 'left' | 'all';

/** When the page was hidden: in milliseconds since 1970, and in seconds of the recording. */
type Absence = { from: number; at: number };

export type MissedDesk = Asker<Missed> & {
  /** The last time that somebody was away; null: never. */
  left: ReadableAtom<Absence | null>;
  close(): void;
};

/** What the last minutes are, in seconds. */
const recentSeconds = 300;
/** Who looks elsewhere for a shorter time, in milliseconds, has not left once more. */
const glanceMs = 10_000;

export function openMissed(note: Pick<Note, 'id' | 'now'>): MissedDesk {
  const left = atom<Absence | null>(null);
  const running = recordedInto(note.id);
  const closed = new AbortController();
  let hidden: Absence | null = null;

  const position = () => positionIn(note.now(), running.get(), { heard: 0, recorded: 0 });
  const turned = () => {
    if (document.hidden) {
      const isRunning = note.now().status === 'RECORDING';
      hidden = isRunning ? { from: Date.now(), at: position() } : null;
    } else if (hidden !== null) {
      if (left.get() === null || Date.now() - hidden.from >= glanceMs) left.set(hidden);
      hidden = null;
    }
  };
  document.addEventListener('visibilitychange', turned, { signal: closed.signal });

  const sinceOf = (missed: Missed): number => {
    if (missed === 'recent') return Math.max(0, position() - recentSeconds);
    return missed === 'left' ? (left.get()?.at ?? 0) : 0;
  };
  const asker = openAsker<Missed>({
    bodyOf: (missed) => ({ recording_id: note.id, about: 'missed', since: sinceOf(missed) }),
    reading: () => words.get().readingNote,
    noneOf: (_, answer) => nothingOf(answer),
  });
  return { ...asker, left, close: () => (closed.abort(), asker.leave()) };
}

/** What is said of an answer without lines. */
export const nothingOf = ({ searched }: Answer): string =>
  searched.passages === 0 ? words.get().nothingSaid : words.get().noneProved;

/** What may be asked for, in words. */
export const missedChoices = (left: Absence | null): { missed: Missed; name: string }[] => {
  const { recent, left: since, all } = words.get();
  return [
    { missed: 'recent', name: recent },
    ...(left === null
      ? []
      : [{ missed: 'left' as const, name: since({ time: dates.get().time(left.from) }) }]),
    { missed: 'all', name: all },
  ];
};
