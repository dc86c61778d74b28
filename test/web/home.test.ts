import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Note, nearDay, rowsOf, withPage } from '../../web/pages/home/library/rows.ts';
import { everything, queryOf, spans } from '../../web/pages/home/library/filter.ts';
import { loudnessOf, wavePath } from '../../web/components/level.ts';
import { briefly, exactly } from '../../web/components/durations.ts';

const note = (id: number, at: string): Note => ({ recording_id: `r${id}`, created_at: at }) as Note;
const days = (...of: number[]) => of.map((day) => note(day, `2026-03-0${day}T12:00:00.000Z`));
const ids = (notes: readonly Note[]) => notes.map(({ recording_id }) => recording_id);

test('a page that is read again takes the place of what it covers, and of nothing else', () => {
  const former = days(9, 7, 6, 4, 2, 1);
  const first = { after: null, isLast: false };
  assert.deepEqual(ids(withPage(former, days(9, 8, 7), first)), [
    'r9',
    'r8',
    'r7',
    'r6',
    'r4',
    'r2',
    'r1',
  ]);
  assert.deepEqual(
    ids(withPage(former, days(7, 6), first)),
    ['r7', 'r6', 'r4', 'r2', 'r1'],
    '9 is gone',
  );
  const third = { after: former[3]!, isLast: true };
  assert.deepEqual(
    ids(withPage(former, days(2), third)),
    ['r9', 'r7', 'r6', 'r4', 'r2'],
    '1 is gone',
  );
  assert.deepEqual(ids(withPage(former, [], third)), ['r9', 'r7', 'r6', 'r4']);
  assert.deepEqual(ids(withPage(former, [], { after: null, isLast: true })), []);
});

test('notes stand under the day on which they were recorded, here', () => {
  const now = new Date(2026, 2, 1, 0, 30);
  assert.equal(nearDay(new Date(2026, 2, 1, 0, 1), now), 'today');
  assert.equal(nearDay(new Date(2026, 1, 28, 23, 59), now), 'yesterday');
  assert.equal(nearDay(new Date(2026, 1, 27, 23, 59), now), null);
  const rows = rowsOf(days(3, 3, 2));
  assert.deepEqual(
    rows.map((row) => (row.type === 'note' ? row.place : 'day')),
    ['day', 1, 2, 'day', 3],
  );
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

test('loudness is said in a word, and drawn with the newest at the right', () => {
  assert.equal(loudnessOf({ rms: 0, peak: 0 }), 'silent');
  assert.equal(loudnessOf({ rms: 0.004, peak: 0.02 }), 'quiet');
  assert.equal(loudnessOf({ rms: 0.1, peak: 0.4 }), 'good');
  assert.equal(loudnessOf({ rms: 0.1, peak: 1 }), 'loud');
  assert.match(wavePath([0.5]), /^M382 /);
  assert.equal(wavePath(Array(200).fill(1)).match(/M/g)?.length, 96);
});

test('durations are said in the largest units that tell them', () => {
  assert.deepEqual([41, 61, 3599, 3600, 4330].map(briefly), [
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
