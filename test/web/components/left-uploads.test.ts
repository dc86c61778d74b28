import './dom.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setPersistentEngine } from '@nanostores/persistent';
import { loginOf } from './sockets.ts';

test('uploads that a deleted account left are not shown to a new one of that name', async () => {
  const left = (userId?: string) => ({
    name: 'a',
    size: 2,
    sent: 1,
    user: 'ada',
    userId,
    at: Date.now(),
  });
  const uploads = { former: left('01ADA'), own: left('02ADA'), 'of an earlier release': left() };
  const stored = { 'mitschrift.uploads': JSON.stringify(uploads) };
  setPersistentEngine(stored, { addEventListener() {}, removeEventListener() {} });
  const { session } = await import('../../../web/client/session.ts');
  const { sendings, showLeft } = await import('../../../web/pages/home/upload/uploads.ts');
  session.set({ ...loginOf('ada'), user_id: '02ADA' });
  showLeft();
  assert.deepEqual(
    sendings.get().map(({ id }) => id),
    ['own', 'of an earlier release'],
  );
});
