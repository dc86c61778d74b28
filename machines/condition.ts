import type { Stage } from '../events/facts/recording.ts';
import type { RecordingContext, RecordingMachineEvent } from './context.ts';

/** What a condition asks for. What it leaves out holds always. */
type Asked<P> = {
  /** In which contexts an event can meet it. */
  when?(context: RecordingContext, params: P): boolean;
  /** The stage whose present attempt the event has to be an answer of. */
  answers?: Stage | ((params: P) => Stage);
  /** What the event says, in such a context. */
  says?(event: RecordingMachineEvent, context: RecordingContext, params: P): boolean;
  /** The words for it in pictures. */
  words: string | ((params: P) => string);
};

/** A condition of a transition: whether an event meets it, and whether any event could in this context (what is shown as possible). */
export type Condition<P> = Pick<Asked<P>, 'words'> & {
  meets(context: RecordingContext, event: RecordingMachineEvent, params: P): boolean;
  couldMeet(context: RecordingContext, params: P): boolean;
};

/** A condition as it is asked for; its parameters' type is read from its parts. */
export function condition<P = undefined>(asked: Asked<P>): Condition<P> {
  const { when, answers, says, words } = asked;
  const stageOf = (params: P) => (typeof answers === 'function' ? answers(params) : answers);
  const couldMeet = (context: RecordingContext, params: P): boolean => {
    const stage = stageOf(params);
    return (
      (stage === undefined || context.running[stage] !== undefined) &&
      (when?.(context, params) ?? true)
    );
  };
  return {
    words,
    couldMeet,
    meets(context, event, params) {
      const stage = stageOf(params);
      const isAnswer =
        stage === undefined ||
        (event.run === context.sources.run && event.attempt === context.running[stage]);
      return couldMeet(context, params) && isAnswer && (says?.(event, context, params) ?? true);
    },
  };
}
