/** What a page has at the lower edge of every screen, below the recording bar: the player, or progress. */
import { atom } from 'nanostores';
import type { Snippet } from 'svelte';

export const inDock = atom<Snippet | null>(null);

/** Shows it there. @returns how to take it away */
export function showInDock(content: Snippet): () => void {
  inDock.set(content);
  return () => {
    if (inDock.get() === content) inDock.set(null);
  };
}
