import './dom.ts';
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ApiError, answer, api } from '../../../web/client/api.ts';
import { type Status, followSession, status, tryNow } from '../../../web/client/feed.ts';
import { browserRecording, trouble } from '../../../web/client/microphone/browser-recording.ts';
import type { AudioStore, Kept } from '../../../web/client/microphone/audio-store.ts';
import { hold, takeBlock } from '../../../web/client/microphone/current.ts';
import type { Listening } from '../../../web/client/microphone/listen.ts';
import { pauseHere } from '../../../web/client/microphone/pausing.ts';
import { showAs } from '../../../web/client/microphone/shown.ts';
import { keepAwake } from '../../../web/client/microphone/wake-lock.ts';
import { notifyOfWaiting } from '../../../web/client/notify.ts';
import { type Session, session } from '../../../web/client/session.ts';
import { everything } from '../../../web/pages/home/library/filter.ts';
import { openLibrary } from '../../../web/pages/home/library/library.ts';
import { eventually } from '../../support/eventually.ts';
import { sockets } from './sockets.ts';

const loginOf = (username: string): Session => ({
  token: `token-of-${username}`,
  expires_at: '2027-01-01T00:00:00Z',
  username,
  is_admin: false,
});

const kept: Kept = {
  id: '01BROWSER',
  user: 'ada',
  recordingId: '01SERVICE',
  kind: 'solo',
  source: 'microphone',
  rate: 16_000,
  startedAt: '2026-03-01T10:00:00.000Z',
  acknowledged: 0,
  isOver: false,
};

/** A store in memory for one recording. */
function storeInMemory() {
  const blocks = new Map<number, ArrayBuffer>();
  const state = { blocks, isRemoved: false };
  const store: AudioStore = {
    put: async () => {},
    all: async () => (state.isRemoved ? [] : [kept]),
    add: async (_, { end, pcm }) => {
      blocks.set(end, pcm);
      return true;
    },
    after: async (_, samples) =>
      [...blocks].flatMap(([end, pcm]) => (end > samples ? [{ end, pcm }] : [])),
    total: async () => Math.max(0, ...blocks.keys()),
    acknowledge: async () => {},
    isInMemory: () => false,
    remove: async () => void (state.isRemoved = true),
  };
  return { store, state };
}

test('an answer that breaks off, or is a proxy’s page, is none of the service’s', async (t) => {
  const broken = new ReadableStream({
    start(control) {
      control.enqueue(new TextEncoder().encode('{"people": ['));
      control.error(new TypeError('network error'));
    },
  });
  const answers = [new Response(broken), new Response('<h1>Welcome to the hotel</h1>')];
  t.mock.method(globalThis, 'fetch', async () => answers.shift()!);
  for (const which of ['cut off', 'a page'])
    await assert.rejects(
      answer(api.GET('/people')),
      (error) => error instanceof ApiError && error.problem.status === 0,
      which,
    );
});

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
  const made = sockets(t);
  session.set(loginOf('ada'));
  t.after(() => (session.set(null), trouble.set(null)));
  const sent: FormData[] = [];
  t.mock.method(globalThis, 'fetch', async (request: Request) => {
    const form = await request.formData();
    sent.push(form);
    // Its folder was deleted meanwhile.
    if (form.has('folder')) return new Response('', { status: 404 });
    return new Response('', { status: 503 });
  });
  const { store, state } = storeInMemory();
  const options = { title: 'Choir', people: ['Ben, B.', 'Cleo'], language: 'de', folder: 'F' };
  const mine = hold({
    store,
    kept: { ...kept, recordingId: null, options },
    release: () => {},
    total: 0,
  });
  takeBlock(mine, new Int16Array(16_000 * 20).buffer);
  mine.link.begin();
  made[0]!.open();
  made[0]!.say({ type: 'warning', code: 'not-found', detail: 'It is gone.' });
  await eventually('it is said', () => trouble.get() !== null);
  assert.deepEqual(trouble.get(), {
    code: 'ended',
    detail: 'It is gone.',
    isWhole: false,
    recordingId: null,
    seconds: 20,
  });
  const fields = (form: FormData) =>
    Object.fromEntries(
      ['title', 'people', 'language', 'folder'].map((key) => [key, form.get(key)]),
    );
  const said = { title: 'Choir', people: '["Ben, B.","Cleo"]', language: 'de' };
  assert.deepEqual(sent.map(fields), [
    { ...said, folder: 'F' },
    { ...said, folder: null },
  ]);
  assert.equal(state.isRemoved, false);
});

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

test('the screen stays awake while it is recorded, and a page that comes back takes it again', async (t) => {
  let held = 0;
  let asked = 0;
  const request = async () => {
    asked += 1;
    held += 1;
    return { release: async () => void (held -= 1) };
  };
  Object.defineProperty(navigator, 'wakeLock', { value: { request }, configurable: true });
  const visible = look(t);
  visible(true);
  const letSleep = keepAwake();
  // Twice before the first is there.
  visible(true);
  await eventually('one is held', () => asked === 2 && held === 1);
  visible(false);
  assert.equal(asked, 2, 'a hidden page asks for none');
  visible(true);
  await eventually('one is held', () => asked === 3 && held === 1);
  letSleep();
  await eventually('none is held', () => held === 0);
  visible(true);
  assert.equal(asked, 3, 'it is over');
});

test('a meeting that begins to wait is notified of while the page is hidden, and a press shows it', (t) => {
  const notes: Note[] = [];
  class Note extends EventTarget {
    static readonly permission = 'granted';
    readonly title: string;
    readonly body: string;
    isClosed = false;
    constructor(title: string, options: { body: string }) {
      super();
      this.title = title;
      this.body = options.body;
      notes.push(this);
    }
    close() {
      this.isClosed = true;
    }
  }
  Object.defineProperty(globalThis, 'Notification', { value: Note, configurable: true });
  Object.defineProperty(globalThis, 'focus', { value: () => {}, configurable: true });
  const visible = look(t);
  const opened: string[] = [];
  const stop = notifyOfWaiting(
    (title) => ({ title: 'A meeting waits', body: title ?? '' }),
    (id) => opened.push(id),
  );
  t.after(() => (stop(), status.set(null)));
  const waiting = (...ids: string[]) =>
    status.set({
      speakers_pending: ids.map((id) => ({ recording_id: id, title: `Title ${id}` })),
    } as unknown as Status);
  visible(false);
  waiting('r1');
  assert.equal(notes.length, 0, 'what waits already when the page is opened is to be seen there');
  waiting('r1', 'r2');
  waiting('r2', 'r1');
  assert.deepEqual(
    notes.map(({ title, body }) => [title, body]),
    [['A meeting waits', 'Title r2']],
  );
  notes[0]!.dispatchEvent(new Event('click'));
  assert.deepEqual(opened, ['r2']);
  assert.equal(notes[0]!.isClosed, true);
  visible(true);
  waiting('r1', 'r3');
  assert.equal(notes.length, 1, 'the page is looked at');
});

test('where only its worker may notify, as on phones, that does, and nobody who listens is kept from anything', async (t) => {
  const before = Object.getOwnPropertyDescriptor(globalThis, 'Notification');
  const refusing = Object.assign(
    function Notification() {
      throw new TypeError('Illegal constructor. Use ServiceWorkerRegistration.showNotification()');
    },
    { permission: 'granted' },
  );
  Object.defineProperty(globalThis, 'Notification', { value: refusing, configurable: true });
  t.after(() => before && Object.defineProperty(globalThis, 'Notification', before));
  const shown: unknown[] = [];
  const worker = { showNotification: async (...said: unknown[]) => void shown.push(said) };
  Object.defineProperty(navigator, 'serviceWorker', {
    value: { getRegistration: async () => worker },
    configurable: true,
  });
  const visible = look(t);
  visible(false);
  const stop = notifyOfWaiting(
    (title) => ({ title: 'A meeting waits', body: title ?? '' }),
    () => {},
  );
  let heard = 0;
  const stopToo = status.listen(() => (heard += 1));
  t.after(() => (stop(), stopToo(), status.set(null)));
  const waiting = (...ids: string[]) =>
    status.set({
      speakers_pending: ids.map((id) => ({ recording_id: id, title: id })),
    } as unknown as Status);
  waiting();
  waiting('r9');
  assert.equal(heard, 2);
  await eventually('it is shown', async () => shown.length === 1);
  assert.match(JSON.stringify(shown), /A meeting waits.*r9/);
});

test('the feed goes on from what was heard, one connection at a time', async (t) => {
  const made = sockets(t);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  session.set(loginOf('ada'));
  t.after(() => session.set(null));
  followSession();
  const after = (at: number) => new URL(made[at]!.url).searchParams.get('after');
  assert.equal(after(0), null);
  made[0]!.open();
  made[0]!.say({ type: 'status', position: 5 });
  made[0]!.say({ type: 'transition', recording_id: 'r1', event: 'x', position: 7 });
  made[0]!.drop();
  tryNow();
  // Still being opened when it is pressed again.
  tryNow();
  assert.equal(made.length, 3);
  assert.equal(made[1]!.readyState, WebSocket.CLOSED);
  assert.equal(after(2), '7');
  made[2]!.open();
  // A status comes before the facts that it counts: cut off in between, they are asked for again.
  made[2]!.say({ type: 'status', position: 12 });
  made[2]!.drop();
  tryNow();
  assert.equal(after(3), '7');
  made[3]!.open();
  made[3]!.say({ type: 'position', position: 12 });
  made[3]!.drop();
  tryNow();
  assert.equal(after(4), '12');
});

test('a note of the library that could not be read again is read when the service is back', async (t) => {
  const made = sockets(t);
  // The feed follows it since the test before.
  session.set(loginOf('ada'));
  t.after(() => session.set(null));
  made[0]!.open();
  let isAway = false;
  let title = 'Before';
  const asked: (string | null)[] = [];
  t.mock.method(globalThis, 'fetch', async (request: Request) => {
    if (isAway) throw new TypeError('Failed to fetch');
    const { pathname, searchParams } = new URL(request.url);
    if (pathname !== '/transcripts') return Response.json({});
    const [cursor, around] = [searchParams.get('cursor'), searchParams.get('around')];
    asked.push(around === null ? cursor : `round ${around}`);
    const [id, at] = cursor === null ? ['r2', '2026-03-02'] : ['r1', '2026-03-01'];
    const transcripts = [{ recording_id: id, created_at: `${at}T12:00:00.000Z`, title }];
    const next_cursor = cursor === null ? 'r2' : null;
    return Response.json({ transcripts, next_cursor, previous_cursor: null });
  });
  const library = openLibrary();
  t.after(library.stop);
  const titles = () => library.shown.get().notes.map((note) => note.title);
  await library.choose(everything);
  await library.more('below');
  assert.deepEqual(titles(), ['Before', 'Before']);
  isAway = true;
  title = 'After';
  made.at(-1)!.say({ type: 'saved', recording_id: 'r2', version: 2, position: 9 });
  await eventually('it is said', () => library.shown.get().problem !== null);
  made.at(-1)!.drop();
  isAway = false;
  tryNow();
  made.at(-1)!.open();
  await eventually('it is read', () => library.shown.get().problem === null);
  assert.deepEqual(titles(), ['After', 'Before'], 'this note, and no other');
  assert.deepEqual(asked, [null, 'r2', 'round r2']);
});

/** A microphone of which a test only sees its end. */
const listeningUntil = (ended: () => void): Listening => ({
  rate: 16_000,
  pause: async () => {},
  go: async () => {},
  revive: async () => {},
  end: async () => ended(),
});

/** All that follows without a wait has happened. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Says whether the page is looked at. */
function look(t: TestContext): (is: boolean) => void {
  let isVisible = true;
  Object.defineProperties(document, {
    hidden: { get: () => !isVisible, configurable: true },
    visibilityState: { get: () => (isVisible ? 'visible' : 'hidden'), configurable: true },
  });
  const set = (is: boolean) => {
    isVisible = is;
    const event = document.createEvent('Event');
    event.initEvent('visibilitychange');
    document.dispatchEvent(event);
  };
  t.after(() => set(true));
  return set;
}
