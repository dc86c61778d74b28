import './dom.ts';
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { followSession } from '../../../web/client/feed.ts';
import { session } from '../../../web/client/session.ts';
import { followAll, moving, named } from '../../../web/pages/statechart/source.ts';
import { eventually } from '../../support/eventually.ts';
import { loginOf, settled, sockets } from './sockets.ts';

const started_at = '2026-03-01T10:00:00.000Z';
const status = { type: 'status', is_admin: true, recording: null, recordings: [], processing: [] };

/** Follows all recordings as this person. `asked`: what the page asks for. */
function following(t: TestContext, isAdmin: boolean, answers: Record<string, object>) {
  const asked: string[] = [];
  t.mock.method(globalThis, 'fetch', async (request: Request) => {
    const { pathname, search } = new URL(request.url);
    asked.push(pathname + search);
    return Response.json(answers[pathname] ?? {});
  });
  const made = sockets(t);
  followSession();
  session.set({ ...loginOf('ada'), is_admin: isAdmin });
  const feed = made.at(-1)!;
  const stop = followAll(() => {});
  t.after(() => (stop(), session.set(null), moving.set(null), named.set(new Map())));
  return { asked, feed, stop };
}

const move = (recording_id: string, event: string, from = 'idle.saved') => ({
  type: 'transition',
  recording_id,
  event,
  from,
  to: 'transcribing.writing',
  at: started_at,
  position: 1,
});

test('names of what moves come of the person’s own list: nobody is told that a shared note was opened', async (t) => {
  const recordings: object[] = [];
  const { asked, feed } = following(t, false, { '/recordings': { recordings } });
  feed.open();
  await settled();
  for (const event of ['stage.started', 'utterance.recognised', 'title.changed'])
    feed.say(move('01SHARED', event));
  await settled();
  recordings.push({ recording_id: '01OWN', title: 'Budget', source: null, started_at });
  const lists = () => asked.filter((path) => path.startsWith('/recordings?')).length;
  const before = lists();
  feed.say(move('01OWN', 'stage.started'));
  await settled();
  assert.equal(lists(), before, 'what brings no name is not asked about');
  for (const [event, from] of [
    ['audio.imported', 'idle.new'],
    ['title.chosen', 'transcribing.finishing.entitling'],
    ['documents.saved', 'transcribing.writing'],
  ] as const)
    feed.say(move('01OWN', event, from));
  await eventually('it has its name', () => named.get().get('01OWN')?.title === 'Budget');
  assert.deepEqual(
    asked.filter((path) => /^\/recordings\/./.test(path)),
    [],
  );
});

test('a recording that waits for names is in the state that the machine calls so', async (t) => {
  const recordings = [
    { recording_id: '01R', title: null, source: null, started_at, status: 'AWAITING_SPEAKERS' },
  ];
  following(t, false, { '/recordings': { recordings } });
  await eventually('it is listed', () => moving.get()?.[0]?.state === 'awaiting-speakers');
});

test('an administrator whose connection is late reads the last facts of the log, not all of it', async (t) => {
  const answers = {
    '/recordings': { recordings: [] },
    '/status': { ...status, position: 5_000 },
    '/events': { events: [], next_after: null },
  };
  const { asked, feed } = following(t, true, answers);
  const pages = () => asked.filter((path) => path.startsWith('/events?'));
  await settled();
  feed.open();
  feed.say({ ...status, position: 5_000 });
  await eventually('the log is read', () => pages().length > 0);
  assert.deepEqual(pages(), ['/events?after=4000&limit=200']);
});

test('an administrator who leaves asks for no further page of the log', async (t) => {
  let left = 30;
  const page = {
    events: [],
    get next_after() {
      left -= 1;
      return left > 0 ? 4_200 : null;
    },
  };
  const answers = {
    '/recordings': { recordings: [] },
    '/status': { ...status, position: 5_000 },
    '/events': page,
  };
  const { asked, stop } = following(t, true, answers);
  const pages = () => asked.filter((path) => path.startsWith('/events?')).length;
  await eventually('the log is read', () => pages() > 0);
  stop();
  const before = pages();
  for (let turn = 0; turn < 20; turn += 1) await settled();
  assert.ok(pages() <= before + 1, `${pages() - before} more`);
});
