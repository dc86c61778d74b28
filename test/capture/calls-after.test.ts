import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Call,
  type ProgramSound,
  callLimits,
  callsAfter,
  nextLook,
} from '../../src/capture/calls/calls-after.ts';

const { beginMs, endMs, callsMax } = callLimits;
const firefox: ProgramSound = {
  program: 'firefox',
  name: 'Firefox',
  microphone: 'headset',
  monitor: 'headset.monitor',
};
const on = {
  newId: () => 'a',
  isAsked: (program: string) => program !== 'zoom',
  isRunning: () => true,
  recording: (): Call['recording'] => null,
};
const after = (calls: readonly Call[], sounds: readonly ProgramSound[], now: number, more = {}) =>
  callsAfter(calls, sounds, now, { ...on, ...more });
const states = (calls: readonly Call[]) => calls.map(({ state }) => state);
const recorded = (call: Call | undefined): Call[] => [
  { ...call!, state: 'recorded', recording: { id: 'r', owner: 'ada' } },
];

test('a program that listens and plays is asked about after five seconds, not before', () => {
  const early = after([], [firefox], 1000);
  assert.deepEqual(states(early), ['early']);
  assert.equal(nextLook(early), 1000 + beginMs);
  assert.deepEqual(states(after(early, [firefox], 999 + beginMs)), ['early']);
  assert.deepEqual(states(after(early, [firefox], 1000 + beginMs)), ['asking']);
});

test('a program that only listens or only plays is none, and what stops within five seconds is none', () => {
  assert.deepEqual(after([], [{ ...firefox, monitor: null }], 0), []);
  assert.deepEqual(after([], [{ ...firefox, microphone: null }], 0), []);
  const early = after([], [firefox], 0);
  assert.deepEqual(after(early, [{ ...firefox, monitor: null }], 100), []);
  assert.deepEqual(after(early, [], beginMs), []);
});

test('nobody is asked about a program that was excluded', () => {
  const zoom = { ...firefox, program: 'zoom' };
  assert.deepEqual(states(after(after([], [zoom], 0), [zoom], beginMs)), ['answered']);
});

test('a recorded call is over half a minute after the program closed both, and goes on when it opens one again', () => {
  const [call] = after(after([], [firefox], 0), [firefox], beginMs);
  const closed = after(recorded(call), [], 10_000);
  assert.equal(nextLook(closed), 10_000 + endMs);
  assert.deepEqual(states(after(closed, [], 9_999 + endMs)), ['recorded']);
  // A muted microphone is closed by some programs.
  const muted = after(closed, [{ ...firefox, microphone: null }], 20_000);
  assert.equal(nextLook(muted), null);
  const over = after(closed, [], 10_000 + endMs);
  assert.deepEqual(states(over), ['over']);
  assert.deepEqual(states(after(over, [firefox], 99_000)), ['recorded']);
  assert.deepEqual(after(over, [], 99_000, { isRunning: () => false }), []);
});

test('a call that nobody records is forgotten when it is over, and asked about anew when it begins again', () => {
  const asking = after(after([], [firefox], 0), [firefox], beginMs);
  const answered = asking.map((call) => ({ ...call, state: 'answered' as const }));
  assert.deepEqual(states(after(answered, [firefox], 60_000)), ['answered']);
  const gone = after(after(answered, [], 70_000), [], 70_000 + endMs);
  assert.deepEqual(gone, []);
  assert.deepEqual(states(after(gone, [firefox], 200_000)), ['early']);
});

test('a call that is recorded when the service starts again is one whose end is asked about', () => {
  const isHeld = { isAsked: () => false, recording: () => ({ id: 'r', owner: 'ada' }) };
  const early = after([], [firefox], 0, isHeld);
  const [call, ...others] = after(early, [firefox], beginMs, isHeld);
  assert.deepEqual(
    [call?.state, call?.recording, others.length],
    ['recorded', isHeld.recording(), 0],
  );
  const closed = after([call!], [], 60_000, isHeld);
  assert.deepEqual(states(after(closed, [], 60_000 + endMs, isHeld)), ['over']);
  // It may be taken up later than that.
  const asking = after(early, [firefox], beginMs);
  assert.deepEqual(states(after(asking, [], 60_000, isHeld)), ['recorded']);
  // Of one recording one end is asked about.
  const zoom = { ...firefox, program: 'zoom' };
  const both = after(
    after([call!], [firefox, zoom], 70_000, isHeld),
    [firefox, zoom],
    80_000,
    isHeld,
  );
  assert.deepEqual(states(both), ['recorded', 'answered']);
  const atOnce = after([], [firefox, zoom], 0, isHeld);
  assert.deepEqual(states(after(atOnce, [firefox, zoom], beginMs, isHeld)), [
    'recorded',
    'answered',
  ]);
});

test('no more programs are kept than the limit', () => {
  const many = Array.from({ length: callsMax + 5 }, (_, n) => ({ ...firefox, program: `p${n}` }));
  assert.equal(after([], many, 0).length, callsMax);
});
