import type { FactFrames } from './frames.ts';
import type { Caller } from './services.ts';
import { sees } from './visible-recording.ts';

/** Somebody who is told what happens. `send` must not block; it may let the listener go instead. */
export type Listener = {
  /** Who it is; may be looked up anew meanwhile, but stays the same user. */
  readonly caller: Caller;
  /** An administrator who also wants the moves of everybody's recordings. */
  all: boolean;
  send(frame: string): void;
  /** Resolves when what was sent has been taken; rejects when the listener is gone. */
  drained(): Promise<void>;
  /** Ends the listener, because the stream cannot go on for it. It may come back and resume. */
  fail(): void;
  /** Aborts when the listener is gone. */
  signal: AbortSignal;
};

/** What a listener gets of a recording of `owner`. */
export const framesFor = (
  { caller, all }: Listener,
  owner: string,
  { own, others }: Pick<FactFrames, 'own' | 'others'>,
): readonly string[] => (sees(caller, owner) ? own : all ? others : []);
