import { type StateValue, getNextTransitions } from 'xstate';
import { type RecordingFactType, type Stage, stages } from '../events/facts/recording.ts';
import { conditionOf, conditions } from './guards.ts';
import type { RecordingSnapshot } from './recording.ts';

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

/** Whether a state, by its name, is one in which something is done: recording or transcribing. */
export const isAtWork = (name: string): boolean =>
  isIn(name, 'recording') || isIn(name, 'transcribing');

/** The states that readers of names ask for. */
export type StatePath =
  | 'idle'
  | 'idle.saved'
  | 'idle.kept'
  | 'idle.erased'
  | 'recording'
  | 'transcribing'
  | 'transcribing.writing'
  | 'transcribing.assembling'
  | 'awaiting-speakers'
  | 'error';

/**
 * Types of the facts that the state allows, sorted: those with at least one payload that would be
 * accepted. For the reader of a refusal.
 */
export function possibleFacts(snapshot: RecordingSnapshot): RecordingFactType[] {
  const possible = new Set<string>();
  for (const { eventType, guard } of getNextTransitions(snapshot)) {
    if (!eventType.startsWith('xstate.') && couldPass(snapshot, guard)) possible.add(eventType);
  }
  return [...possible].sort() as RecordingFactType[];
}

/** The stages whose activities run in this state, in the order of the pipeline. */
export const activeStages = (snapshot: RecordingSnapshot): Stage[] =>
  stages.filter((stage) => snapshot.hasTag(stage));

/** Whether nothing runs: the recording waits for a person, or for nothing. */
export const isSettled = (snapshot: RecordingSnapshot): boolean =>
  activeStages(snapshot).length === 0;

function nameBelow(key: string, child: StateValue): string {
  if (typeof child === 'string') return `${key}.${child}`;
  const inner = stateName(child);
  if (inner === '') return key;
  return Object.keys(child).length > 1 ? `${key}(${inner})` : `${key}.${inner}`;
}

function couldPass({ context }: RecordingSnapshot, guard: unknown): boolean {
  const asked = conditionOf(guard);
  return asked === undefined || conditions[asked.type].couldMeet(context, asked.params);
}
