import './dom.ts';
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { browserRecording, trouble } from '../../../web/client/microphone/browser-recording.ts';
import type { Kept } from '../../../web/client/microphone/audio-store.ts';
import { endHere, hold, takeBlock, takeMissed } from '../../../web/client/microphone/current.ts';
import { finishQuietly, sendRest } from '../../../web/client/microphone/leftovers.ts';
import { pauseHere } from '../../../web/client/microphone/pausing.ts';
import { showAs } from '../../../web/client/microphone/shown.ts';
import { session } from '../../../web/client/session.ts';
import { eventually } from '../../support/eventually.ts';
import { type Status, status } from '../../../web/client/feed.ts';
import { kept, listeningUntil, loginOf, settled, sockets, storeInMemory } from './sockets.ts';

test('what a browser holds is sent by its owner’s login alone', async (t) => {
  const made = sockets(t);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => session.set(null));
  const { store } = storeInMemory();
  const mine = hold({ store, kept: { ...kept }, release: () => {}, total: 0 });
  session.set(loginOf('ben'));
  mine.link.begin();
  t.mock.timers.tick(60_000);
  assert.equal(made.length, 0);
  session.set(loginOf('ada'));
  t.mock.timers.tick(15_000);
  assert.deepEqual(made[0]?.protocols, ['mitschrift', 'token-of-ada']);
  mine.link.close();
});

test('what a browser holds of a deleted account is not sent by a new one of that name', async (t) => {
  const made = sockets(t);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => session.set(null));
  const asked = t.mock.method(globalThis, 'fetch', async () => new Response('{}'));
  const { store } = storeInMemory();
  const found = { store, kept: { ...kept, userId: '01ADA' }, release: () => {}, total: 0 };
  const mine = hold(found);
  t.after(() => mine.link.close());
  takeBlock(mine, new Int16Array(1600).buffer);
  session.set({ ...loginOf('ada'), user_id: '02ADA' });
  mine.link.begin();
  t.mock.timers.tick(60_000);
  assert.equal(await sendRest(store, found.kept), false);
  assert.deepEqual([made.length, asked.mock.callCount()], [0, 0]);
  session.set({ ...loginOf('ada'), user_id: '01ADA' });
  t.mock.timers.tick(15_000);
  assert.equal(made.length, 1);
});

test('what nobody recorded is sent as a gap, so that what follows keeps its time', async (t) => {
  const made = sockets(t);
  session.set(loginOf('ada'));
  t.after(() => session.set(null));
  const { store, state } = storeInMemory();
  const block = (end: number, samples: number) =>
    state.blocks.set(end, new Int16Array(samples).fill(end).buffer);
  block(100, 100);
  block(400, 200);
  const mine = hold({ store, kept: { ...kept }, release: () => {}, total: 400 });
  t.after(() => mine.link.close());
  const sent = () =>
    made[0]!.sent
      .slice(1)
      .map((one) =>
        typeof one === 'string' ? JSON.parse(one) : [...new Int16Array(one as ArrayBuffer)],
      );
  mine.link.begin();
  made[0]!.open();
  made[0]!.say({ type: 'audio.ready', recording_id: '01SERVICE', samples: 60 });
  await eventually('it is sent', () => sent().length >= 3, 5000);
  assert.deepEqual(sent(), [
    Array.from({ length: 40 }, () => 100),
    { type: 'audio.gap', samples: 100 },
    Array.from({ length: 200 }, () => 400),
  ]);
});

test('who slept longer than a recording may be ends it, with what was heard before; what is heard behind that is a file without the night', async (t) => {
  const made = sockets(t);
  session.set(loginOf('ada'));
  t.after(() => (session.set(null), trouble.set(null), browserRecording.set(null)));
  const forms: FormData[] = [];
  t.mock.method(globalThis, 'fetch', async (request: Request) => {
    if (request.url.endsWith('/recordings')) forms.push(await request.formData());
    return new Response('{}', { status: 202 });
  });
  const night = 10 * 3600_000;
  const opened = (state: ReturnType<typeof storeInMemory>) => {
    const mine = hold({ store: state.store, kept: { ...kept }, release: () => {}, total: 0 });
    t.after(() => mine.link.close());
    mine.listening = listeningUntil(() => {});
    takeBlock(mine, new Int16Array(16_000).buffer);
    mine.link.begin();
    made.at(-1)!.open();
    return mine;
  };
  // The service has no room for the night.
  const slept = storeInMemory();
  const mine = opened(slept);
  takeMissed(mine, { missedMs: night, before: null });
  takeBlock(mine, new Int16Array(32_000).buffer);
  const socket = made.at(-1)!;
  socket.say({ type: 'audio.ready', recording_id: '01SERVICE', samples: 16_000 });
  socket.say({ type: 'audio.ended', reason: 'limit-hours', samples: 16_000 });
  await eventually('it is sent', () => forms.length === 1);
  const [form] = forms;
  const began = Date.parse(kept.startedAt) + 1000 + night;
  assert.equal(form!.get('started_at'), new Date(began).toISOString());
  assert.equal((form!.get('file') as File).size, 44 + 64_000);
  await eventually('it is removed', () => slept.state.isRemoved);

  // A clock that jumped, or days of sleep: the service takes no such gap.
  trouble.set(null);
  const days = storeInMemory();
  const other = opened(days);
  takeMissed(other, { missedMs: 5 * 24 * 3600_000, before: new Int16Array(800).buffer });
  await settled();
  assert.equal(other.listening, null);
  assert.equal(other.total, 16_800);
  assert.equal((trouble.get() as { detail: string } | null)?.detail, 'asleep');
  made.at(-1)!.say({ type: 'audio.ready', recording_id: '01SERVICE', samples: 16_800 });
  await settled();
  assert.match(String(made.at(-1)!.sent.at(-1)), /audio\.stop/);
});

test('who goes on before the pause has reached the service is heard there, too', async (t) => {
  sockets(t);
  session.set(loginOf('ada'));
  t.after(() => session.set(null));
  let isPaused = false;
  const asked: string[] = [];
  let letPause = () => {};
  const isHeld = new Promise<void>((resolve) => (letPause = resolve));
  // As the service does: what is so already is refused.
  t.mock.method(globalThis, 'fetch', async ({ url }: Request) => {
    const verb = url.split('/').at(-1)!;
    asked.push(verb);
    if (verb === 'pause') await isHeld;
    if (isPaused === (verb === 'pause')) return new Response('{"status":409}', { status: 409 });
    isPaused = !isPaused;
    return new Response('{}', { headers: { 'content-type': 'application/json' } });
  });
  const mine = hold({
    store: storeInMemory().store,
    kept: { ...kept },
    release: () => {},
    total: 0,
  });
  t.after(() => mine.link.close());
  const wishes = [pauseHere(mine, true), pauseHere(mine, false)];
  letPause();
  await Promise.all(wishes);
  assert.deepEqual(asked, ['pause', 'resume']);
  assert.equal(isPaused, false);
});

test('a recording that the service has ended, and whose rest it does not take, is kept, and that is said', async (t) => {
  const made = sockets(t);
  session.set(loginOf('ada'));
  t.after(() => (session.set(null), trouble.set(null)));
  let status503 = 0;
  t.mock.method(globalThis, 'fetch', async () => {
    status503 += 1;
    return new Response('', { status: 503 });
  });
  const { store, state } = storeInMemory();
  const mine = hold({ store, kept: { ...kept }, release: () => {}, total: 0 });
  takeBlock(mine, new Int16Array(1600).buffer);
  mine.link.begin();
  const [socket] = made;
  socket!.open();
  socket!.say({ type: 'audio.ready', recording_id: '01SERVICE', samples: 0 });
  await eventually('the block is sent', () => socket!.sent.length === 2);

  // What it did not understand is offered again, ever less often.
  t.mock.timers.enable({ apis: ['setTimeout'] });
  for (let k = 0; k < 3; k += 1)
    socket!.say({ type: 'audio.ended', reason: 'refused', samples: 0 });
  assert.equal(socket!.sent.length, 2);
  t.mock.timers.tick(8000);
  assert.equal(socket!.sent.length, 3);
  assert.match(String(socket!.sent[2]), /audio\.start/);
  t.mock.timers.reset();

  socket!.say({ type: 'audio.ended', reason: 'browser-gone', samples: 0 });
  await eventually('it is said', () => trouble.get() !== null);
  assert.deepEqual(trouble.get(), {
    code: 'ended',
    detail: 'browser-gone',
    isWhole: false,
    recordingId: '01SERVICE',
    seconds: 0.1,
  });
  assert.equal(status503, 1);
  assert.equal(state.isRemoved, false);
});

test('what is heard until the word of a stop elsewhere is here is let go; what waited before is added, never a file of its own', async (t) => {
  const made = sockets(t);
  session.set(loginOf('ada'));
  t.after(() => (session.set(null), browserRecording.set(null)));
  const asked = t.mock.method(globalThis, 'fetch', async () => new Response('{}'));
  const stoppedWith = async (unsent: number) => {
    const { store, state } = storeInMemory();
    const mine = hold({ store, kept: { ...kept }, release: () => {}, total: 0 });
    t.after(() => mine.link.close());
    let hasEnded = false;
    mine.listening = listeningUntil(() => (hasEnded = true));
    takeBlock(mine, new Int16Array(16_000).buffer);
    mine.link.begin();
    const socket = made.at(-1)!;
    socket.open();
    socket.say({ type: 'audio.ready', recording_id: '01SERVICE', samples: 0 });
    takeBlock(mine, new Int16Array(16_000 * unsent).buffer);
    socket.say({ type: 'audio.ended', reason: 'stopped', samples: 16_000 });
    await eventually('the microphone is off', () => hasEnded);
    return { socket, state };
  };
  const short = await stoppedWith(1);
  await eventually('nothing is kept', () => short.state.isRemoved);
  const { socket, state } = await stoppedWith(30);
  const said = (type: string) => socket.sent.filter((one) => String(one).includes(type)).length;
  await eventually('it asks again', () => said('audio.start') === 2);
  // Of blocks that were on their way when it was stopped; no answer.
  socket.say({ type: 'warning', code: 'not-recording', reason: 'start-first', detail: 'Start.' });
  socket.say({ type: 'audio.ready', recording_id: '01SERVICE', samples: 16_000, stopped: true });
  socket.say({ type: 'audio.ack', samples: 16_000 * 31 });
  await eventually('it is ended', () => said('audio.stop') === 1);
  socket.say({ type: 'audio.ended', reason: 'stopped', samples: 16_000 * 31 });
  await eventually('nothing is kept', () => state.isRemoved);
  assert.equal(asked.mock.callCount(), 0);
});

test('a new recording that the service does not begin for now goes on here, and is offered again', async (t) => {
  const made = sockets(t);
  session.set(loginOf('ada'));
  t.after(() => (session.set(null), trouble.set(null)));
  const { store, state } = storeInMemory();
  const mine = hold({
    store,
    kept: { ...kept, recordingId: null },
    release: () => {},
    total: 0,
  });
  t.after(() => mine.link.close());
  let hasEnded = false;
  mine.listening = listeningUntil(() => (hasEnded = true));
  t.mock.timers.enable({ apis: ['setTimeout'] });
  takeBlock(mine, new Int16Array(16_000).buffer);
  mine.link.begin();
  const [socket] = made;
  socket!.open();
  socket!.say({ type: 'warning', code: 'views-behind', detail: 'It is still being read.' });
  await settled();
  assert.equal(hasEnded, false, 'the microphone stays open');
  assert.deepEqual(trouble.get(), {
    code: 'not-taken',
    detail: 'It is still being read.',
    isAskedAgain: true,
  });
  t.mock.timers.tick(2000);
  assert.equal(socket!.sent.length, 2, 'it is asked again');
  socket!.say({ type: 'audio.ready', recording_id: '01SERVICE', samples: 0 });
  assert.equal(trouble.get(), null);
  assert.deepEqual([...state.blocks.keys()], [16_000]);
});

test('what was recorded of one that is never begun goes there as a file, with all that was said of it', async (t) => {
  const options = { title: 'Choir', people: ['Ben, B.', 'Cleo'], language: 'de', folder: 'F' };
  // Its folder was deleted meanwhile.
  const statusOf = (form: FormData) => (form.has('folder') ? 404 : 503);
  const { isRemoved, said } = await refusedAs(t, { code: 'not-found', options, statusOf });
  const rest = { title: 'Choir', people: '["Ben, B.","Cleo"]', language: 'de' };
  assert.deepEqual(said, [
    { ...rest, folder: 'F' },
    { ...rest, folder: null },
  ]);
  assert.equal(isRemoved, false);
  assert.deepEqual(trouble.get(), {
    code: 'ended',
    detail: 'It is gone.',
    isWhole: false,
    recordingId: null,
    seconds: 20,
  });
});

test('what was recorded of one whose options the service never takes goes there without them', async (t) => {
  const options = { title: 'Choir', people: ['Ben und Cleo '.repeat(10)] };
  const statusOf = (form: FormData) => (form.has('people') ? 422 : 201);
  const { isRemoved, said } = await refusedAs(t, { code: 'not-understood', options, statusOf });
  assert.deepEqual(said, [
    { title: 'Choir', people: JSON.stringify(options.people), language: null, folder: null },
    { title: null, people: null, language: null, folder: null },
  ]);
  assert.equal(isRemoved, true);
});

test('the rest of one that the service has goes into no folder: it may have been moved meanwhile', async (t) => {
  const options = { title: 'Choir', people: ['Cleo'], folder: 'F' };
  const given = { code: 'not-recording', options, recordingId: '01SERVICE', statusOf: () => 503 };
  const { said } = await refusedAs(t, given);
  assert.deepEqual(said, [{ title: null, people: '["Cleo"]', language: null, folder: null }]);
});

test('of a recording that was deleted elsewhere nothing is kept here or sent as a file, and that is said', async (t) => {
  const made = sockets(t);
  session.set(loginOf('ada'));
  t.after(() => (session.set(null), trouble.set(null)));
  const asked = t.mock.method(globalThis, 'fetch', async () => new Response('{}'));
  const says = [
    { type: 'audio.ended', reason: 'discarded', samples: 0 },
    { type: 'warning', code: 'not-recording', reason: 'recording-erased', detail: 'It is gone.' },
  ];
  for (const said of says) {
    const { store, state } = storeInMemory();
    const mine = hold({ store, kept: { ...kept }, release: () => {}, total: 0 });
    let hasEnded = false;
    mine.listening = listeningUntil(() => (hasEnded = true));
    takeBlock(mine, new Int16Array(16_000).buffer);
    mine.link.begin();
    made.at(-1)!.open();
    made.at(-1)!.say(said);
    await eventually('it is said', () => trouble.get() !== null);
    assert.deepEqual([state.isRemoved, hasEnded], [true, true]);
    assert.deepEqual(trouble.get(), {
      code: 'ended',
      detail: 'discarded',
      isWhole: true,
      recordingId: null,
      seconds: 1,
    });
    trouble.set(null);
    // What it held of an ended one.
    const left = storeInMemory();
    left.state.blocks.set(16_000, new Int16Array(16_000).buffer);
    finishQuietly({ store: left.store, kept: { ...kept }, release: () => {}, total: 16_000 });
    made.at(-1)!.open();
    made.at(-1)!.say(said);
    await eventually('it is removed, too', () => left.state.isRemoved);
  }
  assert.equal(asked.mock.callCount(), 0);
});

test('who is sent away with all it has asks again ever more rarely, until more of it is taken', (t) => {
  const made = sockets(t);
  session.set(loginOf('ada'));
  t.after(() => session.set(null));
  t.mock.method(Math, 'random', () => 0.5);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { store } = storeInMemory();
  const mine = hold({ store, kept: { ...kept, isOver: true }, release: () => {}, total: 0 });
  t.after(() => mine.link.close());
  mine.link.begin();
  const waits = [500, 1000, 2000, 4000].map((wait, at) => {
    made[at]!.open();
    made[at]!.say({ type: 'audio.ready', recording_id: '01SERVICE', samples: 0 });
    made[at]!.say({ type: 'audio.ended', reason: 'left', samples: 0 });
    made[at]!.drop();
    t.mock.timers.tick(wait - 1);
    const early = made.length - at - 1;
    t.mock.timers.tick(1);
    return [early, made.length - at - 1];
  });
  assert.deepEqual(waits, [
    [0, 1],
    [0, 1],
    [0, 1],
    [0, 1],
  ]);
  made.at(-1)!.open();
  made.at(-1)!.say({ type: 'audio.ready', recording_id: '01SERVICE', samples: 100 });
  made.at(-1)!.drop();
  t.mock.timers.tick(500);
  assert.equal(made.length, 6);
});

/** A recording of 20 seconds, a new one or `recordingId`, that the service refuses: what is said of its rest, try after try. */
async function refusedAs(
  t: TestContext,
  given: {
    code: string;
    options: NonNullable<Kept['options']>;
    recordingId?: string;
    statusOf: (form: FormData) => number;
  },
) {
  const made = sockets(t);
  session.set(loginOf('ada'));
  t.after(() => (session.set(null), trouble.set(null)));
  const sent: FormData[] = [];
  t.mock.method(globalThis, 'fetch', async (request: Request) => {
    const form = await request.formData();
    sent.push(form);
    return new Response('', { status: given.statusOf(form) });
  });
  const { store, state } = storeInMemory();
  const mine = hold({
    store,
    kept: { ...kept, recordingId: given.recordingId ?? null, options: given.options },
    release: () => {},
    total: 0,
  });
  t.after(() => mine.link.close());
  takeBlock(mine, new Int16Array(16_000 * 20).buffer);
  mine.link.begin();
  made[0]!.open();
  made[0]!.say({ type: 'warning', code: given.code, detail: 'It is gone.' });
  await eventually('it is said', () => trouble.get() !== null);
  const fields = (form: FormData) =>
    Object.fromEntries(
      ['title', 'people', 'language', 'folder'].map((key) => [key, form.get(key)]),
    );
  return { isRemoved: state.isRemoved, said: sent.map(fields) };
}

test('what comes behind a block that only memory has does not make that safe', async (t) => {
  sockets(t);
  t.after(() => browserRecording.set(null));
  const { store } = storeInMemory();
  const refuses = [true, false];
  const mine = hold({
    store: { ...store, add: async () => refuses.shift() === false, isInMemory: () => true },
    kept: { ...kept },
    release: () => {},
    total: 0,
  });
  t.after(() => mine.link.close());
  showAs('recording', mine);
  for (let k = 0; k < 2; k += 1) takeBlock(mine, new Int16Array(16_000).buffer);
  await mine.putDown;
  const { inMemory, seconds, safe } = browserRecording.get()!;
  assert.deepEqual({ inMemory, seconds, safe }, { inMemory: true, seconds: 2, safe: 0 });
});

test('a store that can no longer be read does not keep a recording from ending', async (t) => {
  const made = sockets(t);
  session.set(loginOf('ada'));
  t.after(() => (session.set(null), browserRecording.set(null)));
  const { store } = storeInMemory();
  const broken = new DOMException('', 'InvalidStateError');
  const mine = hold({
    store: { ...store, total: () => Promise.reject(broken) },
    kept: { ...kept },
    release: () => {},
    total: 0,
  });
  t.after(() => mine.link.close());
  takeBlock(mine, new Int16Array(1600).buffer);
  await endHere(mine);
  const [socket] = made;
  socket!.open();
  socket!.say({ type: 'audio.ready', recording_id: '01SERVICE', samples: 1600 });
  assert.match(String(socket!.sent.at(-1)), /audio\.stop/);
});

test('a pause that the service did not hear of before the stop does not keep it from the rest', async (t) => {
  const made = sockets(t);
  session.set(loginOf('ada'));
  t.after(() => (session.set(null), browserRecording.set(null)));
  const asked: string[] = [];
  t.mock.method(globalThis, 'fetch', async ({ url }: Request) => {
    asked.push(url.split('/').at(-1)!);
    throw new TypeError('Failed to fetch');
  });
  const { store } = storeInMemory();
  const mine = hold({ store, kept: { ...kept }, release: () => {}, total: 0 });
  t.after(() => mine.link.close());
  takeBlock(mine, new Int16Array(1600).buffer);
  await pauseHere(mine, true);
  await endHere(mine);
  made[0]!.open();
  made[0]!.say({ type: 'audio.ready', recording_id: '01SERVICE', samples: 0 });
  await settled();
  assert.deepEqual(asked.filter((verb) => verb === 'pause').length, 1, 'before the stop');
});

test('a pause that reaches the service behind the stop does not keep it from the rest', async (t) => {
  const made = sockets(t);
  session.set(loginOf('ada'));
  t.after(() => (session.set(null), browserRecording.set(null), trouble.set(null)));
  const asked: string[] = [];
  t.mock.method(globalThis, 'fetch', async ({ url }: Request) => {
    asked.push(url.split('/').at(-1)!);
    return Response.json({});
  });
  for (const isLeft of [false, true]) {
    await t.test(isLeft ? 'of one that was left' : 'of the one of this page', async (t) => {
      const { store, state } = storeInMemory();
      state.blocks.set(1600, new Int16Array(1600).buffer);
      const found = { store, kept: { ...kept }, release: () => {}, total: 1600 };
      t.mock.timers.enable({ apis: ['setTimeout'] });
      if (isLeft) finishQuietly(found);
      else await endHere(hold(found));
      const socket = made.at(-1)!;
      t.after(() => socket.drop());
      const said = () => socket.sent.map(String).filter((one) => one.includes('audio.start'));
      const starts = () => said().length;
      socket.open();
      socket.say({ type: 'audio.ready', recording_id: '01SERVICE', samples: 0 });
      socket.say({ type: 'audio.ended', reason: 'paused', samples: 0 });
      await settled();
      t.mock.timers.tick(2000);
      assert.equal(starts(), 2, 'it is asked again');
      const again = JSON.parse(said().at(-1)!) as { held: number };
      assert.ok(again.held > 0, 'a service that was started again hears how much may come at once');
      socket.say({ type: 'warning', code: 'recording-paused', detail: 'It is paused.' });
      await settled();
      assert.equal(asked.at(-1), 'resume');
      t.mock.timers.tick(4000);
      assert.equal(starts(), 3);
    });
  }
});

for (const who of ['somebody else', 'this page'] as const)
  test(`a pause of ${who} that is over before the connection of the audio tells of it does not last`, async (t) => {
    const made = sockets(t);
    session.set(loginOf('ada'));
    t.after(() => (session.set(null), status.set(null), browserRecording.set(null)));
    t.mock.timers.enable({ apis: ['setTimeout'] });
    let answer = () => {};
    const isAnswered = new Promise<void>((resolve) => (answer = resolve));
    t.mock.method(globalThis, 'fetch', async () => {
      await isAnswered;
      return Response.json({});
    });
    const { store } = storeInMemory();
    const mine = hold({ store, kept: { ...kept }, release: () => {}, total: 0 });
    mine.listening = listeningUntil(() => {});
    t.after(() => mine.link.close());
    mine.link.begin();
    const socket = made[0]!;
    socket.open();
    socket.say({ type: 'audio.ready', recording_id: '01SERVICE', samples: 0 });
    const told = (paused: boolean) =>
      status.set({ recordings: [{ recording_id: '01SERVICE', paused }] } as Status);
    if (who === 'this page') void pauseHere(mine, true);
    told(true);
    told(false);
    socket.say({ type: 'audio.ended', reason: 'paused', samples: 0 });
    answer();
    await settled();
    t.mock.timers.tick(2000);
    assert.equal(socket.sent.filter((one) => String(one).includes('audio.start')).length, 2);
    socket.say({ type: 'audio.ready', recording_id: '01SERVICE', samples: 0 });
    await settled();
    assert.equal(mine.kept.pausedAt, undefined);
  });

test('one that has ended is sent to its end while the next is held', async (t) => {
  const made = sockets(t);
  session.set(loginOf('ada'));
  t.after(() => (session.set(null), browserRecording.set(null)));
  const { store } = storeInMemory();
  const mine = hold({ store, kept: { ...kept }, release: () => {}, total: 0 });
  t.after(() => mine.link.close());
  takeBlock(mine, new Int16Array(1600).buffer);
  await endHere(mine);
  made[0]!.open();
  const other = { ...kept, id: '02BROWSER', recordingId: null };
  const next = hold({ store: storeInMemory().store, kept: other, release: () => {}, total: 0 });
  t.after(() => next.link.close());
  showAs('held', next);
  made[0]!.say({ type: 'audio.ready', recording_id: '01SERVICE', samples: 1600 });
  assert.match(String(made[0]!.sent.at(-1)), /audio\.stop/);
  assert.equal(made[0]!.readyState, 1, 'it waits for the end');
});
