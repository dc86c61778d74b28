/** What a page has at the lower edge of every screen, below the recording bar: the player, or progress. */
import { atom } from 'nanostores';
import type { Snippet } from 'svelte';

export const inDock = atom<Snippet | null>(null);
