import { type CallbackActorLogic, type EventObject, fromCallback } from 'xstate';
import type { Stage } from '../events/facts/recording.ts';

/** What an activity is told when it starts; the rest it reads from the log. */
export type ActivityInput = { recordingId: string; run: number };

/** What does a stage's work, made with `fromCallback<EventObject, ActivityInput>`. */
export type Activity = CallbackActorLogic<EventObject, ActivityInput>;

/** Activities live outside: whoever runs the machine provides them with `machine.provide({ actors })`. */
const stub = (stage: Stage) =>
  fromCallback<EventObject, ActivityInput>(() => {
    throw new Error(`No activity was provided for the stage ${stage}`);
  });

/** A stage's activity has the stage's name. */
export const unprovided = {
  capture: stub('capture'),
  transcribe: stub('transcribe'),
  diarize: stub('diarize'),
  identify: stub('identify'),
  join: stub('join'),
  punctuate: stub('punctuate'),
  summarise: stub('summarise'),
  entitle: stub('entitle'),
  write: stub('write'),
} satisfies Record<Stage, Activity>;
