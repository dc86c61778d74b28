import assert from 'node:assert/strict';
import { test } from 'node:test';
import { correctionsBetween } from '../../projections/recording/carry-over.ts';
import { cutTurn } from '../../projections/recording/turn-changes.ts';
import { timedWords } from '../../projections/recording/timed-words.ts';
import { leastCpuMicros } from '../support/cpu-time.ts';

/*
 * What a person corrects costs about as much as it is long, however much of it is other than before. Compared are two sizes,
 * since how fast the machine is says nothing.
 */

/** How many times as much there is, and how many times as long that may take: about one and a half times the exponent. */
const times = 8;
const growthMax = 24;
/** What takes no time at all has no growth, in microseconds. */
const nothingMicros = 1_000;

/** Asserts that eight times as much takes far less than 64 times as long. */
function assertGrows(size: number, workOf: (size: number) => () => unknown): void {
  const less = Math.max(nothingMicros, leastCpuMicros(workOf(size)));
  const more = leastCpuMicros(workOf(size * times));
  assert.ok(more < growthMax * less, `${size}: ${less} µs, ${size * times}: ${more} µs`);
}

test('a passage that was written anew costs its words, not each of them with each of before', () => {
  assertGrows(30, (words) => {
    const said = (letter: string) =>
      Array.from({ length: words }, (_, at) => `${letter.repeat(600)}${at},`);
    const spoken = said('Ä').map((text, at) => ({ text, start: at, end: at + 1 }));
    const written = said('Ö').join(' ');
    return () => timedWords(written, { words: spoken, start: 0, end: words });
  });
});

test('finding what was changed of passages that were cut costs what they say, not each with each', () => {
  assertGrows(10, (turns) => {
    const recognised = Array.from({ length: turns }, (_, turn) => {
      const start = turn * 60;
      const words = Array.from({ length: 50 }, (_, at) => ({
        text: `Wörtliches${at},`,
        start: start + at,
        end: start + at + 1,
      }));
      const text = words.map((word) => word.text).join(' ');
      return { id: `t-${turn}`, speaker: null, start, end: start + 50, text, words };
    });
    const cut = recognised.flatMap((block) => cutTurn(block, 25, recognised) ?? []);
    assert.equal(cut.length, turns * 2);
    return () => correctionsBetween(recognised, cut, {});
  });
});
