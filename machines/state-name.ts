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

function nameBelow(key: string, child: StateValue): string {
  if (typeof child === 'string') return `${key}.${child}`;
  const inner = stateName(child);
  if (inner === '') return key;
  return Object.keys(child).length > 1 ? `${key}(${inner})` : `${key}.${inner}`;
}
