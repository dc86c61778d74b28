import assert from 'node:assert/strict';
import { type RecordingFact, type Stage, recordingStream } from '../../events/facts/recording.ts';
import type { Metadata } from '../../events/facts/envelope.ts';
import {
  type LoggedRecordingFact,
  type OfferedFact,
  isRecordingFact,
} from '../../events/facts/catalogue.ts';
import { activeStages, stateName } from '../../machines/states.ts';
import { initialState, machineVersion, nextSnapshot } from '../../machines/recording.ts';
import { toMachineEvent } from '../../machines/context.ts';
import { readRecording } from '../../projections/recording/recording.ts';
import { type History, type Life, type Written, runOf } from './history-life.ts';
import { person } from './history-people.ts';
import { begin, setback, work, write } from './history-stages.ts';
import { memoryStore } from './memory-store.ts';
import type { Random } from './seeded.ts';

/** Facts of one life at most. */
const stepsMax = 90;

/**
 * Lives through one recording at random: every fact is one the machine accepts, and its content is
 * made by the product's own functions wherever they exist. `seen` is awaited after each fact.
 */
export async function liveThrough(
  random: Random,
  seen: (history: History, fact: LoggedRecordingFact) => Promise<void>,
): Promise<History> {
  const recordingId = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
  const stream = recordingStream(recordingId);
  const store = memoryStore({ clock: clockFrom('2026-11-20T09:00:00Z') });
  const facts: LoggedRecordingFact[] = [];
  let snapshot = initialState(recordingId);
  let written: Written | null = null;

  const history: History = {
    recordingId,
    store,
    facts: () => facts,
    snapshot: () => snapshot,
    written: () => written,
  };

  /** Appends a fact if the machine takes it. */
  async function offer(fact: RecordingFact, about: Partial<Metadata> = {}): Promise<boolean> {
    const metadata = { by: 'anna', command: `command-${facts.length}`, ...about };
    const event = toMachineEvent({ ...fact, ...metadata, version: facts.length + 1 });
    if (!snapshot.can(event)) return false;
    const from = stateName(snapshot.value);
    snapshot = nextSnapshot(snapshot, event);
    const offered: OfferedFact = {
      ...fact,
      ...metadata,
      from,
      to: stateName(snapshot.value),
      machine: machineVersion,
      ...(fact.content === undefined ? {} : { subject: recordingId }),
    };
    const [stored] = await store.append(stream, [offered], facts.length);
    assert.ok(stored && isRecordingFact(stored));
    facts.push(stored);
    if (fact.type === 'documents.saved') {
      written = { version: fact.data.version, ...life.rendered! };
    }
    await seen(history, stored);
    return true;
  }
  const answer = (stage: Stage, fact: RecordingFact): Promise<boolean> => {
    const { run, running } = runOf(snapshot);
    return offer(fact, { by: 'system', run, attempt: running[stage]! });
  };
  const recording = () => readRecording(store, recordingId);
  const life: Life = { random, history, offer, answer, recording, rendered: null };

  await begin(life);
  for (let step = 0; step < stepsMax && facts.length < stepsMax; step += 1) {
    if (stateName(snapshot.value) === 'idle.erased') break;
    const stages = activeStages(snapshot).filter((one) => one !== 'capture' && one !== 'follow');
    const stage = stages.length > 0 ? random.pick(stages) : undefined;
    if (stage === undefined || random.chance(0.12)) await person(life);
    else if (runOf(snapshot).running[stage] === undefined) {
      const { run, attempt } = runOf(snapshot);
      await offer(
        { type: 'stage.started', data: { stage } },
        { by: 'system', run, attempt: attempt + 1 },
      );
    } else if (random.chance(0.03)) await setback(life, stage);
    else if (stage === 'write') await write(life);
    else await work(life, stage);
  }
  return history;
}

/** A clock that goes on by a second each time. */
function clockFrom(start: string): () => Date {
  let now = Date.parse(start);
  return () => new Date((now += 1000));
}
