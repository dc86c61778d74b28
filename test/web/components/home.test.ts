import { show } from './dom.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Note, nearDay, rowsOf, withNote } from '../../../web/pages/home/library/rows.ts';
import {
  everything,
  filterIn,
  homeAddress,
  queryOf,
  searchAddress,
  spans,
} from '../../../web/pages/home/library/filter.ts';
import { filedOf } from '../../../web/pages/home/library/filing.ts';
import DateFilter from '../../../web/pages/home/library/DateFilter.svelte';
import { openSelection } from '../../../web/pages/home/library/selection.ts';
import { loudnessOf, wavePath } from '../../../web/components/level.ts';
import { briefly, exactly } from '../../../web/components/durations.ts';
import { meaningOf } from '../../../web/app/keys.ts';
import { followTitle, pageTitle, titleWhenHidden } from '../../../web/app/page-title.ts';
import { type Status, status } from '../../../web/client/feed.ts';
import { secondsNow } from '../../../web/client/recorded.ts';
import { levelOf, sidesOf, wavOf } from '../../../web/client/microphone/pcm.ts';
import { jobsOf, progressKey } from '../../../web/pages/home/now/jobs.ts';
import { afterRefusal, triesOf } from '../../../web/client/microphone/refusals.ts';
import { mainWord, markedPieces } from '../../../web/pages/search/search.ts';
import { type Heard, withUtterance } from '../../../web/pages/recording/live/heard.ts';
import type { Recording } from '../../../web/pages/recording/turn-key.ts';

const note = (id: number, at: string): Note => ({ recording_id: `r${id}`, created_at: at }) as Note;
const days = (...of: number[]) => of.map((day) => note(day, `2026-03-0${day}T12:00:00.000Z`));
const ids = (notes: readonly Note[]) => notes.map(({ recording_id }) => recording_id);

test('a note that is read again takes its place, if that is among what was read', () => {
  const all = { isFirst: true, isLast: true };
  const some = { isFirst: false, isLast: false };
  const former = days(9, 7, 4);
  const [six] = days(6);
  assert.deepEqual(ids(withNote(former, 'r6', six!, all)), ['r9', 'r7', 'r6', 'r4']);
  assert.deepEqual(ids(withNote(former, 'r6', six!, some)), ['r9', 'r7', 'r6', 'r4']);
  const moved = note(9, '2026-03-01T12:00:00.000Z');
  assert.deepEqual(ids(withNote(former, 'r9', moved, all)), ['r7', 'r4', 'r9'], 'it began earlier');
  assert.deepEqual(ids(withNote(former, 'r9', moved, some)), ['r7', 'r4'], 'not read so far down');
  const newest = note(8, '2026-03-12T12:00:00.000Z');
  assert.deepEqual(ids(withNote(former, 'r8', newest, some)), ids(former), 'nor so far up');
  assert.deepEqual(ids(withNote(former, 'r7', null, some)), ['r9', 'r4'], 'it is gone');
  assert.deepEqual(ids(withNote([], 'r6', six!, all)), ['r6']);
});

test('of several that are chosen a range is drawn anew, and what is gone leaves', () => {
  const order = ['a', 'b', 'c', 'd', 'e'];
  const several = openSelection(() => order);
  const chosen = () => [...several.selection.get().ids].toSorted().join('');
  several.toggle('b');
  several.extendTo('d');
  assert.equal(chosen(), 'bcd');
  several.extendTo('a');
  assert.equal(chosen(), 'ab', 'the other way, from the same');
  several.toggle('e');
  assert.equal(chosen(), 'abe');
  several.extendTo('d');
  assert.equal(chosen(), 'abde');
  several.drop(new Set(['a', 'd']));
  assert.equal(chosen(), 'be');
  several.toggle('b');
  several.toggle('e');
  assert.deepEqual([chosen(), several.selection.get().picking], ['', true], 'it goes on');
  several.end();
  assert.equal(several.selection.get().picking, false);
});

test('where chosen notes are is asked for one by one, also under another filter, and of those that are gone in vain', async (t) => {
  const asked: string[] = [];
  t.mock.method(globalThis, 'fetch', async ({ url }: Request) => {
    const { searchParams } = new URL(url);
    asked.push(searchParams.toString());
    const there = searchParams.get('around') === 'r7' ? days(7) : days(1);
    return Response.json({ transcripts: there, next_cursor: 'more', previous_cursor: null });
  });
  const other = { ...everything, folder: 'f2' };
  const found = await filedOf(new Set(['r9', 'r7', 'gone']), days(9), other);
  assert.deepEqual(
    found.map((one) => (one as Note).recording_id),
    ['r9', 'r7'],
  );
  assert.deepEqual(asked, ['around=r7&limit=1', 'around=gone&limit=1']);
});

test('notes stand under the day on which they were recorded, here', () => {
  const now = new Date(2026, 2, 1, 0, 30);
  assert.equal(nearDay(new Date(2026, 2, 1, 0, 1), now), 'today');
  assert.equal(nearDay(new Date(2026, 1, 28, 23, 59), now), 'yesterday');
  assert.equal(nearDay(new Date(2026, 1, 27, 23, 59), now), null);
  const shapes = (at: Date) =>
    rowsOf(days(3, 3, 2), at).map((row) => (row.type === 'note' ? row.place : row.span));
  assert.deepEqual(shapes(now), ['day', 1, 2, 'day', 3]);
  assert.deepEqual(shapes(new Date(2026, 4, 1)), ['day', 1, 2, 'day', 3], '60 days ago');
  assert.deepEqual(shapes(new Date(2026, 4, 4)), ['month', 1, 2, 3], 'longer ago');
});

test('a day that is chosen is asked for from its first to its last moment here', () => {
  const query = queryOf({
    ...everything,
    ...spans.lastWeek(new Date(2026, 2, 3, 9)),
    to: '2026-03-03',
  });
  assert.equal(query.from, new Date(2026, 1, 25).toISOString());
  assert.equal(query.to, new Date(2026, 2, 3, 23, 59, 59, 999).toISOString());
  assert.deepEqual(queryOf(everything), {});
});

test('a year of more than four digits is none, typed or in an address', (t) => {
  const chosen: unknown[] = [];
  const onchange = (filter: unknown) => chosen.push(filter);
  const shown = show(t, DateFilter, { filter: everything, onchange } as never);
  const fields = [...shown.querySelectorAll('input')];
  for (const field of fields) {
    assert.equal(field.max, '9999-12-31');
    field.value = '20266-01-01';
    const typed = document.createEvent('Event');
    typed.initEvent('input', true);
    field.dispatchEvent(typed);
  }
  assert.deepEqual(chosen, [everything, everything]);
  assert.deepEqual(filterIn({ from: '20266-01-01' }), everything);
});

test('the address says what notes are narrowed to; what is none is left out', () => {
  const chosen = {
    ...everything,
    kind: 'meeting',
    speaker: 'Ada & Ben',
    from: '2026-03-01',
  } as const;
  const address = searchAddress('lift ä', chosen, { order: 'newest', mode: 'words' });
  const query = Object.fromEntries(new URL(address, 'http://a').searchParams);
  assert.deepEqual(filterIn(query), chosen);
  assert.deepEqual([query['q'], query['order'], query['mode']], ['lift ä', 'newest', 'words']);
  assert.equal(homeAddress(everything), '/');
  assert.equal(homeAddress({ ...everything, kind: 'solo' }), '/?kind=solo');
  const shared = { ...everything, shared: 'with-me' } as const;
  assert.equal(homeAddress(shared), '/?shared=with-me');
  assert.deepEqual(filterIn({ shared: 'with-me' }), shared);
  assert.equal(searchAddress('', shared), '/search', 'it finds both');
  assert.equal(searchAddress('', everything), '/search');
  const ordered = { ...everything, folder: 'none', tag: '01A,01B' };
  const there = new URL(homeAddress(ordered), 'http://a').searchParams;
  assert.deepEqual(filterIn(Object.fromEntries(there)), ordered);
  assert.equal(searchAddress('', ordered), '/search?folder=none&tag=01A%2C01B');
  assert.deepEqual(filterIn({ folder: '../x', tag: 'a,,b' }), everything);
  assert.deepEqual(filterIn({ kind: 'x', speaker: '', from: '2026-99-99', to: 'x' }), everything);
});

test('loudness is said in a word, and drawn with the newest at the right', () => {
  assert.equal(loudnessOf({ rms: 0, peak: 0 }), 'silent');
  assert.equal(loudnessOf({ rms: 0.004, peak: 0.02 }), 'quiet');
  assert.equal(loudnessOf({ rms: 0.1, peak: 0.4 }), 'good');
  assert.equal(loudnessOf({ rms: 0.1, peak: 1 }), 'loud');
  assert.match(wavePath([0.5]), /^M382 /);
  assert.equal(wavePath(Array(200).fill(1)).match(/M/g)?.length, 96);
});

test('durations are said in the largest units that tell them', () => {
  assert.deepEqual([41.9, 61, 3599, 3600, 4330].map(briefly), [
    '41 s',
    '1 min',
    '1 h',
    '1 h',
    '1 h 12 min',
  ]);
  assert.deepEqual([0, 41.9, 761, 3723].map(exactly), [
    '0 s',
    '41 s',
    '12 min 41 s',
    '1 h 2 min 3 s',
  ]);
});

test('keys mean what the table says; those of one character nothing where they are switched off', () => {
  const press = (key: string, more = {}) => ({
    key,
    ctrlKey: false,
    metaKey: false,
    altKey: false,
    shiftKey: false,
    ...more,
  });
  const free = { afterG: false, single: true };
  const field = { afterG: false, single: false };
  assert.equal(meaningOf(press('k', { ctrlKey: true }), field), 'search');
  assert.equal(meaningOf(press('K', { metaKey: true }), free), 'search');
  assert.deepEqual(
    ['/', '?', 'r', 'R', 'm', 'g', 'n', 'Enter'].map((key) => meaningOf(press(key), free)),
    ['search', 'keys', 'record', 'record', 'mark', 'first', 'sidenote', null],
  );
  assert.deepEqual(
    ['n', 's', 'e', 'r', 'g'].map((key) => meaningOf(press(key), { afterG: true, single: true })),
    ['notes', 'speakers', 'settings', null, null],
  );
  assert.deepEqual(
    ['/', '?', 'r', 'g'].map((key) => meaningOf(press(key), field)),
    [null, null, null, null],
  );
  assert.equal(meaningOf(press('r', { ctrlKey: true }), free), null, 'the browser’s own');
  const withShift = (key: string, where = free) => meaningOf(press(key, { shiftKey: true }), where);
  assert.deepEqual(
    ['R', 'P', 'M', 'G', '?'].map((key) => withShift(key)),
    ['stop', 'pause', null, null, 'keys'],
  );
  assert.equal(withShift('R', field), null);
});

test('a hidden page says in its title what goes on', () => {
  assert.equal(titleWhenHidden(761, 2), '● 12:41 Mitschrift');
  assert.equal(titleWhenHidden(null, 2), '(2) Mitschrift');
  assert.equal(titleWhenHidden(null, 0), null);
});

test('the clock goes on between two statuses, and stands still while nothing is recorded', () => {
  const running = { duration: 10, paused: false, device: 'mic' } as Parameters<
    typeof secondsNow
  >[0];
  assert.equal(secondsNow(running, 2500), 12);
  assert.equal(secondsNow({ ...running, paused: true }, 2500), 10);
  assert.equal(
    secondsNow({ ...running, duration: 0 }, 2500),
    0,
    'the device is still being opened',
  );
  assert.equal(secondsNow({ ...running, duration: 0 }, 2500, true), 2, 'it has given sound');
});

test('jobs: failed, waiting for the person, at work; progress that came since counts', () => {
  const line = {
    recording_id: 'p',
    title: null,
    source: 'a.mp3',
    kind: 'solo',
    started_at: '2026-03-01T10:00:00Z',
    state: 'x',
    stage: 'transcribe',
    fraction: 0.05,
    seconds_left: 60,
    attempt: 1,
    since: '',
    waiting: null,
  };
  const status = {
    errors: [
      {
        recording_id: 'e',
        title: 'E',
        stage: 'write',
        message: null,
        retriable: true,
        waiting: null,
      },
    ],
    speakers_pending: [{ recording_id: 's', title: null, speakers: [{}, {}] }],
    processing: [line, { ...line, stage: 'diarize' }],
  } as unknown as Parameters<typeof jobsOf>[0];
  const newer = { ...line, type: 'progress', fraction: 0.5, seconds_left: 30 };
  const jobs = jobsOf(
    status,
    new Map([[progressKey(newer), newer]]) as Parameters<typeof jobsOf>[1],
  );
  assert.deepEqual(
    jobs.map(({ kind, title }) => [kind, title]),
    [
      ['failed', 'E'],
      ['names', null],
      ['works', 'a.mp3'],
    ],
  );
  const [, , work] = jobs;
  assert.ok(work?.kind === 'works');
  assert.deepEqual(
    work.works.map(({ stage, fraction, secondsLeft }) => [stage, fraction, secondsLeft]),
    [
      ['transcribe', 0.5, 30],
      ['diarize', 0.05, null],
    ],
  );
});

test('passages are marked where the service says', () => {
  const passage = { block: null, start: null, end: null, speaker: null };
  const text = 'Der Lift, die Inspektion: LIFTE';
  const pieces = markedPieces({
    ...passage,
    text,
    marks: [
      [4, 8],
      [26, 31],
    ],
  });
  assert.deepEqual(
    pieces.flatMap((piece) => (piece.hit ? [piece.text] : [])),
    ['Lift', 'LIFTE'],
  );
  assert.equal(pieces.map((piece) => piece.text).join(''), text);
  assert.equal(mainWord('lift inspektion'), 'inspektion');
  assert.equal(mainWord('lift'), null);
});

test('live text: what is final replaces what was guessed, and guesses before it go', () => {
  const turn = (index: number, text: string, final: boolean) => ({
    type: 'utterance' as const,
    recording_id: 'r1',
    start: index,
    end: index + 1,
    index,
    text,
    final,
    speaker: null,
  });
  const heard = [
    turn(0, 'so', false),
    turn(0, 'so it is', true),
    turn(1, 'and', false),
    turn(0, 'so', false),
  ];
  const nothing = { utterances: [], speakers: [] } as unknown as Recording;
  const textsOf = ({ recording, heard: guesses }: Heard) =>
    [...recording.utterances, ...guesses].map(({ text }) => text);
  const shown = heard.reduce<Heard>(withUtterance<Recording>, { recording: nothing, heard: [] });
  assert.deepEqual(textsOf(shown), ['so it is', 'and']);
  assert.deepEqual(textsOf(withUtterance(shown, turn(2, 'then', true))), ['so it is', 'then']);
});

test('what a browser recorded is measured, and made a file of', async () => {
  const pcm = Int16Array.from([0, 32_767, -32_768, 0]).buffer;
  const { rms, peak } = levelOf(pcm);
  assert.ok(Math.abs(rms - Math.SQRT1_2) < 1e-3 && peak === 1, `${rms} ${peak}`);
  // Of two channels in turn each has a level of its own.
  const two = sidesOf(Int16Array.from([0, 32_767, 0, -32_768]).buffer);
  assert.deepEqual(two[0], { rms: 0, peak: 0 });
  assert.ok(two[1].rms > 0.99 && two[1].peak === 1, JSON.stringify(two));
  const parts = [new Blob([pcm]), new Blob([pcm])];
  const file = Buffer.from(await wavOf(parts, { rate: 16_000 }).arrayBuffer());
  assert.equal(file.length, 44 + 16);
  assert.equal(file.readUInt32LE(24), 16_000);
  assert.ok(file.subarray(44).equals(Buffer.concat([Buffer.from(pcm), Buffer.from(pcm)])));
});

test('what the service refuses for now is asked again for a quarter of an hour, then when a person says so', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let asked = 0;
  const tries = triesOf(() => (asked += 1));
  const kept = { recordingId: '01M7', isOver: false };
  const refused = (code = 'disk-low') => afterRefusal(kept, code, tries);
  let minutes = 0;
  for (let before = -1; before < asked; minutes += 0.5) {
    before = asked;
    if ((await refused()) === 'given-up') break;
    t.mock.timers.tick(30_000);
  }
  assert.ok(minutes > 14 && minutes < 20, `${minutes} minutes`);
  const used = asked;
  t.mock.timers.tick(3_600_000);
  assert.equal(asked, used, 'nothing asks by itself any more');

  tries.now();
  assert.equal(asked, used + 1);
  assert.equal(await refused(), 'again');
  t.mock.timers.tick(2000);
  assert.equal(asked, used + 2, 'soon again');
  tries.taken();
  assert.equal(await refused('not-recording'), 'gone');
  // A new recording is offered again, too; what is recorded meanwhile stays here.
  assert.equal(await afterRefusal({ ...kept, recordingId: null }, 'disk-low', tries), 'again');
  assert.equal(await afterRefusal({ ...kept, recordingId: null }, 'not-found', tries), 'gone');
});

test('the title says what goes on while the page is hidden, whatever page it is', (t) => {
  let hidden = false;
  Object.defineProperty(document, 'hidden', { get: () => hidden, configurable: true });
  const turn = (to: boolean) => {
    hidden = to;
    const event = document.createEvent('Event');
    event.initEvent('visibilitychange');
    document.dispatchEvent(event);
  };
  const waiting = (count: number) =>
    status.set({
      recording: null,
      speakers_pending: Array.from({ length: count }, () => ({})),
    } as unknown as Status);
  t.after(() => (turn(false), status.set(null)));
  followTitle();
  pageTitle.set('Choir board');
  assert.equal(document.title, 'Choir board · Mitschrift');
  turn(true);
  assert.equal(document.title, 'Choir board · Mitschrift');
  waiting(2);
  assert.equal(document.title, '(2) Mitschrift');
  // The page is read again, and says its title again.
  pageTitle.set('Choir board, autumn');
  assert.equal(document.title, '(2) Mitschrift');
  turn(false);
  assert.equal(document.title, 'Choir board, autumn · Mitschrift');
});
