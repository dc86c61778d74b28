import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timedWords } from '../../projections/recording/timed-words.ts';
import { leastCpuMicros } from '../support/cpu-time.ts';

/*
 * What a person corrects costs about as much as it is long, however much of it is other than before. Compared are two sizes,
 * since how fast the machine is says nothing.
 */

/** How many times as much there is, and how many times as long that may take: about one and a half times the exponent. */
const times = 8;
const growthMax = 24;

/** Asserts that eight times as much takes far less than 64 times as long. */
function assertGrows(size: number, workOf: (size: number) => () => unknown): void {
  const [less, more] = [leastCpuMicros(workOf(size)), leastCpuMicros(workOf(size * times))];
  assert.ok(more < growthMax * less, `${size}: ${less} µs, ${size * times}: ${more} µs`);
}

test('a passage that was written anew costs its words, not each of them with each of before', () => {
  assertGrows(60, (words) => {
    const said = (letter: string) =>
      Array.from({ length: words }, (_, at) => `${letter.repeat(200)}${at},`);
    const spoken = said('Ä').map((text, at) => ({ text, start: at, end: at + 1 }));
    const written = said('Ö').join(' ');
    return () => timedWords(written, { words: spoken, start: 0, end: words });
  });
});
