import './dom.ts';
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Status, status } from '../../../web/client/feed.ts';
import type { Kept } from '../../../web/client/microphone/audio-store.ts';
import { browserRecording, trouble } from '../../../web/client/microphone/browser-recording.ts';
import { drop, endHere, hold, takeBlock } from '../../../web/client/microphone/current.ts';
import { giveUp } from '../../../web/client/microphone/microphone.ts';
import { pauseHere } from '../../../web/client/microphone/pausing.ts';
import { showAs } from '../../../web/client/microphone/shown.ts';
import { session } from '../../../web/client/session.ts';
import { discardRunning } from '../../../web/recording-bar/acts.ts';
import { record } from '../../../web/recording-bar/begin.ts';
import RecordingBar from '../../../web/recording-bar/RecordingBar.svelte';
import RecordButton from '../../../web/recording-bar/RecordButton.svelte';
import { sentences } from '../../../web/recording-bar/sentences.ts';
import { actByKey } from '../../../web/recording-bar/by-key.ts';
import { goingOn, surfaces } from '../../../web/recording-bar/surface.ts';
import { eventually } from '../../support/eventually.ts';
import { show } from './dom.ts';
import {
  type FakeSocket,
  kept,
  listeningUntil,
  loginOf,
  settled,
  sockets,
  storeInMemory,
} from './sockets.ts';

/** A page of ada's that records; the service answers when a test says so. */
function opened(t: TestContext) {
  const made = sockets(t);
  session.set(loginOf('ada'));
  const asked = t.mock.method(globalThis, 'fetch', async () => new Response('', { status: 503 }));
  const begun: ReturnType<typeof hold>[] = [];
  t.after(async () => {
    for (const one of begun) await drop(one);
    for (const one of [session, trouble, browserRecording, status]) one.set(null);
  });
  const begin = (more: Partial<Kept> = {}) => {
    const { store, state } = storeInMemory();
    const found = { store, kept: { ...kept, ...more }, release: () => {}, total: 0 };
    const mine = hold(found);
    begun.push(mine);
    mine.listening = listeningUntil(() => {});
    showAs('recording', mine);
    takeBlock(mine, new Int16Array(16_000).buffer);
    mine.link.begin();
    return { mine, socket: made.at(-1)!, state };
  };
  return {
    asked,
    begin,
    /** One that was stopped, of which the service lacks the rest. */
    async ending(more: Partial<Kept> = {}) {
      const one = begin(more);
      await endHere(one.mine);
      return one;
    },
    next: () => begin({ id: '02BROWSER', recordingId: '02SERVICE' }),
  };
}

/** A browser that keeps audio, and asks for the microphone. @returns how the person answers that it may not be had */
function microphoneAsked(t: TestContext) {
  let refuse: (why: Error) => void = () => {};
  let isAsked = false;
  const getUserMedia = () => {
    isAsked = true;
    return new Promise((_, reject) => (refuse = reject));
  };
  const open = () => {
    const request = Object.assign(new EventTarget(), { result: {} });
    queueMicrotask(() => request.dispatchEvent(new Event('success')));
    return request;
  };
  const given = [
    [navigator, 'mediaDevices', Object.assign(new EventTarget(), { getUserMedia })],
    [navigator, 'storage', { persist: async () => true }],
    [globalThis, 'indexedDB', { open }],
  ] as const;
  for (const [of, name, value] of given) {
    const before = Object.getOwnPropertyDescriptor(of, name);
    Object.defineProperty(of, name, { value, configurable: true, writable: true });
    t.after(() => before && Object.defineProperty(of, name, before));
  }
  return {
    asked: () => eventually('the microphone is asked for', () => isAsked),
    refuse: () => refuse(new DOMException('', 'NotAllowedError')),
  };
}

const shownFirst = () =>
  surfaces
    .get()
    .slice(0, 1)
    .flatMap((one) => [one.state, one.recordingId]);

/** By its button in the bar. */
const dismiss = (t: TestContext) =>
  show(t, RecordingBar, { now: surfaces.get()[0]! })
    .querySelector<HTMLElement>('[aria-label="Dismiss"]')!
    .click();

/** The service ends it, and does not take its rest. */
async function cutShort(
  { asked }: ReturnType<typeof opened>,
  { mine, socket }: { mine: ReturnType<typeof hold>; socket: FakeSocket },
) {
  const before = asked.mock.callCount();
  socket.open();
  socket.say({ type: 'audio.ready', recording_id: mine.kept.recordingId, samples: 0 });
  socket.say({ type: 'audio.ended', reason: 'browser-gone', samples: 0 });
  await eventually('its rest is offered', () => asked.mock.callCount() > before);
  await settled();
}

const press = () => record({}, 'microphone');
/** What the service says while a device records. */
const inRoom = {
  recordings: [
    {
      recording_id: '03SERVICE',
      kind: 'meeting',
      title: null,
      started_at: kept.startedAt,
      device: 'Room 2',
      paused: false,
      seconds: 1,
      source: { name: 'Room 2' },
      warnings: [],
    },
  ],
} as unknown as Status;
const stoppedThere = { type: 'audio.ended', reason: 'stopped', samples: 16_000 };

test('the end of the last recording leaves the next alone, whose microphone is not open yet', async (t) => {
  const { socket, state } = await opened(t).ending();
  const microphone = microphoneAsked(t);
  const begun = press();
  await microphone.asked();
  const { id } = browserRecording.get()!;
  socket.open();
  socket.say({ type: 'audio.ready', recording_id: '01SERVICE', samples: 0 });
  socket.say({ type: 'audio.ack', samples: 16_000 });
  socket.say(stoppedThere);
  await eventually('the last is sent', () => state.isRemoved);
  assert.deepEqual([browserRecording.get()?.id, browserRecording.get()?.state], [id, 'starting']);
  microphone.refuse();
  await begun;
  assert.deepEqual([trouble.get()?.code, browserRecording.get()], ['no-permission', null]);
});

for (const how of ['failed', 'was given up'])
  test(`after a start that ${how} the rest of the last recording is still shown`, async (t) => {
    const { mine } = await opened(t).ending();
    const microphone = microphoneAsked(t);
    const begun = press();
    await microphone.asked();
    if (how === 'was given up') giveUp();
    microphone.refuse();
    await begun;
    const { id, state } = browserRecording.get() ?? {};
    assert.deepEqual([id, state], [mine.kept.id, 'ending']);
    assert.equal(location.pathname, '/', 'nothing begun is opened');
    const states = () => surfaces.get().map((one) => one.state);
    assert.deepEqual(states(), [how === 'failed' ? 'denied' : 'ending'], 'why comes first');
    trouble.set(null);
    assert.deepEqual(states(), ['ending']);
  });

test('what becomes of the last recording is not said of the next, and its end once that is over', async (t) => {
  const page = opened(t);
  const last = await page.ending();
  last.socket.open();
  const refused = { type: 'warning', code: 'views-behind', detail: 'It is still being read.' };
  last.socket.say(refused);
  await settled();
  assert.equal(trouble.get()?.code, 'not-taken');
  trouble.set(null);
  const next = page.next();
  last.socket.say(refused);
  await settled();
  assert.equal(trouble.get(), null);

  next.socket.open();
  next.socket.say(refused);
  await settled();
  last.socket.say({ type: 'audio.ready', recording_id: '01SERVICE', samples: 0 });
  assert.equal(trouble.get()?.code, 'not-taken', 'the next is not taken still');
  next.socket.say({ type: 'audio.ready', recording_id: '02SERVICE', samples: 0 });
  assert.equal(trouble.get(), null);

  last.socket.say({ type: 'audio.ended', reason: 'browser-gone', samples: 0 });
  await eventually('its rest is offered', () => page.asked.mock.callCount() > 0);
  await settled();
  assert.equal(trouble.get(), null);
  await endHere(next.mine);
  assert.equal(trouble.get(), null, 'the next is still being sent');
  next.socket.say({ type: 'audio.ack', samples: 16_000 });
  next.socket.say({ ...stoppedThere, samples: 16_000 });
  await eventually('it is said', () => trouble.get() !== null);
  const { code, recordingId } = trouble.get() as { code: string; recordingId: string };
  assert.deepEqual([code, recordingId], ['ended', '01SERVICE']);
});

test('one that ends by itself is said at once, also while the rest of the last is sent, which is shown then', async (t) => {
  const page = opened(t);
  await page.ending();
  const { socket } = page.next();
  socket.open();
  socket.say({ type: 'audio.ready', recording_id: '02SERVICE', samples: 0 });
  socket.say({ type: 'audio.ended', reason: 'disk-low', samples: 16_000 });
  await eventually('it is said', () => trouble.get() !== null);
  assert.equal(surfaces.get()[0]?.state, 'full');
  trouble.set(null);
  assert.deepEqual(
    surfaces.get().map(({ state, recordingId }) => [state, recordingId]),
    [['ending', '01SERVICE']],
  );
});

for (const [seconds, state] of [
  [1, 'denied'],
  [11, 'ended'],
] as const)
  test(`one that is refused at its beginning after ${seconds} s is said while the rest of the last, not begun either, is sent`, async (t) => {
    const page = opened(t);
    await page.ending({ recordingId: null });
    const { mine, socket } = page.begin({ id: '02BROWSER', recordingId: null });
    for (let k = 1; k < seconds; k += 1) takeBlock(mine, new Int16Array(16_000).buffer);
    socket.open();
    socket.say({ type: 'warning', code: 'not-understood', detail: 'No such folder.' });
    await eventually('it is said', () => trouble.get() !== null);
    const [first] = surfaces.get();
    assert.equal(first?.state, state);
    assert.match(sentences.get()(first, true).join(' '), /No such folder\./);
    trouble.set(null);
    assert.deepEqual(
      surfaces.get().map((one) => one.state),
      ['ending'],
    );
  });

for (const how of ['failed', 'was given up'])
  test(`what became of the last recording while the next began is said when that start ${how}`, async (t) => {
    const page = opened(t);
    const last = await page.ending();
    const microphone = microphoneAsked(t);
    const begun = press();
    await microphone.asked();
    await cutShort(page, last);
    if (how === 'was given up') giveUp();
    microphone.refuse();
    await begun;
    if (how === 'failed') {
      assert.equal(surfaces.get()[0]?.state, 'denied', 'why comes first');
      dismiss(t);
    }
    assert.deepEqual(shownFirst(), ['ended', '01SERVICE']);
    dismiss(t);
    assert.deepEqual(surfaces.get(), []);
  });

test('of several that end otherwise than wanted each is said, the one that was shown first', async (t) => {
  const page = opened(t);
  const [first, second] = [await page.ending(), page.next()];
  await endHere(second.mine);
  const third = page.begin({ id: '04BROWSER', recordingId: '04SERVICE' });
  await cutShort(page, first);
  third.socket.open();
  third.socket.say({ type: 'audio.ready', recording_id: '04SERVICE', samples: 0 });
  third.socket.say({ type: 'audio.ended', reason: 'disk-low', samples: 16_000 });
  await eventually('it is said', () => trouble.get() !== null);
  await cutShort(page, second);
  assert.deepEqual(shownFirst(), ['full', '04SERVICE']);
  dismiss(t);
  assert.deepEqual(shownFirst(), ['ended', '02SERVICE']);
  dismiss(t);
  assert.deepEqual(shownFirst(), ['ended', '01SERVICE']);
  dismiss(t);
  assert.deepEqual(surfaces.get(), []);
});

test('what is still to be said is said beside a device that a press on Record begins', async (t) => {
  const page = opened(t);
  const [first, second] = [await page.ending(), page.next()];
  await endHere(second.mine);
  const third = page.begin({ id: '04BROWSER', recordingId: '04SERVICE' });
  await cutShort(page, first);
  await cutShort(page, second);
  await drop(third.mine);
  assert.deepEqual(shownFirst(), ['ended', '02SERVICE']);
  page.asked.mock.mockImplementation(async () => Response.json({ recording_id: '03SERVICE' }));
  await record({}, 'device');
  assert.deepEqual(shownFirst(), ['ended', '01SERVICE']);
  status.set(inRoom);
  assert.deepEqual(shownFirst(), ['ended', '01SERVICE']);
  assert.equal(goingOn.get()?.recordingId, '03SERVICE', 'nothing else can be begun');
  const before = page.asked.mock.callCount();
  assert.equal(actByKey('pause'), true);
  await eventually('the device is paused', () => page.asked.mock.callCount() > before);
});

test('why a start failed is said until it is dismissed, also where the last is cut short behind it', async (t) => {
  const page = opened(t);
  const last = await page.ending();
  const microphone = microphoneAsked(t);
  const begun = press();
  await microphone.asked();
  microphone.refuse();
  await begun;
  await cutShort(page, last);
  assert.equal(surfaces.get()[0]?.state, 'denied');
  dismiss(t);
  assert.deepEqual(shownFirst(), ['ended', '01SERVICE']);
});

test('behind another login nothing is shown of what waits for its owner', async (t) => {
  const page = opened(t);
  const last = await page.ending();
  const next = page.next();
  session.set(loginOf('ben'));
  assert.deepEqual(
    surfaces.get().map(({ state }) => state),
    ['foreign'],
  );
  await endHere(next.mine);
  assert.deepEqual([browserRecording.get(), surfaces.get()], [null, []]);
  assert.deepEqual([last.state.isRemoved, next.state.isRemoved], [false, false]);
});

test('nothing that was stopped here looks as if another browser recorded it', async (t) => {
  const page = opened(t);
  await page.ending();
  const next = page.next();
  const running = ['01SERVICE', '02SERVICE'].map((recording_id) => ({
    recording_id,
    kind: 'solo',
    title: null,
    started_at: kept.startedAt,
    device: null,
    paused: false,
    seconds: 1,
    source: { name: null },
    warnings: [],
  }));
  status.set({ recordings: running } as unknown as Status);
  const ids = () => surfaces.get().map(({ recordingId }) => recordingId);
  assert.deepEqual(ids(), ['02SERVICE']);
  await endHere(next.mine);
  assert.deepEqual(ids(), ['02SERVICE']);
});

test('while a device records nothing else is begun, whatever of this browser is still sent', async (t) => {
  const page = opened(t);
  await page.ending();
  const records = () => {
    const button = show(t, RecordButton, {}).querySelector('.rec');
    return button !== null;
  };
  assert.equal(records(), true);
  status.set(inRoom);
  assert.deepEqual(
    surfaces.get().map(({ state }) => state),
    ['ending', 'room'],
  );
  assert.equal(records(), false);
});

test('a note whose rest is still sent is deleted here at once, also while the next is recorded', async (t) => {
  const page = opened(t);
  page.asked.mock.mockImplementation(async () => {
    throw new TypeError('Failed to fetch');
  });
  const last = await page.ending();
  const next = page.next();
  await discardRunning('01SERVICE');
  assert.deepEqual([last.state.isRemoved, next.state.isRemoved], [true, false]);
  assert.equal(browserRecording.get()?.id, next.mine.kept.id);
  assert.notEqual(next.mine.listening, null);
  await pauseHere(next.mine, true);
  assert.equal(browserRecording.get()?.state, 'paused');
});
