/** Short messages after an action, some with a way back. For no errors but of what has no other place: a way back, whose page may be gone, copying, keys of the recording. */
import { atom } from 'nanostores';
import { giveFocus } from './focus-heading.ts';

export type Toast = {
  id: number;
  text: string;
  undo?: () => void;
  /** What else can be done. */
  offered?: { name: string; act: () => void };
};

export const toasts = atom<readonly Toast[]>([]);

/** How long one stays, in milliseconds. */
const shown = 8_000;
/** After these milliseconds it is looked again whether one that stays is still wanted. */
const lookAgain = 2_000;
/** Shown at once, at most; of more the newest. */
const most = 5;
let last = 0;

/** Shows a message. @param undo adds a button that takes the action back. Returns a function that removes it. */
export function toast(text: string, undo?: () => void): () => void {
  return show(text, (remove) => (undo ? { undo: () => press(remove, undo) } : {}));
}

/** Asks something that need not be answered. @param name of the button */
export function offer(text: string, name: string, act: () => void): void {
  show(text, (remove) => ({ offered: { name, act: () => press(remove, act) } }));
}

/** The button goes with its message: unless the act gives the focus elsewhere, the heading of the page has it. */
function press(remove: () => void, act: () => void): void {
  remove();
  act();
  const heading = document.querySelector<HTMLElement>('main h1');
  if (document.querySelector('.toasts')?.contains(document.activeElement) && heading !== null)
    giveFocus(heading);
}

function show(
  text: string,
  buttons: (remove: () => void) => Pick<Toast, 'undo' | 'offered'>,
): () => void {
  last += 1;
  const id = last;
  const remove = () => toasts.set(toasts.get().filter((each) => each.id !== id));
  toasts.set([...toasts.get(), { id, text, ...buttons(remove) }].slice(-most));
  // Who reads slowly, or goes to a button by keyboard, has the time for it.
  const leave = () => {
    const stays = isWanted() && toasts.get().some((each) => each.id === id);
    if (stays) setTimeout(leave, lookAgain);
    else remove();
  };
  setTimeout(leave, shown);
  return remove;
}

/** Whether the pointer or the focus is on one, or nobody sees the page. */
function isWanted(): boolean {
  const all = document.querySelector('.toasts');
  if (document.hidden || all === null) return document.hidden;
  return all.matches(':hover') || all.contains(document.activeElement);
}
