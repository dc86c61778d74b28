import './dom.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setPersistentEngine } from '@nanostores/persistent';
import { loginOf } from './sockets.ts';

test('a page that is opened while the service is told of the end of the session does not say that it has expired', async () => {
  // As the tab left it that logs out.
  const stored = {
    'mitschrift.session': JSON.stringify(loginOf('ada')),
    'mitschrift.logged-out': 'yes',
  };
  setPersistentEngine(stored, { addEventListener() {}, removeEventListener() {} });
  const { person, session, whyLoggedOut } = await import('../../../web/client/session.ts');
  assert.equal(person.get()?.user, 'ada');
  assert.equal(whyLoggedOut(), 'left');
  session.set(null);
  session.set(loginOf('ben'));
  assert.deepEqual([person.get()?.user, whyLoggedOut()], ['ben', 'expired']);
});
