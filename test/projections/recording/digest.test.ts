import assert from 'node:assert/strict';
import { test } from 'node:test';
import { digestAfter, noDigest } from '../../../projections/recording/digest.ts';
import type { LoggedRecordingFact } from '../../../events/facts/catalogue.ts';

test('folding many corrections takes work that grows with their number squared, not cubed', () => {
  const ratio = readsFor(3000) / readsFor(300);
  assert.ok(ratio < 150, `ten times as many corrections take ${Math.round(ratio)} times the work`);
});

/** How often the corrected blocks are looked at while so many corrections are folded, each of another one. */
function readsFor(count: number): number {
  let reads = 0;
  const factOf = (version: number, type: string, data: object): LoggedRecordingFact =>
    ({
      type,
      version,
      position: version,
      at: '2026-03-01T10:00:00Z',
      by: 'anna',
      data,
      content: {},
    }) as never;
  const edits = Array.from({ length: count }, (_, index) =>
    factOf(index + 3, 'turn.edited', {
      basis: 2,
      speaker: null,
      get block() {
        reads += 1;
        return `t-${index}`;
      },
    }),
  );
  const begun = [
    factOf(1, 'audio.imported', { kind: 'solo', language: null, started_at: '' }),
    factOf(2, 'transcript.punctuated', {}),
  ];
  const digest = [...begun, ...edits].reduce(digestAfter, noDigest('r1'));
  assert.equal(digest.facts.length, count + 2);
  return reads;
}
