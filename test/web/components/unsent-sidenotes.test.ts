import './dom.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { person, session } from '../../../web/client/session.ts';
import { followUnsent, unsent, writeSidenote } from '../../../web/client/unsent-sidenotes.ts';
import { recentChanges } from '../../../web/order/recent.ts';
import { eventually } from '../../support/eventually.ts';
import { loginOf, settled } from './sockets.ts';

const written = { recordingId: '01RECORDING', at: 3 };

test('side notes that a deleted account left are not sent by a new one of that name', async (t) => {
  t.after(() => session.set(null));
  const sent: string[] = [];
  let isTried = false;
  t.mock.method(globalThis, 'fetch', async (request: Request) => {
    const { text } = await request.json();
    // Only one is taken: the other waits.
    if (text === 'of the first') {
      isTried = true;
      throw new TypeError('Failed to fetch');
    }
    sent.push(text);
    return Response.json({ ...written, text });
  });
  // As an earlier release kept them.
  const former = { ...written, text: 'of an earlier release', key: '01KEY', writtenAt: 1 };
  localStorage.setItem('mitschrift.sidenotes.ada', JSON.stringify([former]));
  followUnsent();
  session.set({ ...loginOf('ada'), user_id: '01ADA' });
  await eventually('what an earlier release kept is sent', () => sent.length === 1);
  writeSidenote({ ...written, text: 'of the first' });
  assert.equal(unsent.get().length, 1);
  await eventually('it is tried', () => isTried);
  await settled();
  session.set(null);
  session.set({ ...loginOf('ada'), user_id: '02ADA' });
  assert.deepEqual(unsent.get(), []);
  writeSidenote({ ...written, text: 'of the second' });
  await eventually('the own one is sent', () => sent.length === 2);
  assert.deepEqual(sent, ['of an earlier release', 'of the second']);
});

test('a new account of the same name is another person to the page', () => {
  session.set({ ...loginOf('ada'), user_id: '01ADA' });
  const heard: unknown[] = [];
  const stop = person.listen((now) => heard.push(now));
  session.set({ ...loginOf('ada'), user_id: '01ADA', token: 'another' });
  assert.equal(heard.length, 0, 'the same account logs in again');
  recentChanges.set([{ id: 1, text: '', title: null, at: 0, undo: () => {} }]);
  session.set({ ...loginOf('ada'), user_id: '02ADA' });
  assert.equal(heard.length, 1);
  assert.deepEqual(recentChanges.get(), [], 'what it moved is not the new one’s to take back');
  stop();
  session.set(null);
});
