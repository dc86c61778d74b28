/**
 * What nodes tell each other beside the log, and nothing keeps: who listens hears it within moments, or never. What
 * has to hold must show in another way too. Nothing that was spoken goes through here: it is not sealed.
 */
export interface Notices {
  /** Whether there may be other nodes. */
  readonly reachOthers: boolean;
  /** Tells all other nodes; this one hears nothing of it. Never throws, and waits for nothing. */
  tell(topic: Topic, text: string): void;
  /** Hears what other nodes tell; returns how to stop. */
  listen(topic: Topic, onNotice: (text: string) => void): () => void;
  /** Calls back whenever listening began again, since something may have been missed; returns how to stop. */
  onMissed(listener: () => void): () => void;
  /** How many notices were not told because there were too many, or they were too long, since it was opened. */
  dropped(): number;
}

/**
 * `session-ended`: its id. `moment`: what goes on with a recording. `capture-stop`: a recording that the node which has its
 * browser is to end. `passages`: a recording of which there are other passages.
 */
export type Topic = 'session-ended' | 'moment' | 'capture-stop' | 'passages';

/** Of a process that has the log for itself. */
export const noNotices = (): Notices => ({
  reachOthers: false,
  tell: () => {},
  listen: () => () => {},
  onMissed: () => () => {},
  dropped: () => 0,
});
