/** Keys of a recording's page (ui/README.md, "Keyboard"). */

/** A number: so many seconds on. */
export type Act = 'toggle' | 'faster' | 'slower' | 'find' | 'panel' | 'undo' | 'redo' | number;

/** Those that play, or are about how. */
export const isOfPlayer = (act: Act): boolean =>
  typeof act === 'number' || act === 'toggle' || act === 'faster' || act === 'slower';

const acts: Record<string, Act> = {
  ' ': 'toggle',
  k: 'toggle',
  ArrowLeft: -5,
  ArrowRight: 5,
  j: -10,
  l: 10,
  t: 'panel',
  '<': 'slower',
  '>': 'faster',
};

/**
 * What a key means; null for one that means something else: in a field, in a dialog, to the browser. The browser's
 * own search comes with the second Ctrl F.
 */
export function actOfKey(
  event: Pick<
    KeyboardEvent,
    'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey' | 'target' | 'defaultPrevented'
  >,
  {
    isFinding,
    hasUndo,
    hasRedo = false,
    single = true,
  }: {
    isFinding: boolean;
    hasUndo: boolean;
    hasRedo?: boolean;
    /** Whether keys of one character act (the account's switch). */
    single?: boolean;
  },
): Act | null {
  if (event.defaultPrevented || event.altKey) return null;
  const { target, key } = event;
  const element = target instanceof Element ? target : null;
  const isField = element?.closest('input, textarea, select, [contenteditable]') ?? null;
  if (element?.closest('dialog')) return null;
  if (event.ctrlKey || event.metaKey) {
    if (key.toLowerCase() === 'f' && !isFinding) return 'find';
    if (key.toLowerCase() !== 'z' || isField !== null) return null;
    if (event.shiftKey) return hasRedo ? 'redo' : null;
    return hasUndo ? 'undo' : null;
  }
  if (isField !== null && !isPosition(isField)) return null;
  if (!single && key.length === 1 && key !== ' ') return null;
  // Space presses the button, or opens the menu, that has the focus; arrows are a tab's.
  if (key === ' ' && element?.closest('button, summary, a, [role="button"]')) return null;
  if (key.startsWith('Arrow') && (isField !== null || element?.closest('[role="tab"]')))
    return null;
  // Opens the tags (`Filing.svelte`).
  if (key === 'T' && event.shiftKey) return null;
  return acts[key.length === 1 ? key.toLowerCase() : key] ?? null;
}

/** The player's own slider: letters and Space there mean what they mean elsewhere. */
const isPosition = (field: Element): boolean => field.getAttribute('type') === 'range';
