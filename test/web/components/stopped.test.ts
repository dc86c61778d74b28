import './dom.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertive, polite } from '../../../web/app/announce.ts';
import { trouble } from '../../../web/client/microphone/browser-recording.ts';
import { drop, endHere, heard, hold, takeBlock } from '../../../web/client/microphone/current.ts';
import type { Current } from '../../../web/client/microphone/pausing.ts';
import { showAs } from '../../../web/client/microphone/shown.ts';
import { session } from '../../../web/client/session.ts';
import { tellOfRecordings } from '../../../web/recording-bar/told.ts';
import { kept, loginOf, settled, sockets } from './sockets.ts';

test('who stops while the server does not answer hears where the rest is; and at once when it ended for want of room', async (t) => {
  sockets(t);
  t.mock.method(globalThis, 'fetch', async () => new Response('{}'));
  // It looks as long as the page is open.
  t.mock.timers.enable({ apis: ['setInterval'] });
  session.set(loginOf('ada'));
  t.after(() => (session.set(null), trouble.set(null)));
  tellOfRecordings();
  const told: string[] = [];
  for (const [region, name] of [
    [polite, 'status'],
    [assertive, 'alert'],
  ] as const)
    t.after(region.listen((text) => void (text !== '' && told.push(`${name}: ${text}`))));
  const heardOf = async (end: (mine: Current) => unknown, isKept = true) => {
    const store = {
      put: async () => {},
      all: async () => [],
      add: async () => isKept || Promise.reject(new Error('full')),
      after: async () => [],
      total: async () => 48_000,
      acknowledge: async () => {},
      isInMemory: () => false,
      remove: async () => {},
    };
    const mine = hold({ store, kept: { ...kept }, release: () => {}, total: 0 });
    showAs('recording', mine);
    told.length = 0;
    takeBlock(mine, new Int16Array(48_000).buffer);
    heard(mine, { type: 'block', rms: 0.5 });
    await end(mine);
    await settled();
    const said = told.filter((text) => text.includes('stopped'));
    await drop(mine);
    return said;
  };
  const rest = 'Recording stopped. 3 s of it is still in this browser and will be sent.';
  assert.deepEqual(await heardOf(endHere), [`status: ${rest}`]);
  assert.deepEqual(await heardOf(() => {}, false), [
    `alert: This browser has no storage space left. ${rest}`,
  ]);
});
