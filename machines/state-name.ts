import type { StateValue } from 'xstate';

/**
 * The one way a state is written: `idle.saved`, or with regions, sorted by name,
 * `transcribing.finishing(punctuate.running,summarise.done)`.
 */
export function stateName(value: StateValue): string {
  if (typeof value === 'string') return value;
  const children = Object.entries(value)
    .filter((entry): entry is [string, StateValue] => entry[1] !== undefined)
    .map(([key, child]) => nameBelow(key, child))
    .sort();
  return children.join(',');
}

/**
 * Whether a state, by its canonical name, is this one or one below it: `isIn('idle.saved', 'idle')`. What has
 * a snapshot asks `snapshot.matches`; this is for names out of the log and out of rows.
 */
export const isIn = (name: string, state: StatePath): boolean =>
  name === state || name.startsWith(`${state}.`) || name.startsWith(`${state}(`);

/** The states that readers of names ask for. */
export type StatePath =
  | 'idle'
  | 'idle.saved'
  | 'idle.erased'
  | 'recording'
  | 'transcribing'
  | 'transcribing.writing'
  | 'awaiting-speakers'
  | 'error';

function nameBelow(key: string, child: StateValue): string {
  if (typeof child === 'string') return `${key}.${child}`;
  const inner = stateName(child);
  if (inner === '') return key;
  return Object.keys(child).length > 1 ? `${key}(${inner})` : `${key}.${inner}`;
}
