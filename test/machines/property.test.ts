import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NewFact } from '../../events/facts/envelope.ts';
import type { RecordingFact } from '../../events/facts/recording.ts';
import { activeStages, stateName } from '../../machines/states.ts';
import {
  type RecordingSnapshot,
  nextSnapshot,
  initialState,
  recordingMachine,
} from '../../machines/recording.ts';
import { toMachineEvent } from '../../machines/context.ts';
import { plausibleEvents, stageOfAnswer } from '../support/plausible-events.ts';
import { fc } from '../support/properties.ts';

/** In every content and every free text; the context must never hold it. */
const secret = 'what was said';
type Fact = NewFact<RecordingFact> & { version: number };

/** Facts that end a story or throw it back; taken often, no story would come far. */
const setbacks = new Set(['recording.erased', 'recording.discarded', 'stage.failed']);
setbacks.add('processing.cancelled').add('error.cleared').add('stage.interrupted');
setbacks.add('audio.extended');
// What is said of a recording at any time moves no story on.
for (const remark of [
  'title.changed',
  'start.changed',
  'kind.changed',
  'language.set',
  'voices.named',
  'audio.interrupted',
  'people.given',
  'sidenote.written',
  'sidenote.edited',
  'sidenote.removed',
])
  setbacks.add(remark);

/** What stages say themselves moves a story on; of all else there is so much that few stories would end. */
const isOfStage = ({ type }: { type: string }): boolean =>
  type === 'stage.started' || type in stageOfAnswer;

/** A choice among the plausible events of a state, and how far it is bent to be implausible. */
const choice = fc.record({
  pick: fc.nat(),
  onward: fc.boolean(),
  acceptable: fc.integer({ min: 0, max: 7 }).map((n) => n > 0),
  setback: fc.integer({ min: 0, max: 7 }).map((n) => n === 0),
  run: fc.integer({ min: -10, max: 10 }).map((n) => Math.trunc(n / 10)),
  attempt: fc.integer({ min: -10, max: 10 }).map((n) => Math.trunc(n / 10)),
});
type Choice = typeof choice extends fc.Arbitrary<infer C> ? C : never;

function choose(snapshot: RecordingSnapshot, how: Choice): Fact {
  const { pick, onward, acceptable, setback, ...bend } = how;
  const plausible = plausibleEvents(snapshot);
  const possible = plausible.filter(
    (event) => snapshot.can(event) && (setback || !setbacks.has(event.type)),
  );
  const ofStages = onward ? possible.filter(isOfStage) : [];
  const likely = ofStages.length > 0 ? ofStages : possible;
  const events = acceptable && likely.length > 0 ? likely : plausible;
  const event = events[pick % events.length]!;
  const data = { ...event.data, reason: secret, title: secret, code: secret };
  return {
    ...event,
    data,
    content: { text: secret, names: { SPEAKER_1: secret } },
    ...(event.run === undefined ? {} : { run: event.run + bend.run }),
    ...(event.attempt === undefined ? {} : { attempt: event.attempt + bend.attempt }),
  } as unknown as Fact;
}

const persisted = (snapshot: RecordingSnapshot): string =>
  JSON.stringify(recordingMachine.getPersistedSnapshot(snapshot));

test('random facts: refused ones change nothing, the fold is deterministic and holds no content', () => {
  const reached = new Set<string>();
  fc.assert(
    fc.property(fc.array(choice, { minLength: 20, maxLength: 80, size: 'max' }), (choices) => {
      let snapshot = initialState('r1');
      const accepted: Fact[] = [];
      for (const next of choices) {
        const fact = choose(snapshot, next);
        const before = persisted(snapshot);
        const event = toMachineEvent(fact);
        const can = snapshot.can(event);
        const after = nextSnapshot(snapshot, event);
        assert.equal(persisted(snapshot), before, 'evolve is pure');
        if (!can) assert.equal(persisted(after), before, `${fact.type} was refused`);
        else accepted.push(fact);
        snapshot = after;

        const { context } = snapshot;
        const active = activeStages(snapshot);
        for (const [stage, attempt] of Object.entries(context.running)) {
          assert.ok(active.includes(stage as never), `${stage} runs`);
          assert.ok(attempt <= context.attempt);
        }
        const { stretches, utterances } = context.sources.draft;
        assert.ok(stretches === null || utterances <= stretches);
        assert.equal(snapshot.status, 'active');
        reached.add(stateName(snapshot.value));
      }
      assert.doesNotMatch(persisted(snapshot), new RegExp(secret));
      const again = accepted.reduce(
        (folded, fact) => nextSnapshot(folded, toMachineEvent(fact)),
        initialState('r1'),
      );
      assert.equal(persisted(again), persisted(snapshot), 'what was accepted is the whole story');
    }),
    { numRuns: 150 },
  );
  // The stories are worth telling: they come to the ends and to the pauses.
  for (const state of ['idle.saved', 'idle.kept', 'idle.erased', 'awaiting-speakers', 'error']) {
    assert.ok(reached.has(state), `no story reached ${state}`);
  }
});

test('an event of the machine has everything but the content', () => {
  const fact: Fact = {
    type: 'summary.completed',
    data: { engine: 'e', model: null, parts: 1, language: null },
    content: { text: secret },
    version: 7,
    by: 'system',
    command: 'c',
    run: 1,
    attempt: 2,
    subject: 'r1',
  };
  assert.deepEqual(toMachineEvent(fact), {
    type: 'summary.completed',
    data: { engine: 'e', model: null, parts: 1, language: null },
    version: 7,
    by: 'system',
    command: 'c',
    run: 1,
    attempt: 2,
  });
});
