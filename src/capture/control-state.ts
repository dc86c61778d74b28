import { recordingStream } from '../../events/facts/recording.ts';
import type { FactOutline } from '../../events/facts/catalogue.ts';
import { type EventStore, EventStoreError } from '../../events/store.ts';
import type { Log } from '../shared/log.ts';

/** What was commanded of a recording that is being captured, by its facts. */
export type ControlState = {
  /** Null: not from a device of this host. */
  device: string | null;
  /** What began it: `browser`, `recorder`, a hotkey. */
  trigger: string;
  /** The user whose it was when it began. */
  owner: string;
  /** Milliseconds since 1970. */
  startedAt: number;
  paused: boolean;
  discarded: boolean;
  /** Whether it was tried again after it had failed: it takes what there is. */
  retried: boolean;
  /** Position of the last fact that was read. */
  position: number;
};

/** @throws {Error} when the recording was never started, as an import never is. */
export async function readControlState(
  store: EventStore,
  recordingId: string,
): Promise<ControlState> {
  let control: ControlState | undefined;
  for await (const fact of store.read(recordingStream(recordingId))) {
    if (fact.type === 'recording.started') {
      const { device, trigger, owner } = fact.data;
      const startedAt = Date.parse(fact.at);
      const { position } = fact;
      const begun = { paused: false, discarded: false, retried: false };
      control = { device, trigger, owner, startedAt, ...begun, position };
    } else if (control) control = after(control, fact);
  }
  if (!control) throw new Error(`recording ${recordingId} was never started`);
  return control;
}

/**
 * Calls back with each later change, whichever process of the service appended it, until `signal` aborts or
 * the log is closed. Never rejects: what else goes wrong is logged.
 */
export async function followControlState(
  { store, log }: { store: EventStore; log: Pick<Log, 'error'> },
  recordingId: string,
  from: ControlState,
  signal: AbortSignal,
  onChange: (control: ControlState) => void,
): Promise<void> {
  let control = from;
  try {
    for await (const facts of store.follow({ afterPosition: from.position, signal })) {
      for (const fact of facts) {
        if (signal.aborted) return;
        if (fact.stream !== recordingStream(recordingId)) continue;
        const next = after(control, fact);
        if (next.paused !== control.paused || next.discarded !== control.discarded) onChange(next);
        control = next;
      }
    }
  } catch (error) {
    if (signal.aborted || isClosed(error)) return;
    log.error({ err: error, recordingId }, 'following a recording in the event log failed');
  }
}

/** The service stops. */
export const isClosed = (error: unknown): boolean =>
  error instanceof EventStoreError && error.code === 'CLOSED';

function after(control: ControlState, fact: FactOutline): ControlState {
  const { position } = fact;
  switch (fact.type) {
    case 'recording.paused':
      return { ...control, position, paused: true };
    case 'recording.resumed':
      return { ...control, position, paused: false };
    case 'recording.discarded':
    case 'recording.erased':
      return { ...control, position, discarded: true };
    case 'retry.requested':
      return { ...control, position, retried: true };
    default:
      return { ...control, position };
  }
}
