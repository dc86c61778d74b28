import './dom.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { polite } from '../../../web/app/announce.ts';
import { followSession } from '../../../web/client/feed.ts';
import type { AudioStore } from '../../../web/client/microphone/audio-store.ts';
import { browserRecording, trouble } from '../../../web/client/microphone/browser-recording.ts';
import { drop, heard, hold, takeBlock } from '../../../web/client/microphone/current.ts';
import { showAs } from '../../../web/client/microphone/shown.ts';
import { session } from '../../../web/client/session.ts';
import { tellOfRecordings } from '../../../web/recording-bar/told.ts';
import { eventually } from '../../support/eventually.ts';
import { kept, loginOf, settled, sockets } from './sockets.ts';

const store: AudioStore = {
  put: async () => {},
  all: async () => [],
  add: async () => true,
  after: async () => [],
  total: async () => 0,
  acknowledge: async () => {},
  isInMemory: () => false,
  remove: async () => {},
};

test('of a recording that is deleted nobody hears that its note is being created', async (t) => {
  const made = sockets(t);
  t.mock.method(globalThis, 'fetch', async () => new Response('{}'));
  // It looks as long as the page is open.
  t.mock.timers.enable({ apis: ['setInterval'] });
  followSession();
  tellOfRecordings();
  session.set(loginOf('ada'));
  t.after(() => session.set(null));
  const feed = made.at(-1)!;
  feed.open();
  const told: string[] = [];
  t.after(polite.listen((text) => void (text !== '' && told.push(text))));
  const stopIsHeard = async (work: () => unknown) => {
    told.length = 0;
    await work();
    await settled();
    return told.some((text) => text.startsWith('Recording stopped.'));
  };

  const here = () => {
    const mine = hold({ store, kept: { ...kept }, release: () => {}, total: 0 });
    showAs('recording', mine);
    takeBlock(mine, new Int16Array(16_000).buffer);
    heard(mine, { type: 'block', rms: 0.5 });
    assert.equal(browserRecording.get()?.sound.state, 'heard');
    return mine;
  };
  const mine = here();
  assert.equal(await stopIsHeard(() => drop(mine)), false, 'here');
  const other = here();
  other.link.begin();
  const ofAudio = made.at(-1)!;
  ofAudio.open();
  const elsewhere = async () => {
    ofAudio.say({ type: 'audio.ended', reason: 'discarded', samples: 0 });
    await eventually('it is said', () => trouble.get() !== null);
  };
  assert.equal(await stopIsHeard(elsewhere), false, 'elsewhere');
  trouble.set(null);

  const says = (...ids: string[]) => {
    const device = { device: 'Desk Mic', source: { name: null }, paused: false, duration: 3 };
    const recordings = ids.map((recording_id) => {
      const started_at = '2026-03-01T10:00:00.000Z';
      return { ...device, recording_id, kind: 'solo', title: null, started_at, warnings: [] };
    });
    const lists = { recordings, processing: [], speakers_pending: [], errors: [] };
    feed.say({ type: 'status', position: 1, recording: recordings[0] ?? null, ...lists });
  };
  says('r1');
  const inRoom = () => {
    const event = 'recording.discarded';
    feed.say({ type: 'transition', recording_id: 'r1', event, position: 2 });
    says();
  };
  assert.equal(await stopIsHeard(inRoom), false, 'in a room');
  says('r2');
  assert.equal(await stopIsHeard(() => says()), true, 'one that was stopped is said to be');
});
