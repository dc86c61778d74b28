import { show } from './dom.ts';
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { flushSync } from 'svelte';
import { chartJson } from '../../../machines/chart.ts';
import { statusName } from '../../../src/http/recording-answer.ts';
import { router } from '../../../web/app/routes.ts';
import { followSession } from '../../../web/client/feed.ts';
import { session } from '../../../web/client/session.ts';
import Circumstances from '../../../web/pages/statechart/Circumstances.svelte';
import { type Fact, momentAt } from '../../../web/pages/statechart/moments.ts';
import StatechartPage from '../../../web/pages/statechart/StatechartPage.svelte';
import { followAll, moving, named } from '../../../web/pages/statechart/source.ts';
import ReprocessDialog from '../../../web/pages/recording/ReprocessDialog.svelte';
import { eventually } from '../../support/eventually.ts';
import { loginOf, settled, sockets } from './sockets.ts';

const started_at = '2026-03-01T10:00:00.000Z';
const status = {
  type: 'status',
  is_admin: true,
  recording: null,
  recordings: [],
  processing: [],
  speakers_pending: [],
  errors: [],
};

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
  const status = statusName('awaiting-speakers');
  const recordings = [{ recording_id: '01R', title: null, source: null, started_at, status }];
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

test('each stage says what it waits for itself, and why', (t) => {
  const facts = [
    {
      type: 'audio.captured',
      at: started_at,
      to: 'transcribing.attributing(diarize.running,identify.running)',
      from: 'recording.active',
    },
    { type: 'stage.started', at: started_at, data: { stage: 'diarize' } },
  ].map((fact) => ({ data: {}, ...fact })) as unknown as Fact[];
  const chart = chartJson();
  const now = Date.parse(started_at) + 60_000;
  const since = new Date(now - 10_000).toISOString();
  const entry = (stage: string, waiting: object | null) => ({ recording_id: 'r', stage, waiting });
  const text = (...processing: object[]) => {
    const moment = momentAt(chart, facts, facts.length);
    const shown = show(t, Circumstances, { chart, moment, now, processing, id: 'r' } as never);
    return [...shown.querySelectorAll('.run')].map((run) => ({
      said: run.textContent.replaceAll(/\s+/gu, ' '),
      waits: run.querySelector('.bar.waits') !== null,
    }));
  };
  const away = { for: 'the language model', cause: 'It does not respond.', ahead: 0, since };
  const [diarize, identify] = text(entry('diarize', away), entry('identify', null));
  assert.match(
    diarize!.said,
    /waiting for 10 s.*Waiting for the language model\. .*It does not respond\./,
  );
  assert.doesNotMatch(diarize!.said, /ahead/);
  assert.equal(diarize!.waits, true);
  assert.doesNotMatch(identify!.said, /Waiting for/);
  const queued = { for: 'speaker recognition', cause: null, ahead: 2, since };
  const [running, waiting] = text(entry('diarize', null), entry('identify', queued));
  assert.match(running!.said, /running for 1 min/);
  assert.equal(running!.waits, false);
  assert.match(waiting!.said, /Waiting for speaker recognition\. 2 requests ahead\./);
});

/** The page of one's recordings, whose titles come when the test says so. */
async function pageOf(t: TestContext) {
  const titles = new Map<string, (title: string) => void>();
  t.mock.method(globalThis, 'fetch', async (request: Request) => {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === '/machine') return Response.json(chartJson());
    const [, , id, events] = pathname.split('/');
    if (id === undefined) return Response.json({ recordings: [] });
    if (events === undefined) {
      const title = await new Promise<string>((resolve) => titles.set(id, resolve));
      return Response.json({ title });
    }
    if (searchParams.get('after') !== '0') return Response.json({ events: [] });
    const to = id === '01A' ? 'transcribing.retelling.summarising' : 'idle.saved';
    const fact = { type: 'of.a.test', at: started_at, data: {}, from: 'idle.new', to };
    return Response.json({ events: [{ ...fact, stream: `recording-${id}`, position: 1 }] });
  });
  const made = sockets(t);
  const stopRouter = router.listen(() => {});
  router.open('/debug?recording=01A');
  followSession();
  session.set(loginOf('ada'));
  t.after(() => (session.set(null), stopRouter()));
  const feed = made.at(-1)!;
  const page = show(t, StatechartPage, {});
  feed.open();
  const says = (what: string | RegExp) =>
    eventually(`the page says ${what}`, () => {
      flushSync();
      return page.textContent.replaceAll(/\s+/gu, ' ').search(what) >= 0;
    });
  return { page, feed, titles, says };
}

test('a log file is shown on its own machine, and one’s own recordings on the service’s', async (t) => {
  const { page, titles, says } = await pageOf(t);
  await says('Summarising');
  const machine = { ...chartJson(), version: 'of-elsewhere' };
  const facts = [
    { type: 'recording.discarded', at: started_at, data: {}, from: 'idle.new', to: 'idle.erased' },
  ];
  const file = new File(
    [JSON.stringify({ format: 'mitschrift-trace', version: 1, machine, facts })],
    'trace.json',
  );
  const input = page.querySelector<HTMLInputElement>('input[type=file]')!;
  Object.defineProperty(input, 'files', { value: [file] });
  input.dispatchEvent(new window.Event('change', { bubbles: true }));
  await says(/Opened log file Deleted.*state machine of-elsewhere/);
  router.open('/debug?recording=01B');
  await says(/Note saved.*state machine/);
  assert.doesNotMatch(page.textContent, /of-elsewhere/);
  // The first one's title comes last.
  titles.get('01B')!('Budget');
  await says('Budget');
  titles.get('01A')!('Lift');
  for (let turn = 0; turn < 5; turn += 1) await settled();
  await says('Budget');
  assert.doesNotMatch(page.textContent, /Lift/);
});

test('what a stage waits for stands on the page until it goes on', async (t) => {
  const { feed, says } = await pageOf(t);
  await says('Summarising');
  const waiting = {
    for: 'the language model',
    cause: 'It does not respond.',
    ahead: 0,
    since: started_at,
  };
  const of = { recording_id: '01A', stage: 'summarise', fraction: null };
  const lists = {
    is_admin: false,
    recording: null,
    recordings: [],
    speakers_pending: [],
    errors: [],
  };
  feed.say({ type: 'status', position: 1, ...lists, processing: [{ ...of, waiting }] });
  await says(/Waiting for the language model\. .*It does not respond\./);
  feed.say({ type: 'progress', ...of, waiting: null });
  await says(/^(?!.*Waiting for the language model)/);
});

test('who processes a meeting again that has no names is told that they are asked for', (t) => {
  t.mock.method(globalThis, 'fetch', async () => Response.json({}, { status: 404 }));
  const dialog = (kind: string, ...names: (string | null)[]) => {
    const speakers = names.map((name, at) => ({ label: `SPEAKER_0${at}`, name }));
    const recording = { kind, language: 'en', speakers };
    const shown = show(t, ReprocessDialog, {
      recording,
      onsubmit: async () => {},
      onclose: () => {},
    } as never);
    return [
      /asked to confirm who spoke/.test(shown.textContent),
      shown.querySelectorAll('input[type=number]').length,
    ];
  };
  assert.deepEqual(dialog('meeting', null, null), [true, 0]);
  assert.deepEqual(dialog('meeting'), [false, 0]);
  assert.deepEqual(dialog('meeting', 'Ada', null), [false, 0]);
  assert.deepEqual(dialog('solo'), [false, 0]);
});
