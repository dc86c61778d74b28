import assert from 'node:assert/strict';
import { test } from 'node:test';
import { waitsFor } from '../../src/words/waiting.ts';
import { openStageProgress } from '../../src/recordings/stages/stage-progress.ts';

test('how long the rest takes is told by how fast it has been since it last waited', () => {
  let now = 0;
  const progress = openStageProgress(() => now);
  progress.add('a', 'transcribe');
  const left = (seconds: number, change: Parameters<typeof progress.set>[2]) => {
    now = seconds * 1000;
    progress.set('a', 'transcribe', change);
    return progress.of('a')[0]!.seconds_left;
  };
  // Taken up at 30 %: what an earlier attempt did says nothing of how fast this one is.
  assert.equal(left(0, { fraction: 0.3 }), null);
  assert.equal(left(5, { fraction: 0.32 }), null);
  assert.equal(left(10, { fraction: 0.4 }), 60);
  assert.equal(left(20, { fraction: 0.5 }), 50);
  // The next look finds no more done, and so less speed.
  now = 30_000;
  assert.equal(progress.of('a')[0]!.seconds_left, 75);
  const waiting = {
    for: waitsFor('speech-recognition'),
    ahead: 1,
    since: '2026-11-22T09:00:00.000Z',
  };
  assert.equal(left(40, { waiting }), null);
  assert.equal(left(100, { waiting: null }), null);
  assert.equal(left(110, { fraction: 0.75 }), 10);
  // Another attempt begins at the beginning, and so does how fast it is.
  assert.equal(left(200, { fraction: 0 }), null);
  assert.equal(left(210, { fraction: 0.05 }), null);
  assert.equal(left(220, { fraction: 0.2 }), 80);
});
