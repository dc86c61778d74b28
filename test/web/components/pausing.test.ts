import './dom.ts';
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Status, status } from '../../../web/client/feed.ts';
import { browserRecording, trouble } from '../../../web/client/microphone/browser-recording.ts';
import { hold } from '../../../web/client/microphone/current.ts';
import { pauseHere } from '../../../web/client/microphone/pausing.ts';
import { showAs } from '../../../web/client/microphone/shown.ts';
import { session } from '../../../web/client/session.ts';
import { kept, listeningUntil, loginOf, settled, sockets, storeInMemory } from './sockets.ts';

/** A recording of this page whose audio the service takes, and how often its microphone was opened again. */
function recordingHere(t: TestContext) {
  const made = sockets(t);
  session.set(loginOf('ada'));
  t.after(() => {
    for (const one of [session, status, browserRecording, trouble]) one.set(null);
  });
  let opened = 0;
  const { store } = storeInMemory();
  const mine = hold({ store, kept: { ...kept }, release: () => {}, total: 0 });
  mine.listening = { ...listeningUntil(() => {}), go: async () => void (opened += 1) };
  t.after(() => mine.link.close());
  showAs('recording', mine);
  mine.link.begin();
  made[0]!.open();
  made[0]!.say(ready);
  const told = (paused: boolean) =>
    status.set({ recordings: [{ recording_id: '01SERVICE', paused }] } as Status);
  return { made, mine, told, opened: () => opened };
}

const ready = { type: 'audio.ready', recording_id: '01SERVICE', samples: 0 };

test('a pause outlasts the recording that the service ended meanwhile, until a person goes on', async (t) => {
  t.mock.method(globalThis, 'fetch', async ({ url }: Request) =>
    url.endsWith('/pause') ? Response.json({}) : Response.json({ status: 409 }, { status: 409 }),
  );
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { made, mine, told, opened } = recordingHere(t);
  await pauseHere(mine, true);
  told(true);
  status.set({ recordings: [] } as unknown as Status);
  made[0]!.drop();
  t.mock.timers.tick(1000);
  made[1]!.open();
  made[1]!.say({ ...ready, ended: true });
  await settled();
  assert.deepEqual([opened(), browserRecording.get()?.state], [0, 'paused']);
  await pauseHere(mine, false);
  assert.deepEqual([opened(), browserRecording.get()?.state], [1, 'recording']);
});

for (const refused of [401, 429, 503])
  test(`a pause that the service answers with ${refused} goes on, and is told again`, async (t) => {
    const asked: string[] = [];
    let isTaken = false;
    t.mock.method(globalThis, 'fetch', async ({ url }: Request) => {
      asked.push(url.split('/').at(-1)!);
      if (isTaken) return Response.json({});
      return Response.json({ status: refused }, { status: refused });
    });
    const { mine, told, opened } = recordingHere(t);
    await pauseHere(mine, true);
    session.set(loginOf('ada'));
    told(false);
    await settled();
    assert.notEqual(mine.kept.pausedAt, undefined);
    assert.equal(opened(), 0);
    isTaken = true;
    told(false);
    await settled();
    assert.equal(mine.kept.isPauseTold, true);
    assert.ok(asked.length >= 2 && asked.every((verb) => verb === 'pause'));
  });

test('who goes on while the service refuses that for now is heard, and asks it again ever later', async (t) => {
  const asked: string[] = [];
  t.mock.method(globalThis, 'fetch', async ({ url }: Request) => {
    asked.push(url.split('/').at(-1)!);
    if (url.endsWith('/pause')) return Response.json({});
    return Response.json({ status: 503 }, { status: 503 });
  });
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { made, mine, told } = recordingHere(t);
  const [socket] = made;
  await pauseHere(mine, true);
  socket!.say({ type: 'audio.ended', reason: 'paused', samples: 0 });
  told(true);
  await settled();
  await pauseHere(mine, false);
  const starts = () => socket!.sent.filter((one) => String(one).includes('audio.start')).length;
  for (let tries = 0; tries < 5; tries += 1) {
    socket!.say({ type: 'warning', code: 'recording-paused', detail: 'It is paused.' });
    told(true);
    await settled();
  }
  assert.equal(mine.kept.pausedAt, undefined, 'it is not paused again');
  assert.equal(starts(), 2, 'it is not asked as often as it can answer');
  assert.ok(asked.includes('resume'));
  t.mock.timers.tick(2000);
  assert.equal(starts(), 3);
});

test('a connection on which nothing comes in a pause is made anew', async (t) => {
  t.mock.method(globalThis, 'fetch', async () => Response.json({}));
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'], now: Date.now() });
  const { made, mine } = recordingHere(t);
  await pauseHere(mine, true);
  made[0]!.say({ type: 'audio.ended', reason: 'paused', samples: 0 });
  t.mock.timers.tick(1000);
  for (let heard = 0; heard < 4; heard += 1) {
    t.mock.timers.tick(15_000);
    made[0]!.say({ type: 'position', position: heard });
  }
  assert.equal(made.length, 1, 'the service says something');
  t.mock.timers.tick(45_000);
  t.mock.timers.tick(1000);
  assert.equal(made.length, 2);
});
