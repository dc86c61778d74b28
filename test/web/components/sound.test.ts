import './dom.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BrowserRecording } from '../../../web/client/microphone/browser-recording.ts';
import {
  type Surface,
  type SurfaceInput,
  type Running,
  isRecording,
  saidOf,
  surfacesOf,
} from '../../../web/client/microphone/recording-surface.ts';
import {
  type Watched,
  watchedAfter,
  watchedFrom,
} from '../../../web/client/microphone/interruptions.ts';
import {
  type Sound,
  type SoundEvent,
  openingSound,
  soundAfter,
} from '../../../web/client/microphone/sound.ts';
import { sourceOf } from '../../../web/recording-bar/choice.ts';

const began = 1_000_000;
const loud: SoundEvent = { type: 'block', rms: 0.1 };
const quiet: SoundEvent = { type: 'block', rms: 0 };
const look: SoundEvent = { type: 'look' };

/** What comes of events at seconds behind the beginning. */
function soundOf(...events: [at: number, event: SoundEvent][]): Sound {
  return events.reduce(
    (sound, [at, event]) => soundAfter(sound, event, began + at * 1000),
    openingSound(began),
  );
}

test('sound is heard by blocks alone, and interrupted by their absence, the context or the track', () => {
  assert.equal(soundOf([9, look]).state, 'opening', 'nothing came yet');
  assert.equal(soundOf([1, loud]).state, 'heard');
  assert.equal(soundOf([1, loud], [2.9, look]).state, 'heard');
  const still = soundOf([1, loud], [3.1, look]);
  assert.deepEqual([still.state, still.since], ['interrupted', began + 1000]);
  assert.equal(soundAfter(still, loud, began + 9000).state, 'heard');
  const stopped = soundOf([1, loud], [1.1, { type: 'context', runs: false }]);
  assert.equal(stopped.state, 'interrupted', 'at once');
  assert.equal(
    soundOf([1, loud], [2, { type: 'muted', is: true }], [2.1, quiet]).state,
    'interrupted',
  );
  const gone = soundOf([1, loud], [2, { type: 'gone', is: true }], [9, look]);
  assert.equal(gone.state, 'gone');
  assert.equal(
    soundOf(
      [1, loud],
      [2, { type: 'gone', is: true }],
      [3, { type: 'gone', is: false }],
      [3.1, loud],
    ).state,
    'heard',
  );
});

/** The interruptions that come of events at seconds behind the beginning; a sample a second. */
function interruptionsOf(...events: [at: number, event: SoundEvent][]) {
  let sound = openingSound(began);
  let watched: Watched = watchedFrom(began);
  return events.flatMap(([seconds, event]) => {
    const at = began + seconds * 1000;
    sound = soundAfter(sound, event, at);
    const { over, ...next } = watchedAfter(watched, sound, { samples: seconds, at });
    watched = next;
    if (over === null) return [];
    const [from, to] = [over.from, over.to].map((time) => (Date.parse(time) - began) / 1000);
    return [[over.samples, from, to, over.reason ?? null]];
  });
}

test('an interruption is told when sound is heard again, with the finest reason that is known', () => {
  assert.deepEqual(interruptionsOf([1, loud], [2, look], [2.5, loud]), []);
  assert.deepEqual(
    interruptionsOf([1, loud], [2, look], [3.5, look], [4, look], [5, loud]),
    [[3.5, 1, 5, null]],
    'nothing says why',
  );
  assert.deepEqual(
    interruptionsOf([1, loud], [1.5, look], [300, look], [301, loud]),
    [[300, 1, 301, 'asleep']],
    'nobody looked: the page slept',
  );
  const muted: SoundEvent = { type: 'muted', is: true };
  assert.deepEqual(
    interruptionsOf(
      [1, loud],
      [2, muted],
      [2.1, { type: 'context', runs: false, isCall: true }],
      [3, { type: 'context', runs: true }],
      [4, { type: 'muted', is: false }],
      [4.1, loud],
    ),
    [[2, 1, 4.1, 'call']],
  );
  assert.deepEqual(
    interruptionsOf(
      [1, loud],
      [2, { type: 'gone', is: true }],
      [9, look],
      [20, { type: 'gone', is: false }],
      [21, loud],
    ),
    [[2, 1, 21, 'gone']],
  );
});

test('a minute below the floor is silence, from what was loud last', () => {
  const blocks = Array.from({ length: 62 }, (_, second): [number, SoundEvent] => [
    second + 2,
    quiet,
  ]);
  const silent = soundOf([1, loud], ...blocks);
  assert.deepEqual([silent.state, silent.since], ['silent', began + 1000]);
  assert.equal(soundAfter(silent, loud, began + 64_000).state, 'heard');
});

const recording: BrowserRecording = {
  id: 'b',
  recordingId: 'r',
  kind: 'solo',
  source: 'microphone',
  startedAt: new Date(began).toISOString(),
  user: 'ada',
  state: 'recording',
  seconds: 20,
  safe: 20,
  onDisk: 19,
  linked: true,
  inMemory: false,
  level: { rms: 0.1, peak: 0.2 },
  sides: null,
  lost: null,
  sound: { state: 'heard', since: began, blockAt: began + 20_000 },
  missed: null,
  since: began,
};
const input: SurfaceInput = {
  here: recording,
  running: [],
  ended: new Set<string>(),
  trouble: null,
  login: { username: 'ada', user_id: '01ADA' },
  now: began + 20_100,
};
const other: Running = {
  recording_id: 'other',
  kind: 'meeting',
  title: null,
  started_at: new Date(began).toISOString(),
  device: null,
  paused: false,
  seconds: 4,
  warning: null,
};
const shown = (here: Partial<BrowserRecording> = {}, more: Partial<SurfaceInput> = {}) =>
  surfacesOf({ ...input, here: { ...recording, ...here }, ...more })[0]!;

test('that everything is saved is earned by blocks, and said of nothing else', () => {
  assert.equal(shown().isSafe, true);
  assert.equal(shown({}, { now: began + 23_000 }).isSafe, false, 'none for three seconds');
  assert.equal(shown({ safe: 18, onDisk: 18 }).isSafe, false, 'two seconds are nowhere yet');
  assert.equal(
    shown({ safe: 10, onDisk: 19.5 }).isSafe,
    true,
    'the service has what this disk has not',
  );
  assert.equal(shown({ sound: { ...recording.sound, state: 'interrupted' } }).isSafe, false);
  assert.equal(shown({ state: 'paused' }).isSafe, false);
});

test('what is recorded is in one state, here before elsewhere', () => {
  assert.equal(shown().state, 'recording');
  assert.equal(shown({ onDisk: 5 }).state, 'network');
  assert.equal(shown({ onDisk: 5, inMemory: true }).state, 'memory');
  assert.equal(shown({}, { login: { username: 'ben', user_id: '02BEN' } }).state, 'foreign');
  const successor = { login: { username: 'ada', user_id: '02ADA' } };
  assert.equal(shown({ userId: '01ADA' }, successor).state, 'foreign', 'only of the same name');
  assert.equal(shown({ userId: '01ADA' }).state, 'recording');
  assert.equal(shown({}, { login: null }).state, 'recording', 'nobody is logged in');
  assert.equal(shown({ state: 'ending' }).state, 'ending');
  const elsewhere = (more: Partial<SurfaceInput>) => surfacesOf({ ...input, here: null, ...more });
  assert.equal(elsewhere({ running: [other] })[0]?.state, 'elsewhere');
  const room = elsewhere({ running: [{ ...other, device: 'Room 2' }] })[0];
  assert.deepEqual([room?.state, room?.recorder], ['room', 'Room 2']);
  assert.deepEqual(
    elsewhere({ running: [other], ended: new Set(['other']) }),
    [],
    'ended here a moment ago',
  );
  assert.deepEqual(elsewhere({}), []);
  const both = surfacesOf({ ...input, running: [other, { ...other, recording_id: 'r' }] });
  assert.deepEqual(
    both.map(({ recordingId }) => recordingId),
    ['r', 'other'],
    'this browser’s first, and once',
  );
});

test('what this browser cannot record is said, also while something else is recorded', () => {
  const states = (more: Partial<SurfaceInput>) =>
    surfacesOf({ ...input, here: null, ...more }).map(({ state }) => state);
  const denied = { code: 'no-permission' } as const;
  assert.deepEqual(states({ trouble: denied }), ['denied']);
  assert.deepEqual(states({ trouble: denied, running: [other] }), ['denied', 'elsewhere']);
  const ended = { code: 'ended', isWhole: true, recordingId: 'r', seconds: 761 } as const;
  assert.deepEqual(states({ trouble: { ...ended, detail: 'disk-low' } }), ['full']);
  assert.deepEqual(states({ trouble: { ...ended, detail: 'limit-hours' } }), ['ended']);
  const [full] = surfacesOf({ ...input, here: null, trouble: { ...ended, detail: 'disk-low' } });
  assert.deepEqual([full!.seconds, full!.recordingId], [761, 'r']);
  assert.equal(isRecording(full!), false, 'something else can be begun');
  assert.deepEqual(saidOf(shown(), full!), { key: 'asShown', danger: true });
  const opening = { state: 'starting' } as const;
  assert.equal(shown(opening, { now: began + 200 }), undefined, 'nobody has waited yet');
  assert.equal(shown(opening, { now: began + 400 }).state, 'opening');
});

test('each change is said once, and what is in danger at once', () => {
  const said = (before: Surface | null, after: Surface | null) =>
    saidOf(before, after)?.key ?? null;
  assert.equal(said(null, shown({ state: 'starting' })), null, 'not before the first block');
  assert.equal(said(shown({ state: 'starting', seconds: 0 }), shown()), 'started');
  const interrupted = shown({ sound: { ...recording.sound, state: 'interrupted' } });
  assert.deepEqual(saidOf(shown(), interrupted), { key: 'interrupted', danger: true });
  assert.equal(said(interrupted, interrupted), null);
  assert.equal(said(interrupted, shown()), 'continues');
  const behind = (seconds: number) => shown({ onDisk: 20 - seconds });
  assert.equal(said(shown(), behind(6)), null);
  assert.deepEqual(saidOf(behind(9), behind(11)), { key: 'behind', danger: true });
  assert.equal(said(behind(11), behind(12)), null);
  assert.equal(said(behind(12), shown()), 'sent');
  assert.equal(said(shown(), shown({ state: 'ending', onDisk: 19.5 })), 'stopped');
  assert.equal(said(shown({ state: 'ending' }), null), null);
  const earlier = shown({ state: 'ending', startedAt: new Date(began - 60_000).toISOString() });
  assert.equal(said(shown({ state: 'starting' }), earlier), null, 'it was stopped before');
  assert.equal(said(shown(), earlier), 'stopped', 'the one behind it');
  assert.equal(said(shown({ state: 'paused' }), shown()), 'resumed');
  const reopened = shown({ sound: { state: 'opening', since: began, blockAt: began } });
  assert.equal(reopened?.state, 'opening');
  assert.equal(said(reopened, shown()), 'resumed', 'the microphone is opened anew after a pause');
});

test('one’s own microphone is what Record means, but at the service’s computer', () => {
  const sources = ['microphone', 'tab', 'both'] as const;
  const recorders = [{ id: 'Desk Mic' }];
  assert.equal(sourceOf(undefined, sources, null), 'microphone', 'while the list is loading');
  assert.equal(sourceOf(undefined, sources, { recorders, here: false }), 'microphone');
  assert.equal(sourceOf(undefined, sources, { recorders, here: true }), 'device');
  assert.equal(sourceOf(undefined, sources, { recorders: [], here: true }), 'microphone');
  assert.equal(sourceOf('device', sources, { recorders, here: false }), 'device', 'chosen');
  assert.equal(sourceOf('tab', ['microphone'], null), 'microphone', 'not here');
  assert.equal(sourceOf(undefined, [], null), 'device');
});
