import type { ErasureList } from '../../events/erasure-list.ts';
import type { Log as EventLog } from '../../events/level-log.ts';
import { recordingStream, type RecordingFactOf } from '../../events/recording-facts.ts';
import { usersStream } from '../../events/user-facts.ts';
import { evolve, initialState, machineVersion, toMachineEvent } from '../../machines/recording.ts';
import { stateName } from '../../machines/state-name.ts';
import type { LoggedRecordingFact } from '../recordings/logged-recording-fact.ts';

/**
 * Says in the log that recordings on the list were erased and users on it deleted, where its facts do
 * not say so: those of a backup end before. Returns how many facts were appended.
 */
export async function recordErasures(store: EventLog, list: ErasureList): Promise<number> {
  return (await eraseRecordings(store, list)) + (await deleteUsers(store, list));
}

/**
 * One at work is left as it is: it has no content to work on, and the service erases it when it is
 * started.
 */
async function eraseRecordings(store: EventLog, list: ErasureList): Promise<number> {
  let appended = 0;
  for (const { subject } of list.list()) {
    const stream = recordingStream(subject);
    let version = 0;
    let state = initialState(subject);
    for await (const fact of store.read(stream)) {
      state = evolve(state, toMachineEvent(fact as LoggedRecordingFact));
      version = fact.version;
    }
    if (version === 0) continue;
    const erased: RecordingFactOf<'recording.erased'> = { type: 'recording.erased', data: {} };
    const event = toMachineEvent({ ...erased, version: version + 1 } as LoggedRecordingFact);
    if (!state.can(event)) continue;
    const circumstances = {
      by: 'system',
      command: `restore-erasure-${subject}`,
      from: stateName(state.value),
      to: stateName(evolve(state, event).value),
      machine: machineVersion,
    };
    await store.append(stream, [{ ...erased, ...circumstances }], version);
    appended += 1;
  }
  return appended;
}

/** Without this a deleted user would be one without a name, and count as one. */
async function deleteUsers(store: EventLog, list: ErasureList): Promise<number> {
  const present = new Set<string>();
  let version = 0;
  for await (const fact of store.read(usersStream)) {
    if (fact.type === 'user.registered') present.add(fact.data.user_id);
    if (fact.type === 'user.deleted') present.delete(fact.data.user_id);
    version = fact.version;
  }
  const gone = [...present].filter((id) => list.has(id));
  for (const id of gone) {
    const circumstances = { by: 'system', command: `restore-erasure-${id}` };
    const deleted = { type: 'user.deleted', data: { user_id: id }, ...circumstances } as const;
    await store.append(usersStream, [deleted], version);
    version += 1;
  }
  return gone.length;
}
