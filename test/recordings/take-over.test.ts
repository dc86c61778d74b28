import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import type { OfferedFact } from '../../events/facts/catalogue.ts';
import { recordingStream } from '../../events/facts/recording.ts';
import { initialState, nextSnapshot } from '../../machines/recording.ts';
import type { RecordingAggregate } from '../../src/recordings/control/aggregate.ts';
import { awaited, leftForMs } from '../../src/recordings/control/left-recordings.ts';
import {
  type TakeOverDeps,
  openTakeOver,
  takeOverDefaults,
} from '../../src/recordings/control/take-over.ts';
import { sampleData, sampleEvent } from '../support/plausible-events.ts';
import { memoryStore } from '../support/memory-store.ts';

test('what comes up while a recording is found to have nothing to do is looked for again', async () => {
  const looks: string[] = [];
  const takeOver = openTakeOver({
    ...deps,
    recordings: {
      ...none,
      async takeOver(recordingId) {
        looks.push(recordingId);
        if (looks.length > 1) return true;
        takeOver.waits(begun('audio.imported'));
        return false;
      },
    },
  });
  assert.equal(await takeOver.look(['a']), 1);
  assert.deepEqual([looks, takeOver.slotsUsed()], [['a', 'a'], 1]);
});

test('one that waits for another leaves its slot to that', async () => {
  const taken: string[] = [];
  const takeOver = openTakeOver({
    ...deps,
    slots: 1,
    recordings: { ...none, takeOver: async (recordingId) => Boolean(taken.push(recordingId)) },
  });
  await takeOver.look(['a', 'b']);
  assert.deepEqual([taken, takeOver.slotsUsed()], [['a'], 1]);
  const goOn = takeOver.rest('a');
  await takeOver.look(['b', 'c']);
  assert.deepEqual([taken, takeOver.slotsUsed()], [['a', 'b'], 1]);
  goOn();
  goOn();
  assert.equal(takeOver.slotsUsed(), 2);
  takeOver.left(begun('audio.imported'));
  assert.equal(takeOver.slotsUsed(), 1);
});

for (const isAwaited of [true, false]) {
  const who = isAwaited ? 'left to the process that its browser comes to' : 'taken over without it';
  test(`a recording that is being captured is ${who}`, async () => {
    const taken: string[] = [];
    const takeOver = openTakeOver({
      ...deps,
      slots: 2,
      standingOf: async () => new Map([['a', { owner: 'anna', state: 'recording.capturing' }]]),
      awaited: async (ids) => new Set(isAwaited ? ids : []),
      recordings: { ...none, takeOver: async (recordingId) => Boolean(taken.push(recordingId)) },
    });
    takeOver.waits(begun('recording.started'));
    await takeOver.look(['a']);
    assert.deepEqual(taken, isAwaited ? [] : ['a']);
  });
}

test('a recorder that was away is waited for, but not behind a retry: that takes what there is', async () => {
  const store = memoryStore();
  const stream = recordingStream('a');
  const append = async (facts: OfferedFact[]) =>
    await store.append(stream, facts, await store.version(stream));
  const started = { ...sampleData['recording.started'], trigger: 'recorder' };
  await append([{ type: 'recording.started', data: started, by: 'ada', command: 'start' }]);
  const away = async () => {
    const freeFor = async (names: readonly string[]) => new Map(names.map((name) => [name, 1]));
    return [...(await awaited({ ownership: { freeFor }, store, limits: leftForMs }, ['a']))];
  };
  assert.deepEqual(await away(), ['a']);
  await append([{ type: 'retry.requested', data: {}, by: 'ada', command: 'retry' }]);
  assert.deepEqual(await away(), []);
});

const none: TakeOverDeps['recordings'] = {
  takeOver: async () => false,
  appendedElsewhere: async () => {},
};
const deps: TakeOverDeps = {
  ...takeOverDefaults,
  standingOf: async () => new Map(),
  store: memoryStore(),
  recordings: none,
  awaited: async () => new Set(),
  log: pino({ level: 'silent' }),
};

/** A recording of which that is all there is. */
const begun = (first: 'audio.imported' | 'recording.started') => {
  const snapshot = nextSnapshot(initialState('a'), sampleEvent(first, 1));
  return {
    recordingId: 'a',
    snapshot: () => snapshot,
  } as Partial<RecordingAggregate> as RecordingAggregate;
};
