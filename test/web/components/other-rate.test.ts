import './dom.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browserRecording, trouble } from '../../../web/client/microphone/browser-recording.ts';
import { hold } from '../../../web/client/microphone/current.ts';
import { changeSource } from '../../../web/client/microphone/microphone.ts';
import { showAs } from '../../../web/client/microphone/shown.ts';
import { session } from '../../../web/client/session.ts';
import { kept, listeningUntil, loginOf, sockets, storeInMemory } from './sockets.ts';

/** A browser that resamples nothing, as Firefox does: a context has the rate of its device. */
class Context extends EventTarget {
  readonly state = 'running';
  readonly sampleRate = 44_100;
  readonly audioWorklet = { addModule: async () => {} };
  #isOfDevice: boolean;
  constructor(options?: object) {
    super();
    this.#isOfDevice = options === undefined;
  }
  createMediaStreamSource() {
    if (!this.#isOfDevice) throw new DOMException('', 'NotSupportedError');
    return { connect() {}, disconnect() {} };
  }
  async resume() {}
  async close() {}
}

class Worklet {
  readonly port = Object.assign(new EventTarget(), {
    start() {},
    postMessage: () => this.port.dispatchEvent(new MessageEvent('message', { data: 'flushed' })),
  });
}

test('what another rate comes from does not end the recording; that is said, and the microphone closed', async (t) => {
  sockets(t);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  session.set(loginOf('ada'));
  t.after(() => (session.set(null), trouble.set(null), browserRecording.set(null)));
  const track = Object.assign(new EventTarget(), { muted: false, isLive: true });
  const tracks = [Object.assign(track, { stop: () => (track.isLive = false) })];
  const stream = { getTracks: () => tracks, getAudioTracks: () => tracks };
  const devices = Object.assign(new EventTarget(), { getUserMedia: async () => stream });
  for (const [name, value] of Object.entries({ AudioContext: Context, AudioWorkletNode: Worklet }))
    Object.defineProperty(globalThis, name, { value, configurable: true });
  for (const [name, value] of Object.entries({
    mediaDevices: devices,
    userActivation: { hasBeenActive: true },
  }))
    Object.defineProperty(navigator, name, { value, configurable: true });
  const { store, state } = storeInMemory();
  const mine = hold({ store, kept: { ...kept, rate: 48_000 }, release: () => {}, total: 0 });
  t.after(() => mine.link.close());
  mine.listening = listeningUntil(() => {});
  showAs('recording', mine);
  await changeSource('microphone');
  assert.deepEqual([trouble.get()?.code, browserRecording.get()?.state], ['other-rate', 'held']);
  assert.deepEqual([mine.kept.isOver, state.isRemoved, track.isLive], [false, false, false]);
});
