import './dom.ts';
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Inputs, connectStreams } from '../../../web/client/microphone/streams.ts';
import { settled } from './sockets.ts';

/** A microphone's stream. */
function microphone() {
  const track = Object.assign(new EventTarget(), { muted: false, isLive: true });
  const tracks = [Object.assign(track, { stop: () => (track.isLive = false) })];
  return { track, getTracks: () => tracks, getAudioTracks: () => tracks };
}

/** Microphones that are opened from now on, and what says that another device is there. */
function microphones(t: TestContext) {
  const made: ReturnType<typeof microphone>[] = [];
  const getUserMedia = async () => made[made.push(microphone()) - 1];
  const devices = Object.assign(new EventTarget(), { getUserMedia });
  const before = Object.getOwnPropertyDescriptor(navigator, 'mediaDevices');
  Object.defineProperty(navigator, 'mediaDevices', { value: devices, configurable: true });
  t.after(() => before && Object.defineProperty(navigator, 'mediaDevices', before));
  return { made, change: () => devices.dispatchEvent(new Event('devicechange')) };
}

/** What the browser says of the permission; without one it does not know the name. */
function permission(t: TestContext, status: EventTarget | null) {
  const query = async () => {
    if (status === null) throw new TypeError('no such name');
    return status;
  };
  Object.defineProperty(navigator, 'permissions', { value: { query }, configurable: true });
  t.after(() => Reflect.deleteProperty(navigator, 'permissions'));
}

/** A microphone that is connected, and has gone. */
async function lostMicrophone(t: TestContext) {
  const first = microphone();
  const createMediaStreamSource = () => ({ connect() {}, disconnect() {} });
  const connected = connectStreams(
    { microphone: first as unknown as MediaStream },
    {
      context: { createMediaStreamSource } as unknown as AudioContext,
      inputs: { microphone: {}, tab: {} } as Inputs,
    },
    { lost() {}, sound() {} },
  );
  t.after(() => connected.stop());
  await settled();
  first.track.dispatchEvent(new Event('ended'));
  return connected;
}

test('a microphone that was not allowed for a while is taken again when it is, and no more when all is over', async (t) => {
  const { made } = microphones(t);
  const status = new EventTarget();
  permission(t, status);
  const connected = await lostMicrophone(t);
  assert.equal(made.length, 0);
  status.dispatchEvent(new Event('change'));
  await settled();
  assert.equal(made.length, 1);
  made[0]!.track.dispatchEvent(new Event('ended'));
  connected.stop();
  status.dispatchEvent(new Event('change'));
  await settled();
  assert.equal(made.length, 1);
});

test('where the browser says nothing of the permission, a microphone is taken again when the page is looked at', async (t) => {
  const { made } = microphones(t);
  permission(t, null);
  await lostMicrophone(t);
  document.dispatchEvent(new window.Event('visibilitychange'));
  await settled();
  assert.equal(made.length, 1);
});

test('in a pause no microphone is taken, whatever is allowed or looked at', async (t) => {
  const { made, change } = microphones(t);
  permission(t, null);
  const connected = await lostMicrophone(t);
  connected.closeMicrophone();
  document.dispatchEvent(new window.Event('visibilitychange'));
  change();
  await settled();
  assert.equal(made.length, 0);
  await connected.reopenMicrophone();
  assert.equal(made.length, 1);
});

for (const isPauseOver of [false, true])
  test(`a microphone that comes back while a pause begins is ${isPauseOver ? 'taken where the pause is over by then' : 'closed'}`, async (t) => {
    const { made, change } = microphones(t);
    permission(t, null);
    const connected = await lostMicrophone(t);
    const { getUserMedia } = navigator.mediaDevices;
    let give = () => {};
    const isGiven = new Promise<void>((resolve) => (give = resolve));
    t.mock.method(navigator.mediaDevices, 'getUserMedia', async () => {
      await isGiven;
      return await getUserMedia();
    });
    change();
    connected.closeMicrophone();
    const isOpen = isPauseOver ? connected.reopenMicrophone() : null;
    give();
    await isOpen;
    await settled();
    assert.deepEqual(
      made.map(({ track }) => track.isLive),
      isPauseOver ? [false, true] : [false],
    );
  });

test('where a pause that ends gets no microphone, none is taken in it', async (t) => {
  const { made, change } = microphones(t);
  permission(t, null);
  const connected = await lostMicrophone(t);
  connected.closeMicrophone();
  const refused = t.mock.method(navigator.mediaDevices, 'getUserMedia', async () => {
    throw new DOMException('', 'NotAllowedError');
  });
  await assert.rejects(connected.reopenMicrophone());
  refused.mock.restore();
  change();
  await settled();
  assert.equal(made.length, 0);
});

test('a microphone that cannot be connected in the place of the one that is gone is closed, and the next one is taken', async (t) => {
  const { made, change } = microphones(t);
  const first = microphone();
  const rates = ['same', 'another', 'same'];
  const createMediaStreamSource = () => {
    if (rates.shift() === 'another') throw new DOMException('', 'NotSupportedError');
    return { connect() {}, disconnect() {} };
  };
  const lost: unknown[] = [];
  const connected = connectStreams(
    { microphone: first as unknown as MediaStream },
    {
      context: { createMediaStreamSource } as unknown as AudioContext,
      inputs: { microphone: {}, tab: {} } as Inputs,
    },
    { lost: (what) => lost.push(what), sound() {} },
  );
  t.after(() => connected.stop());
  first.track.dispatchEvent(new Event('ended'));
  change();
  await settled();
  assert.equal(made[0]?.track.isLive, false);
  change();
  await settled();
  assert.deepEqual([made.length, made[1]?.track.isLive], [2, true]);
  assert.deepEqual(lost, ['microphone', null]);
});
