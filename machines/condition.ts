import type { RecordingContext, RecordingMachineEvent } from './context.ts';

/**
 * A condition of a transition, three views of it: whether an event meets it, whether any event could
 * in this context (what is shown as possible), and the words for it in pictures. The first
 * implies the second; a test holds them to it.
 */
export type Condition<P> = {
  meets(context: RecordingContext, event: RecordingMachineEvent, params: P): boolean;
  couldMeet(context: RecordingContext, params: P): boolean;
  words: string | ((params: P) => string);
};

/** A condition as it stands; its parameters' type is read from its parts. */
export function condition<P = undefined>(parts: Condition<P>): Condition<P> {
  return parts;
}
