/** Keys that act on every page, and the switch that all keys of one character obey. Pages have their own beside. */
import { persistentAtom } from '@nanostores/persistent';
import { atom } from 'nanostores';
import { session } from '../client/session.ts';
import { type RecordingAction, actByKey } from '../recording-bar/by-key.ts';
import { router } from './routes.ts';

/** Whether keys of one character act (WCAG 2.1.4), chosen in this browser; in a field they never do. */
export const singleLetters = persistentAtom<'on' | 'off'>('mitschrift.keys', 'on');

/**
 * Whether a key does not act, by that switch or because a menu is open: whoever types there means the menu. Every
 * component with keys of its own asks here.
 */
export const isSwitchedOff = (key: string): boolean =>
  key.length === 1 &&
  key !== ' ' &&
  (singleLetters.get() === 'off' || document.querySelector(':popover-open') !== null);

/** Whether the table of keys is shown. */
export const keysShown = atom(false);

export type GlobalAction =
  | 'search'
  | 'keys'
  | 'sidenote'
  | 'notes'
  | 'speakers'
  | 'organise'
  | 'settings'
  | RecordingAction;
type Press = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>;

/** Milliseconds in which the second key of two has to follow. */
const secondWithin = 1500;
const places: Record<string, GlobalAction> = {
  n: 'notes',
  s: 'speakers',
  o: 'organise',
  e: 'settings',
};
const singles: Record<string, GlobalAction> = {
  '/': 'search',
  '?': 'keys',
  r: 'record',
  m: 'mark',
  n: 'sidenote',
};
/** With Shift, which nobody holds by mistake. */
const shifted: Record<string, GlobalAction> = { r: 'stop', p: 'pause' };

/**
 * What a key means. @param afterG whether G was pressed just before
 * @param single whether keys of one character act here: not in a field, not when they are switched off
 * @returns `first`: the first of two keys; null: nothing of ours
 */
export function meaningOf(
  { key, ctrlKey, metaKey, altKey, shiftKey }: Press,
  { afterG, single }: { afterG: boolean; single: boolean },
): GlobalAction | 'first' | null {
  const letter = key.toLowerCase();
  if ((ctrlKey || metaKey) && !altKey) return letter === 'k' ? 'search' : null;
  if (!single || ctrlKey || metaKey || altKey) return null;
  // Signs (`?`) need Shift themselves.
  if (shiftKey && /^\p{L}$/u.test(letter)) return shifted[letter] ?? null;
  if (afterG) return places[letter] ?? null;
  return letter === 'g' ? 'first' : (singles[letter] ?? null);
}

/** Whether a key of one character belongs to what has the focus. */
const isInField = (target: EventTarget | null): boolean =>
  target instanceof Element &&
  target.closest(
    'input:not([type=radio], [type=checkbox]), textarea, select, [contenteditable]',
  ) !== null;

/** Whether a key means something else: to who took it, to a field that has the focus, to a dialog or a menu. */
export const isTaken = ({ defaultPrevented, target }: KeyboardEvent): boolean =>
  defaultPrevented ||
  isInField(target) ||
  document.querySelector('dialog[open], :popover-open') !== null;

/** Listens as long as the page is open. */
export function followKeys(): void {
  let gAt = -Infinity;
  addEventListener('keydown', (event) => {
    // A page that knows the key better has taken it; a question wants its own answer.
    if (event.defaultPrevented || event.isComposing || session.get() === null) return;
    if (document.querySelector('dialog[open]') !== null) return;
    const afterG = event.timeStamp - gAt < secondWithin;
    const single = !isSwitchedOff(event.key) && !isInField(event.target);
    const meaning = meaningOf(event, { afterG, single });
    gAt = meaning === 'first' ? event.timeStamp : -Infinity;
    if (meaning === null || meaning === 'first') return;
    if (event.repeat || !act(meaning)) return;
    event.preventDefault();
  });
}

/** @returns false when there is nothing to be done here */
function act(action: GlobalAction): boolean {
  if (action === 'record' || action === 'stop' || action === 'pause' || action === 'mark')
    return actByKey(action);
  if (action === 'settings' && session.get()?.is_admin !== true) return false;
  if (action === 'search' && focusSearch()) return true;
  if (action === 'sidenote') return focusOn('#sidenote');
  if (action === 'keys') keysShown.set(true);
  else router.open(addresses[action]);
  return true;
}

const addresses = {
  search: '/search',
  notes: '/',
  speakers: '/speakers',
  organise: '/organise',
  settings: '/settings',
};

/** Gives the focus to the field of this page, if it has one. */
function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>('main [role=search] #q');
  field?.select();
  return focusOn('main [role=search] #q');
}

function focusOn(selector: string): boolean {
  const field = document.querySelector<HTMLElement>(selector);
  field?.focus();
  return field !== null;
}
