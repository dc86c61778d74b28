import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Block } from '../../../events/facts/transcript.ts';
import { carriedFacts } from '../../../projections/recording/carried-facts.ts';
import type { Said } from '../../../projections/recording/said.ts';

test('what people corrected is carried in work that grows as the talk does', () => {
  const ratio = readsFor(5000) / readsFor(500);
  assert.ok(ratio < 20, `ten times as many passages take ${Math.round(ratio)} times the work`);
});

/** How often texts of a talk of so many passages are looked at, each of which a person corrected. */
function readsFor(count: number): number {
  let reads = 0;
  const blocks = (said: string): Block[] =>
    Array.from({ length: count }, (_, at) => ({
      id: `t-${at}`,
      speaker: null,
      start: at,
      end: at + 1,
      get text() {
        reads += 1;
        return said;
      },
      words: [],
    }));
  const recognised = blocks('heard');
  const said = {
    kind: 'solo',
    utterances: [],
    duration: count,
    speech: {},
    language: 'en',
    heard: recognised,
    raw: recognised,
    recognised,
    blocks: blocks('corrected'),
    unplaced: [],
    names: {},
    summary: { edited: false, lines: [], abstract: null, by: {} },
  } as unknown as Said;
  const summary = { text: '', lines: [], by: { engine: 'local', model: null } };
  const texts = { summary, abstract: '', title: '' };
  const facts = carriedFacts(said, texts, { run: 1, kind: 'solo', version: 1 });
  const carried = facts.find(({ type }) => type === 'corrections.carried_over');
  assert.equal(carried?.data && 'placed' in carried.data && carried.data.placed, count);
  return reads;
}
