/** What was put elsewhere since the app was opened, newest first: each can be taken back, once. */
import { atom } from 'nanostores';

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

/** Older ones are forgotten. */
const keptMax = 50;
let last = 0;

/** Keeps one. @returns its undo, which is the same as that of the list: it acts once */
export function keepRecent(text: string, undo: () => void, title: string | null = null) {
  last += 1;
  const id = last;
  const once = () => {
    const kept = recentChanges.get();
    if (!kept.some((one) => one.id === id)) return;
    recentChanges.set(kept.filter((one) => one.id !== id));
    undo();
  };
  const change = { id, text, title, at: Date.now(), undo: once };
  recentChanges.set([change, ...recentChanges.get()].slice(0, keptMax));
  return once;
}
