import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Segment } from '../../events/facts/transcript.ts';
import { joinTurns } from '../../projections/recording/join-turns.ts';
import { paragraphs } from '../../projections/recording/paragraphs.ts';
import { wordPlaces, replacedIn, textHeard } from '../../projections/recording/replaced.ts';
import { spread } from '../../projections/recording/timed-words.ts';
import { heardFinder } from '../../projections/recording/heard-places.ts';
import { replacedHeard } from '../../src/recordings/replace-heard.ts';
import { type Random, seed, seeded, times } from '../support/seeded.ts';

const words = [
  { write: 'Mitschrift', heard: ['mit Schrift', 'Mittschrift'] },
  { write: 'Kubernetes', heard: ['Kuba Netze', 'Kuber'] },
  { write: 'Anna Müller', heard: ['Annamüller', 'an der Mühle'] },
  { write: 'C++', heard: ['Zeh plus plus'] },
  { write: 'Yahoo!', heard: ['ja hu'] },
  { write: 'Schrift', heard: ['Skrift'] },
];
const find = heardFinder(words);

const said = (text: string, isTimed = true): Segment => ({
  start: 10,
  end: 20,
  text,
  words: isTimed ? spread(text.match(/\S+/gu) ?? [], 10, 20) : [],
});
const after = (text: string, isTimed = true) => replacedHeard([said(text, isTimed)], find)[0]!;

test('whole words are replaced, folded as in a search, and nothing else', () => {
  for (const [text, expected] of [
    ['Wir nutzen mit Schrift.', 'Wir nutzen Mitschrift.'],
    ['MIT SCHRIFT, sagt sie', 'Mitschrift, sagt sie'],
    ['mit-schrift und mit  Schrift', 'Mitschrift und Mitschrift'],
    ['mit Schriften', 'mit Schriften'],
    ['komm mit. Schrift ist schön', 'komm mit. Schrift ist schön'],
    ['damit Schrift', 'damit Schrift'],
    ['kuba netze-Cluster', 'Kubernetes-Cluster'],
    ['„Annamueller“ kam', '„Anna Müller“ kam'],
    ['an der Muhle', 'Anna Müller'],
    ['Zeh plus plus, bitte', 'C++, bitte'],
    ['ja, hu', 'ja, hu'],
    // Once, from left to right: what was put there is not looked at again.
    ['mit Skrift', 'mit Schrift'],
    ['', ''],
  ] as const) {
    assert.equal(after(text).text, expected);
    assert.equal(after(text, false).text, expected);
  }
});

test('what is written right already is not replaced in itself', () => {
  const service = heardFinder([{ write: 'Mitschrift Service', heard: ['Mitschrift', 'Service'] }]);
  const text = (one: string) => replacedHeard([said(one)], service)[0]!.text;
  assert.equal(text('der Mitschrift Service'), 'der Mitschrift Service');
  assert.equal(text('die mitschrift'), 'die Mitschrift Service');
  assert.deepEqual(heardFinder([{ write: 'Ada', heard: ['ada'] }])('Ada ADA'), [
    { from: 4, to: 7, write: 'Ada' },
  ]);
  const first = heardFinder([
    { write: 'One', heard: ['won'] },
    { write: 'Two', heard: ['won', 'won too'] },
  ]);
  assert.deepEqual(
    first('won won too').map(({ write }) => write),
    ['One', 'Two'],
  );
});

test('words keep their times: several become one, and one several', () => {
  const segment = {
    start: 1,
    end: 6,
    text: ' also mit Schrift, Annamüller.',
    words: [
      { text: ' also', start: 1, end: 2 },
      { text: ' mit', start: 2, end: 3 },
      { text: ' Schrift,', start: 3.5, end: 4 },
      { text: ' Annamüller.', start: 5, end: 6 },
    ],
  };
  const [replaced] = replacedHeard([segment], find);
  assert.equal(replaced!.text, ' also Mitschrift, Anna Müller.');
  assert.deepEqual(
    replaced!.words.map(({ text, start, end }) => [text, start, Math.round(end * 100) / 100]),
    [
      [' also', 1, 2],
      [' Mitschrift,', 2, 4],
      [' Anna', 5, 5.36],
      [' Müller.', replaced!.words[3]!.start, 6],
    ],
  );
  assert.deepEqual(replaced!.replaced, [
    { start: 2, end: 4, write: 'Mitschrift', heard: 'mit Schrift' },
    { start: 5, end: 6, write: 'Anna Müller', heard: 'Annamüller' },
  ]);
  assert.equal(textHeard(replaced!), segment.text);
});

test('words that do not spell the text are timed anew', () => {
  const segment = { ...said('Wir nutzen mit Schrift'), words: said('nutzen Schrift').words };
  const [replaced] = replacedHeard([segment], find);
  assert.equal(replaced!.text, 'Wir nutzen Mitschrift');
  assert.equal(replaced!.words.map(({ text }) => text).join(' '), replaced!.text);
  assert.equal(textHeard(replaced!), segment.text);
});

test('without times of words a term is only told where all of it was replaced', () => {
  const plain = after('erst mit Schrift, dann Mittschrift', false);
  assert.equal(plain.text, 'erst Mitschrift, dann Mitschrift');
  assert.equal(textHeard(plain), 'erst mit Schrift, dann Mittschrift');
  const both = after('die Mitschrift mit Schrift', false);
  assert.equal(both.text, 'die Mitschrift Mitschrift');
  assert.deepEqual(replacedIn(both), []);
});

test('what a person wrote there since is not shown as replaced', () => {
  const block = after('Wir nutzen mit Schrift und mit Schrift heute');
  assert.equal(replacedIn(block).length, 2);
  const [first] = replacedIn(block);
  const back = block.text.slice(0, first!.from) + first!.heard + block.text.slice(first!.to);
  const edited = { ...block, text: back, words: spread(back.split(' '), 10, 20) };
  assert.deepEqual(
    replacedIn({ ...edited, words: [...edited.words.slice(0, 4), ...block.words.slice(3)] }),
    [{ from: back.indexOf('Mitschrift'), to: back.length - ' heute'.length, heard: 'mit Schrift' }],
  );
  // Punctuation may begin a sentence there.
  const small = replacedHeard(
    [said('und ei pott')],
    heardFinder([{ write: 'iPod', heard: ['ei pott'] }]),
  );
  assert.equal(replacedIn({ ...small[0]!, text: 'und IPod' }).length, 1);
});

test(`whatever is said, the text as it was heard comes back, and the words are those of the text (SEED=${seed})`, () => {
  const random = seeded(seed);
  for (let round = 0; round < times({ short: 400, long: 20_000 }); round += 1) {
    const text = talk(random);
    const isTimed = random.chance(0.7);
    const segment = said(text, isTimed);
    const [replaced] = replacedHeard([segment], find);
    if (isTimed) {
      assert.equal(textHeard(replaced!), text);
      assert.notEqual(wordPlaces(replaced!.text, replaced!.words), null, text);
      let last = 10;
      for (const word of replaced!.words) {
        assert.ok(word.start >= last - 1e-9 && word.end >= word.start, text);
        last = word.end;
      }
      const kept = new Set(segment.words.map((word) => JSON.stringify(word)));
      const untouched = replaced!.words.filter((word) => kept.has(JSON.stringify(word)));
      const count = replaced!.replaced?.length ?? 0;
      assert.ok(untouched.length >= segment.words.length - 3 * count, text);
    }
    const utterance = { index: 0, start: 10, end: 20, language: null, segments: [replaced!] };
    if (!isTimed) continue;
    for (const blocks of [paragraphs([utterance], null), joinTurns([utterance], [])]) {
      const heard = blocks.map(textHeard).join(' ');
      assert.equal(heard.trim(), text.trim());
    }
  }
});

/** Of terms, what they are misheard as, and other words; with marks between. */
function talk(random: Random): string {
  const parts = Array.from({ length: 1 + random.below(12) }, () => {
    const { write, heard } = random.pick(words);
    const word = random.chance(0.4)
      ? random.pick(heard)
      : random.chance(0.2)
        ? write
        : random.pick(['und', 'mit', 'Schrift', 'Straße', 'plus', 'Müller', '3,5', 'e-mail']);
    return word + random.pick(['', '', '', ',', '.', '!', '“']);
  });
  return parts.join(' ');
}
