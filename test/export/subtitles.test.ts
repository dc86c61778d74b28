import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Block } from '../../events/facts/transcript.ts';
import type { DocumentsInput } from '../../src/documents/documents.ts';
import { cues, subRip, webVtt } from '../../src/export/subtitles.ts';
import { plainText } from '../../src/export/formats.ts';
import { fc } from '../support/properties.ts';

const block = (text: string, more: Partial<Block> = {}): Block => ({
  id: 't-0001',
  speaker: null,
  start: 0,
  end: 10,
  text,
  words: [],
  ...more,
});

const meeting = (blocks: Block[], more: Partial<DocumentsInput> = {}): DocumentsInput => ({
  recordingId: 'R',
  base: '2026-03-01 10.00 Planung',
  title: 'Planung',
  source: null,
  aliases: [],
  kind: 'meeting',
  language: 'de',
  duration: 60,
  localStart: '2026-03-01T10:00:00+01:00',
  uiLanguage: 'de',
  times: true,
  links: false,
  lines: [],
  sidenotes: [],
  interruptions: [],
  speakers: [
    { label: 'SPEAKER_1', name: 'Änne', seconds: 5 },
    { label: 'SPEAKER_2', name: null, seconds: 5 },
  ],
  blocks,
  summary: '',
  abstract: '',
  notes: [],
  ...more,
});

/** Words of half a second each, from `start` on. */
const spoken = (text: string, start: number) =>
  text.split(' ').map((word, index) => ({
    text: word,
    start: start + index / 2,
    end: start + index / 2 + 0.4,
  }));

test('SubRip: numbers, times with a comma, names where another one speaks', () => {
  const first = 'Guten Morgen.';
  const second = 'Wir beginnen mit dem Haushalt, dann kommen die Termine an die Reihe.';
  const input = meeting([
    block(first, { speaker: 'SPEAKER_1', words: spoken(first, 1) }),
    block(second, { speaker: 'SPEAKER_2', words: spoken(second, 3725.5) }),
  ]);
  assert.equal(
    subRip(input),
    [
      '1\r\n00:00:01,000 --> 00:00:02,000\r\nÄnne: Guten Morgen.\r\n\r\n',
      '2\r\n01:02:05,500 --> 01:02:11,400\r\n',
      'Sprecher 2: Wir beginnen mit dem Haushalt,\r\ndann kommen die Termine an die Reihe.\r\n\r\n',
    ].join(''),
  );
});

for (const [script, text] of [
  ['Thai', 'สวัสดีครับ วันนี้เราประชุม'],
  ['Khmer', 'សួស្តី យើងប្រជុំ'],
  ['Lao', 'ສະບາຍດີ ມື້ນີ້'],
  ['Burmese', 'မင်္ဂလာပါ ကျွန်ုပ်တို့'],
  ['Chinese with a name', '我们用 GitHub Actions 开会。'],
] as const)
  test(`subtitles of ${script} have the blanks of the text, and no others`, () => {
    const input = meeting([block(text, { speaker: 'SPEAKER_1', end: 4 })]);
    assert.match(subRip(input).replaceAll('\r\n', ' '), new RegExp(`Änne: ${text} `, 'u'));
    assert.match(webVtt(input), new RegExp(`>${text}\n`, 'u'));
  });

test('words of Thai that have times stand without blanks', () => {
  const words = spoken('สวัสดี ครับ วันนี้', 1);
  const input = meeting([block('สวัสดีครับวันนี้', { speaker: null, words })]);
  assert.match(subRip(input), /\nสวัสดีครับวันนี้\r/u);
});

test('WebVTT: names as voices, nothing of the text can be taken for markup', () => {
  const text = 'a <b> & c --> d';
  const blocks = [block(text, { speaker: 'SPEAKER_1', start: 1, end: 3 })];
  const speakers = [{ label: 'SPEAKER_1', name: 'A<B> & C', seconds: 1 }];
  assert.equal(
    webVtt(meeting(blocks, { speakers })),
    'WEBVTT\nLanguage: de\n\n1\n00:00:01.000 --> 00:00:03.000\n' +
      '<v A&lt;B&gt; &amp; C>a &lt;b&gt; &amp; c --&gt; d\n',
  );
  const text2 = subRip(meeting(blocks, { speakers, kind: 'solo' }));
  assert.equal(text2, '1\r\n00:00:01,000 --> 00:00:03,000\r\na <b> & c → d\r\n\r\n');
});

test('a sentence ends its subtitle, a pause too; without times of words time is shared out', () => {
  const text = 'One two three. Four five.';
  const [first, second] = cues([block(text, { start: 10, end: 20 })], () => null, { named: false });
  assert.deepEqual(first!.lines, ['One two three.']);
  assert.deepEqual(second!.lines, ['Four five.']);
  assert.ok(first!.start === 10 && second!.start > 15 && second!.end === 20);
  const words = [...spoken('before it', 0), ...spoken('after it', 30)];
  const apart = cues([block('before it after it', { words })], () => null, { named: false });
  assert.deepEqual(
    apart.map(({ lines }) => lines),
    [['before it'], ['after it']],
  );
});

test('two lines are about equally long', () => {
  const text = 'aaaa bbbb cccc dddd eeee ffff gggg hhhh iiii jjjj';
  const [cue] = cues([block(text, { end: 5 })], () => null, { named: false });
  assert.deepEqual(cue!.lines, ['aaaa bbbb cccc dddd eeee', 'ffff gggg hhhh iiii jjjj']);
});

test('any text becomes subtitles that can be read: at most two lines of 42, in order, nothing lost', () => {
  const word = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 12 }),
    fc.constantFrom('会議は三時に始まります。', 'x'.repeat(100), '--> ', '\n\n', 'end.', '👩‍👩‍👧‍👧'),
  );
  const blocks = fc.array(
    fc.record({
      texts: fc.array(word, { maxLength: 40 }),
      start: fc.double({ min: 0, max: 1000, noNaN: true }),
      seconds: fc.double({ min: 0, max: 100, noNaN: true }),
      timed: fc.boolean(),
      speaker: fc.constantFrom(null, 'SPEAKER_1', 'SPEAKER_2'),
    }),
    { maxLength: 6 },
  );
  fc.assert(
    fc.property(blocks, (given) => {
      const all = given.map(({ texts, start, seconds, timed, speaker }) => {
        const end = start + seconds;
        const words = timed ? texts.map((text) => ({ text, start, end })) : [];
        return block(texts.join(' '), { start, end, words, speaker });
      });
      const made = cues(all, (speaker) => speaker, { named: false });
      for (const [index, { start, end, lines }] of made.entries()) {
        assert.ok(lines.length >= 1 && lines.length <= 2);
        for (const line of lines) assert.ok(Array.from(line).length <= 42 && line.trim() !== '');
        assert.ok(end > start && end - start <= 7.0001, `${start} ${end}`);
        const next = made[index + 1];
        if (next) assert.ok(next.start >= start && (end <= next.start || next.start === start));
      }
      const letters = (texts: string[]) =>
        Array.from(texts.join('').replaceAll(/[\p{Cc}\p{Cs}\p{Z}\s]/gu, ''))
          .toSorted()
          .join('');
      assert.equal(
        letters(made.flatMap(({ lines }) => lines)),
        letters(all.map(({ text }) => text)),
      );
      const vtt = webVtt(meeting(all));
      assert.equal(vtt.match(/-->/g)?.length ?? 0, made.length);
      assert.equal(subRip(meeting(all)).match(/-->/g)?.length ?? 0, subRipCount(all));
    }),
    { numRuns: process.env['MITSCHRIFT_LONG'] ? 5000 : 100 },
  );
});

/** Names in the text take room, so there may be more of them. */
const subRipCount = (all: Block[]): number =>
  subRip(meeting(all)).match(/^\d\d+:\d\d:\d\d,\d{3} --> \d\d+:\d\d:\d\d,\d{3}\r$/gm)?.length ?? 0;

test('plain text: a paragraph a turn, with who spoke and when', () => {
  const input = meeting([
    block('Guten\nMorgen.', { speaker: 'SPEAKER_1', start: 1 }),
    block('Ja.', { speaker: 'SPEAKER_2', start: 3725 }),
  ]);
  assert.equal(
    plainText(input),
    'Planung\n\n2026-03-01 10:00\n\nÄnne [00:00:01]\nGuten Morgen.\n\nSprecher 2 [01:02:05]\nJa.\n',
  );
  assert.equal(
    plainText({ ...input, kind: 'solo', title: '' }),
    '2026-03-01 10:00\n\nGuten Morgen.\n\nJa.\n',
  );
});

test('a mark that the recogniser gave as a word of its own is shown once and never alone', () => {
  const words = ['こんにちは、', '、', '今日は', '会', '議', 'です', '。', '。', 'OK', '。'];
  const timed = words.map((text, index) => ({ text, start: index * 2, end: index * 2 + 1 }));
  const shown = cues([block('…', { end: 20, words: timed })], () => null, { named: false });
  assert.equal(shown.flatMap(({ lines }) => lines).join(''), 'こんにちは、今日は会議です。OK。');
  assert.ok(shown.every(({ lines }) => /[\p{L}]/u.test(lines.join(''))));
});
