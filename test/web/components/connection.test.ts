import './dom.ts';
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { ApiError, answer, api } from '../../../web/client/api.ts';
import { type Status, followSession, status, tryNow } from '../../../web/client/feed.ts';
import { keepAwake } from '../../../web/client/microphone/wake-lock.ts';
import { notifyOfWaiting } from '../../../web/client/notify.ts';
import { session } from '../../../web/client/session.ts';
import { everything } from '../../../web/pages/home/library/filter.ts';
import { openLibrary } from '../../../web/pages/home/library/library.ts';
import { openLink } from '../../../web/pages/link/link.ts';
import { openSearch } from '../../../web/pages/search/search.ts';
import { keepRecent, recentChanges } from '../../../web/order/recent.ts';
import { spelling, spellingProblem } from '../../../web/spelling/spelling.ts';
import { eventually } from '../../support/eventually.ts';
import { loginOf, settled, sockets } from './sockets.ts';

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
  const container = Object.assign(new EventTarget(), { getRegistration: async () => worker });
  Object.defineProperty(navigator, 'serviceWorker', { value: container, configurable: true });
  const visible = look(t);
  visible(false);
  const opened: string[] = [];
  const stop = notifyOfWaiting(
    (title) => ({ title: 'A meeting waits', body: title ?? '' }),
    (id) => opened.push(id),
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
  // Pressed, its worker says so to the page, which may be recording: it is not loaded anew.
  container.dispatchEvent(new MessageEvent('message', { data: { pressed: 'r9' } }));
  assert.deepEqual(opened, ['r9']);
});

test('a notification that is pressed shows its meeting in a page of the app, without loading it', async () => {
  const script = await readFile(join(import.meta.dirname, '../../../web/public/sw.js'), 'utf8');
  const press = async (addresses: string[]) => {
    const done: string[] = [];
    const windows = addresses.map((url) => ({
      url: `http://localhost:8765${url}`,
      focus: async () => done.push(`focus ${url}`),
      navigate: async (to: string) => done.push(`load ${to} in ${url}`),
      postMessage: (said: object) => done.push(`${JSON.stringify(said)} to ${url}`),
    }));
    const self = Object.assign(new EventTarget(), {
      clients: {
        matchAll: async () => windows,
        openWindow: async (to: string) => done.push(`open ${to}`),
      },
    });
    runInNewContext(script, { self, URL, encodeURIComponent });
    const waited: Promise<unknown>[] = [];
    const notification = { close() {}, data: { recordingId: 'r9' } };
    const waitUntil = (work: Promise<unknown>) => waited.push(work);
    self.dispatchEvent(Object.assign(new Event('notificationclick'), { notification, waitUntil }));
    await Promise.all(waited);
    return done.toSorted();
  };
  assert.deepEqual(await press(['/docs', '/s', '/notes/r1', '/']), [
    'focus /notes/r1',
    '{"pressed":"r9"} to /notes/r1',
  ]);
  assert.deepEqual(await press(['/docs', '/s', '/login']), ['open /speakers?recording=r9']);
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

test('a connection on which nothing comes any more is left for another one, here and at a link', async (t) => {
  const made = sockets(t);
  // It would not be left because of what this answers: the service is there.
  t.mock.method(globalThis, 'fetch', async () =>
    Response.json({
      state: 'running',
      ticket: 't',
      ticket_expires_at: '2099-01-01T00:00:00Z',
      turns: [],
      speakers: [],
    }),
  );
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'] });
  session.set(null);
  session.set(loginOf('ada'));
  t.after(() => session.set(null));
  const closed = new AbortController();
  t.after(() => closed.abort());
  openLink('token', closed.signal);
  for (let at = 0; made.length < 2 && at < 1000; at += 1) await settled();
  for (const one of made) one.open();
  made[0]!.say({ type: 'position', position: 7 });
  const wait = async (seconds: number) => {
    for (let at = 0; at < seconds; at += 1) {
      t.mock.timers.tick(1000);
      await settled();
    }
  };
  for (let beats = 0; beats < 4; beats += 1) {
    await wait(15);
    made[0]!.say({ type: 'position', position: 8 });
    made[1]!.say({ type: 'access' });
  }
  assert.equal(made.length, 2, 'what is heard of stays');
  await wait(60);
  assert.deepEqual(
    made.slice(0, 2).map(({ readyState }) => readyState),
    [WebSocket.CLOSED, WebSocket.CLOSED],
  );
  const addresses = made.slice(2).map(({ url }) => new URL(url).searchParams);
  assert.ok(
    addresses.some((asked) => asked.get('after') === '8'),
    'the feed goes on',
  );
  assert.ok(
    addresses.some((asked) => asked.get('ticket') === 't'),
    'so does the link',
  );
});

test('a computer that comes back from sleep connects anew at once', async (t) => {
  const made = sockets(t);
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'] });
  session.set(null);
  session.set(loginOf('ada'));
  t.after(() => session.set(null));
  made[0]!.open();
  // Asleep, none of its timers runs.
  t.mock.timers.setTime(Date.now() + 3_600_000);
  look(t)(true);
  t.mock.timers.tick(1000);
  await settled();
  assert.equal(made.length, 2);
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

test('words that could not be read are read when the service is back', async (t) => {
  const made = sockets(t);
  session.set(null);
  session.set(loginOf('ada'));
  t.after(() => session.set(null));
  let isAway = true;
  t.mock.method(globalThis, 'fetch', async () => {
    if (isAway) throw new TypeError('Failed to fetch');
    return Response.json({ words: [] });
  });
  t.after(spelling.mine.listen(() => {}));
  await eventually('it is said', () => spellingProblem.get() !== null);
  isAway = false;
  made.at(-1)!.open();
  made.at(-1)!.say({ type: 'status', position: 1 });
  await eventually('they are read', () => spelling.mine.get() !== null);
  assert.equal(spellingProblem.get(), null);
});

test('results of a search stay as they were opened, whatever is read again', async (t) => {
  const made = sockets(t);
  session.set(null);
  session.set(loginOf('ada'));
  t.after(() => session.set(null));
  made.at(-1)!.open();
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let isAway = false;
  let hold: Promise<void> | undefined;
  let holdFirst: Promise<void> | undefined;
  t.mock.method(globalThis, 'fetch', async (request: Request) => {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname !== '/search') return Response.json({});
    if (isAway) throw new TypeError('Failed to fetch');
    const cursor = searchParams.get('cursor');
    if (cursor !== null) await hold;
    if (cursor === null && searchParams.get('recording_id') === null) await holdFirst;
    const passages = Array.from({ length: Number(searchParams.get('passages')) }, () => ({}));
    const one = searchParams.get('recording_id');
    const count = Number(searchParams.get('limit'));
    const [first, last] = cursor === null ? [1, count] : [21, 21];
    const ids =
      one === null ? Array.from({ length: last - first + 1 }, (_, at) => `r${first + at}`) : [one];
    return Response.json({
      notes: ids.map((recording_id) => ({ recording_id, passages })),
      notes_found: 21,
      next_cursor: ids.includes('r21') ? null : 'next',
      fraction: 1,
      meaning: null,
    });
  });
  const search = openSearch();
  t.after(search.stop);
  const shown = () => search.found.get()!.notes.map(({ passages }) => passages.length);
  const threes = (count: number) => Array<number>(count).fill(3);
  const saved = () =>
    made.at(-1)!.say({ type: 'saved', recording_id: 'r1', version: 2, position: 9 });
  const readAgain = async () => {
    const before = search.found.get();
    saved();
    t.mock.timers.tick(1000);
    for (let k = 0; k < 100 && search.found.get() === before; k += 1) await settled();
    assert.notEqual(search.found.get(), before);
  };
  await search.ask({ text: 'lift', filter: everything, order: 'best', mode: 'all' } as never);
  await search.open('r1');
  assert.deepEqual(shown(), [100, ...threes(19)]);
  await readAgain();
  await settled();
  assert.deepEqual(shown(), [100, ...threes(19)], 'opened');

  let answer = () => {};
  hold = new Promise((resolve) => (answer = resolve));
  const more = search.more();
  await readAgain();
  answer();
  await more;
  assert.deepEqual(shown(), [100, ...threes(20)], 'as many as were asked for meanwhile');

  await search.ask({ text: 'lift', filter: everything, order: 'best', mode: 'all' } as never);
  hold = undefined;
  holdFirst = new Promise((resolve) => (answer = resolve));
  saved();
  t.mock.timers.tick(1000);
  await search.more();
  await search.open('r2');
  const extended = [3, 100, ...threes(19)];
  assert.deepEqual(shown(), extended);
  holdFirst = undefined;
  answer();
  for (let k = 0; k < 100; k += 1) await settled();
  assert.deepEqual(shown(), extended, 'nothing that was asked for while it was read again is gone');

  isAway = true;
  await readAgain();
  assert.equal(search.found.get()!.problem?.status, 0);
  assert.equal(shown().length, 21, 'what was found stays');
});

test('another person’s login finds nothing of what the one before had read or moved', async (t) => {
  sockets(t);
  session.set(loginOf('ada'));
  t.after(() => session.set(null));
  let asked = 0;
  t.mock.method(globalThis, 'fetch', async (request: Request) => {
    if (new URL(request.url).pathname !== '/transcripts') return Response.json({});
    asked += 1;
    const transcripts = [
      { recording_id: 'r7', created_at: '2026-03-01T12:00:00.000Z', title: 'A' },
    ];
    return Response.json({ transcripts, next_cursor: null, previous_cursor: null });
  });
  const read = async () => {
    const library = openLibrary();
    await library.choose(everything, 'r7');
    library.stop();
  };
  keepRecent('Moved to Choir', async () => {}, 'A');
  await read();
  await read();
  assert.equal(asked, 1, 'who comes back finds what was left');
  session.set(null);
  session.set(loginOf('ada'));
  await read();
  assert.deepEqual([asked, recentChanges.get().length], [1, 1], 'the same person, too');
  session.set(loginOf('ben'));
  assert.deepEqual(recentChanges.get(), []);
  await read();
  assert.equal(asked, 2);
});

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
