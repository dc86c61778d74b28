import { getAdjacencyMap, getStateNodes } from 'xstate/graph';
import type { AnyTransitionDefinition } from 'xstate';
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { type ConditionName, conditions } from '../../machines/guards.ts';
import { activeStages, isSettled, possibleFacts, stateName } from '../../machines/states.ts';
import {
  type RecordingSnapshot,
  nextSnapshot,
  recordingMachine,
} from '../../machines/recording.ts';
import { ofOrder } from '../../machines/transitions.ts';
import { plausibleEvents } from '../support/plausible-events.ts';

/** What of a snapshot the next facts depend on; counters that only grow are left out, or capped. */
function placeOf(snapshot: RecordingSnapshot): string {
  const { context, historyValue } = snapshot;
  const { running, failed, files, sources } = context;
  const { kind, results, stretches, utterances, labels } = sources.draft;
  const { plan, transcription, turns, names, named } = results;
  const resume = historyValue['recording.transcribing.resume'] as { id: string }[] | undefined;
  const known = [plan, transcription, turns, names, named, sources.saved];
  return JSON.stringify([
    stateName(snapshot.value),
    kind,
    Object.keys(running).sort(),
    known.map((result) => result !== null),
    [
      capped(stretches),
      capped(utterances),
      labels.length,
      failed,
      files.audio !== null,
      sources.versions.length > 0,
    ],
    sources.retelling,
    sources.assembly,
    // What a retry goes back to matters in error only.
    failed && resume?.map(({ id }) => id),
  ]);
}

const capped = (count: number | null) => count && Math.min(count, 1);

const edgeName = (transition: AnyTransitionDefinition): string => {
  const guard = transition.guard as string | { type: string } | undefined;
  const condition = typeof guard === 'object' ? guard.type : (guard ?? '');
  const target = transition.target?.[0]?.id ?? 'stays';
  return `${transition.source.id} --${transition.eventType} [${condition}]--> ${target}`;
};

describe('the graph of all states that plausible facts lead to', () => {
  const snapshots: RecordingSnapshot[] = [];

  before(() => {
    const graph = getAdjacencyMap(recordingMachine, {
      input: { recordingId: 'r1' },
      events: plausibleEvents,
      serializeState: (snapshot) => placeOf(snapshot as RecordingSnapshot),
      // Facts of order lead nowhere else: they are tried in each state below.
      filterEvents: (snapshot, event) => !(event.type in ofOrder) && snapshot.can(event as never),
      limit: 200_000,
    });
    for (const { state } of Object.values(graph)) snapshots.push(state as RecordingSnapshot);
    assert.ok(snapshots.length > 500, `only ${snapshots.length} states`);
  });

  test('every transition of the chart is taken', () => {
    const taken = new Set<string>();
    for (const snapshot of snapshots) {
      for (const event of plausibleEvents(snapshot)) {
        for (const edge of recordingMachine.getTransitionData(snapshot, event)) {
          taken.add(edgeName(edge));
        }
      }
    }
    const drawn = getStateNodes(recordingMachine)
      .flatMap((node) => [...node.transitions.values()].flat())
      .filter(({ eventType }) => !eventType.startsWith('xstate.done.state.'))
      .map(edgeName);
    assert.ok(drawn.length > 60, `only ${drawn.length} transitions found`);
    assert.deepEqual([...taken].sort(), [...new Set(drawn)].sort());
  });

  test('every state is reached, and no state has a name twice', () => {
    const reached = new Set(snapshots.flatMap(({ _nodes }) => _nodes.map(({ id }) => id)));
    const drawn = getStateNodes(recordingMachine).filter(({ type }) => type !== 'history');
    // A final region's parallel state is left the moment its last region is done; both are seen.
    assert.deepEqual(
      drawn.map(({ id }) => id).filter((id) => !reached.has(id)),
      [],
    );
    const values = new Map(snapshots.map(({ value }) => [JSON.stringify(value), stateName(value)]));
    assert.equal(new Set(values.values()).size, values.size);
  });

  test('what is said to be possible is what is accepted', () => {
    for (const snapshot of snapshots) {
      const accepted = plausibleEvents(snapshot).filter((event) => snapshot.can(event));
      assert.deepEqual(
        possibleFacts(snapshot),
        [...new Set(accepted.map(({ type }) => type))].sort(),
        placeOf(snapshot),
      );
    }
  });

  test('whatever is accepted could have been', () => {
    for (const snapshot of snapshots) {
      for (const event of plausibleEvents(snapshot)) {
        for (const { guard } of recordingMachine.getTransitionData(snapshot, event)) {
          const named = guard as string | { type: string; params?: unknown } | undefined;
          if (named === undefined) continue;
          const { type, params } = typeof named === 'string' ? { type: named } : named;
          const condition = conditions[type as ConditionName];
          assert.ok(
            condition.couldMeet(snapshot.context, params as never),
            `${type} for ${event.type}`,
          );
        }
      }
    }
  });

  test('only stages that run have a start that counts, and settled is where none runs', () => {
    for (const snapshot of snapshots) {
      const active = activeStages(snapshot);
      assert.deepEqual(
        Object.keys(snapshot.context.running).filter((stage) => !active.includes(stage as never)),
        [],
      );
      const invoked = Object.keys(snapshot.children);
      assert.deepEqual([...active].sort(), invoked.sort());
      const top = stateName(snapshot.value).split('.')[0]!;
      const settled = ['idle', 'awaiting-speakers', 'error'].includes(top);
      assert.equal(isSettled(snapshot), settled);
    }
  });

  test('a solo recording never awaits speakers, and no state but idle.erased is a dead end', () => {
    for (const snapshot of snapshots) {
      const name = stateName(snapshot.value);
      if (snapshot.context.sources.draft.kind === 'solo') {
        assert.doesNotMatch(name, /awaiting-speakers|attributing|joining/);
      }
      const moves = plausibleEvents(snapshot).some(
        (event) => snapshot.can(event) && nextSnapshot(snapshot, event) !== snapshot,
      );
      assert.equal(moves, name !== 'idle.erased', name);
    }
  });
});
