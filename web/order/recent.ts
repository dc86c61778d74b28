/** What was put elsewhere since the app was opened, newest first: each can be taken back, until that is done. */
import { atom } from 'nanostores';
import { toast } from '../app/toasts.ts';
import { ApiError } from '../client/api.ts';
import { person } from '../client/session.ts';
import { words } from './words.ts';

export type RecentChange = {
  id: number;
  text: string;
  /** Of the note, where it was one. */
  title: string | null;
  /** Milliseconds of the epoch. */
  at: number;
  undo: () => void;
};

export const recentChanges = atom<readonly RecentChange[]>([]);
// They name notes of whoever moved them.
person.listen(() => recentChanges.set([]));

/** Older ones are forgotten. */
const keptMax = 50;
let last = 0;

/**
 * Keeps one. @returns its undo, which is the same as that of the list: it acts once
 * @param undo rejects with an `ApiError` where it was refused: a message says so, and it is kept for another try
 */
export function keepRecent(
  text: string,
  undo: () => Promise<unknown>,
  title: string | null = null,
): () => void {
  last += 1;
  const id = last;
  const others = () => recentChanges.get().filter((one) => one.id !== id);
  const change = { id, text, title, at: Date.now(), undo: () => void once() };
  const keep = () =>
    recentChanges.set([change, ...others()].toSorted((a, b) => b.id - a.id).slice(0, keptMax));
  const once = async () => {
    const kept = others();
    if (kept.length === recentChanges.get().length) return;
    recentChanges.set(kept);
    try {
      await undo();
    } catch (error) {
      keep();
      if (!(error instanceof ApiError)) throw error;
      // Where it was done may be gone by now: nothing else on the page is a place for it.
      toast(words.get().notUndone({ change: text, why: error.message }), change.undo);
    }
  };
  keep();
  return change.undo;
}

/** Keeps one, and says so in a message with its undo. */
export function tellRecent(...[text, undo, title]: Parameters<typeof keepRecent>): void {
  toast(text, keepRecent(text, undo, title));
}
