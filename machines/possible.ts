import { getNextTransitions } from 'xstate';
import { type RecordingFactType, type Stage, stages } from '../events/facts/recording.ts';
import { type ConditionName, conditions } from './guards.ts';
import type { RecordingSnapshot } from './recording.ts';

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

function couldPass({ context }: RecordingSnapshot, guard: unknown): boolean {
  if (guard === undefined) return true;
  const { type, params } =
    typeof guard === 'string'
      ? { type: guard, params: undefined }
      : (guard as { type: string; params?: unknown });
  // Every guard of the machine is one of the conditions: its type says so.
  return conditions[type as ConditionName].couldMeet(context, params as never);
}
