import { type RecordingFact, recordingStream } from '../../events/facts/recording.ts';
import type { LoggedFact } from '../../events/facts/catalogue.ts';
import type { EventStore } from '../../events/store.ts';

/** What people want of a recording that is being captured, as its facts tell. */
export type Wishes = {
  /** Null: not from a device of this host. */
  device: string | null;
  paused: boolean;
  discarded: boolean;
  /** Position of the last fact that was read. */
  position: number;
};

/** @throws {Error} when the recording was not started from here. */
export async function readWishes(store: EventStore, recordingId: string): Promise<Wishes> {
  let wishes: Wishes | undefined;
  for await (const fact of store.read(recordingStream(recordingId))) {
    if (fact.type === 'recording.started') {
      const { device } = fact.data;
      wishes = { device, paused: false, discarded: false, position: fact.position };
    } else if (wishes) wishes = after(wishes, fact);
  }
  if (!wishes) throw new Error(`recording ${recordingId} was never started`);
  return wishes;
}

/** Calls back with each later change, until `signal` aborts. */
export async function followWishes(
  store: EventStore,
  recordingId: string,
  from: Wishes,
  signal: AbortSignal,
  onChange: (wishes: Wishes) => void,
): Promise<void> {
  let wishes = from;
  for await (const fact of store.subscribe({ afterPosition: from.position, signal })) {
    if (fact.stream !== recordingStream(recordingId)) continue;
    const next = after(wishes, fact);
    if (next.paused !== wishes.paused || next.discarded !== wishes.discarded) onChange(next);
    wishes = next;
  }
}

function after(wishes: Wishes, fact: LoggedFact): Wishes {
  const { position } = fact;
  switch (fact.type as RecordingFact['type']) {
    case 'recording.paused':
      return { ...wishes, position, paused: true };
    case 'recording.resumed':
      return { ...wishes, position, paused: false };
    case 'recording.discarded':
    case 'recording.erased':
      return { ...wishes, position, discarded: true };
    default:
      return { ...wishes, position };
  }
}
