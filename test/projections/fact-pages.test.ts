import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LoggedFact } from '../../events/facts/catalogue.ts';
import type { EventStore } from '../../events/store.ts';
import { factPages, foldedFactsMax } from '../../projections/runner/follow-log.ts';
import { memoryStore } from '../support/memory-store.ts';

test('pages of the store are put together without a gap, and what lies before damage is given', async () => {
  const store = storeWithPages([1500, 1500, 1500, 1500], new Error('damaged'));
  const seen: number[] = [];
  await assert.rejects(async () => {
    for await (const page of { [Symbol.asyncIterator]: () => factPages(store, 0) }) {
      seen.push(...page.map(({ position }) => position));
      assert.ok(page.length <= foldedFactsMax, `${page.length} facts`);
    }
  }, /damaged/);
  assert.deepEqual(
    seen,
    Array.from({ length: 6000 }, (_, index) => index + 1),
  );
});

test('facts with much text come in smaller pages', async () => {
  const store = storeWithPages([100, 100, 100, 100], null, { segments: [] });
  const sizes: number[] = [];
  for await (const page of { [Symbol.asyncIterator]: () => factPages(store, 0) }) {
    sizes.push(page.length);
  }
  assert.deepEqual(sizes, [200, 200]);
});

/** Only what `factPages` looks at is there. */
function storeWithPages(sizes: number[], end: Error | null, content?: object): EventStore {
  return {
    ...memoryStore(),
    async *pages({ afterPosition = 0 } = {}) {
      let position = afterPosition;
      for (const size of sizes) {
        yield Array.from({ length: size }, () => {
          position += 1;
          return { position, type: 'utterance.recognised', content } as unknown as LoggedFact;
        });
      }
      if (end) throw end;
    },
  };
}
