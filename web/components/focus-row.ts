/** Where the focus goes when a row of a list goes, or moves. */
import { tick } from 'svelte';

type List = HTMLElement | undefined;

/** To what takes the place of one that went; behind the last, to that; where the list went with it, to `otherwise`. */
export async function focusNth(
  list: List,
  selector: string,
  place: number,
  otherwise?: HTMLElement | null,
): Promise<void> {
  await tick();
  const found = list?.isConnected ? list.querySelectorAll<HTMLElement>(selector) : [];
  (found[Math.min(place, found.length - 1)] ?? otherwise)?.focus();
}

/** To the button that moved a row, where the row is now; at an end to the other one. */
export async function focusMoved(list: List, place: number, by: -1 | 1): Promise<void> {
  await tick();
  const row = list?.querySelectorAll(':scope > li')[place];
  const button = (name: string) => row?.querySelector<HTMLElement>(name);
  const isUp = by < 0;
  (button(isUp ? '.up:enabled' : '.down:enabled') ?? button(isUp ? '.down' : '.up'))?.focus();
}
