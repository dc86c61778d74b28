import assert from 'node:assert/strict';
import test from 'node:test';
import { fallbackSummary, fallbackTitle } from '../../src/language/fallback.ts';
import { longTalk, talk } from '../support/language-servers-talk.ts';
import { cpuMicros } from '../support/cpu-time.ts';

const meeting = talk(
  [
    'Guten Morgen zusammen.',
    'Heute sprechen wir über das Budget für die neue Werkstatt in Hamburg.',
    'Ja, genau.',
    'Das Budget für die Werkstatt reicht nicht, weil die Maschinen teurer geworden sind.',
    'Ich hatte gestern übrigens Geburtstag.',
    'Dann beantragen wir für die Maschinen der Werkstatt mehr Budget bis Freitag.',
    'Der Kaffee in der Küche ist übrigens schon wieder alle, und die Milch ebenso.',
    'Am Donnerstag kommt der Elektriker und schaut sich endlich das Licht im Flur an.',
    'Wer mitfährt, trifft sich morgen um acht vor dem Haus am Tor.',
    'Schönen Tag noch.',
  ],
  ['SPEAKER_1', 'SPEAKER_2'],
);
const options = { language: 'de' };

test('chooses what the talk is about, in its order and words, with who said it and where', () => {
  const { text, lines } = fallbackSummary(meeting, options);
  const [first, second, third] = text.split('\n');
  assert.equal(lines.length, 3);
  assert.match(first!, /^- SPEAKER_2: Heute sprechen wir über das Budget/u);
  assert.match(second!, /^- SPEAKER_2: Das Budget für die Werkstatt reicht nicht/u);
  assert.match(third!, /^- SPEAKER_2: Dann beantragen wir/u);
  for (const { text, speaker, block } of lines) {
    const said = meeting.find(({ id }) => id === block)!;
    assert.ok(said.text.includes(text));
    assert.equal(speaker, said.speaker);
  }
});

test('a title of at most eight words that begins and ends with a meaning', () => {
  const { title, abstract } = fallbackTitle({ summary: '', blocks: meeting }, { language: 'de' });
  assert.ok(title.split(' ').length <= 8, title);
  assert.match(title, /^\p{Lu}/u);
  assert.match(title, /Werkstatt|Budget/u);
  assert.doesNotMatch(title, /[.,"„]|\b(?:die|für|das|wir)$/u);
  assert.match(abstract, /Budget/u);
  assert.match(abstract, /\.$/u);
});

test('works in English and in languages without a list of stop words', () => {
  const english = talk([
    'We talked about the workshop budget today.',
    'The workshop budget is too small.',
    'Nice weather.',
  ]);
  const { title } = fallbackTitle({ summary: '', blocks: english }, { language: 'en' });
  assert.match(title, /workshop budget/u);
  const french = talk([
    'Nous parlons du budget de l’atelier.',
    'Le budget de l’atelier est trop petit.',
    'Le café est froid depuis ce matin.',
    'Demain il fera beau partout en France.',
    'Pierre arrive avec le train de midi.',
    'Merci et bonne journée à tous.',
  ]);
  assert.match(fallbackSummary(french, { language: 'fr' }).text, /budget/u);
  const japanese = talk([
    '今日は会議です。予算について話します。予算は足りません。明日は雨です。電車が遅れています。昼食は十二時です。',
  ]);
  assert.match(fallbackSummary(japanese, { language: 'ja' }).text, /予算/u);
});

test('is the same every time, and quick for eight hours of talk', () => {
  const long = longTalk(4000);
  const first = fallbackSummary(long, options);
  const micros = cpuMicros(() => assert.deepEqual(fallbackSummary(long, options), first));
  assert.ok(micros < 10e6, `${micros} µs`);
  assert.ok(first.text.split('\n').length <= 8);
});

test('sentences without end, as engines without punctuation give them, are cut', () => {
  const endless = talk([Array.from({ length: 500 }, (_, index) => `wort${index % 70}`).join(' ')]);
  for (const line of fallbackSummary(endless, options).text.split('\n'))
    assert.ok(line.split(' ').length <= 42, line);
});

test('an abstract has a full stop only where a sentence ended', () => {
  const endless = Array.from({ length: 100 }, (_, index) => `wort${index % 30}`).join(' ');
  const { abstract } = fallbackTitle({ summary: '', blocks: talk([endless]) }, { language: 'de' });
  assert.match(abstract, /…/u);
  assert.doesNotMatch(abstract.replace(/wort9$/u, ''), /wort\d+\./u);
  const spoken = fallbackTitle({ summary: '', blocks: meeting }, { language: 'de' });
  assert.doesNotMatch(spoken.abstract, /…/u);
});

test('gives nothing for no words, and takes the summary where there is no talk', () => {
  assert.deepEqual(fallbackSummary(talk(['…', '']), options), {
    text: '',
    lines: [],
    tooShort: false,
  });
  assert.deepEqual(fallbackTitle({ summary: '', blocks: [] }, { language: null }), {
    title: '',
    abstract: '',
    tooShort: false,
  });
  const { title } = fallbackTitle(
    { summary: '- Das Budget reicht nicht.', blocks: [] },
    { language: 'de' },
  );
  assert.match(title, /Budget/u);
});

test('extracts of a talk without punctuation begin where a person paused, without doubled dots', () => {
  const [block] = talk([
    Array.from(
      { length: 12 },
      (_, at) => `begin${at} the server in room ${at} was slow on monday and nobody of us knew why`,
    ).join(' '),
  ]);
  let shift = 0;
  const words = block!.words.map((word) => {
    if (word.text.startsWith('begin')) shift += 0.6;
    return { ...word, start: word.start + shift, end: word.end + shift };
  });
  const english = { language: 'en' };
  const paused = [{ ...block!, words }];
  for (const line of fallbackSummary(paused, english).text.split('\n'))
    assert.match(line, /^- begin\d+ the server in room \d+ .* why$/u);
  const { abstract } = fallbackTitle({ summary: '', blocks: paused }, english);
  assert.match(abstract, /^begin\d+ .* why\. begin\d+ .* why\.$/u);
  const unpaused = fallbackTitle({ summary: '', blocks: [block!] }, english);
  assert.doesNotMatch(unpaused.abstract, /… …/u);
});

test('of a short talk nothing is said twice: what would only repeat it is left out, and said so', () => {
  const sentences = [
    'The budget of the workshop is too small for the new machines.',
    'Anna asks for more budget until Friday.',
    'Bert has seen cheaper machines in Hamburg.',
    'The coffee is gone.',
    'Nobody knows when the electrician comes to look at the lights in the hall.',
    'We meet again on Monday.',
    'The printer on the second floor has no paper and the cupboard is locked.',
    'Whoever drives to the fair brings the old posters back.',
  ];
  const lettersIn = (text: string) => text.replaceAll(/[^\p{L}\p{N}]/gu, '').length;
  const english = { language: 'en' };
  const leftOut: { summary: number[]; abstract: number[] } = { summary: [], abstract: [] };
  for (let count = 1; count <= sentences.length; count += 1) {
    const blocks = talk([sentences.slice(0, count).join(' ')]);
    const all = lettersIn(blocks[0]!.text);
    const summary = fallbackSummary(blocks, english);
    const title = fallbackTitle({ summary: summary.text, blocks }, english);
    assert.equal(summary.tooShort, summary.text === '');
    assert.equal(title.tooShort, title.abstract === '');
    assert.notEqual(title.title, '');
    if (summary.tooShort) leftOut.summary.push(count);
    else assert.ok(lettersIn(summary.text) <= 0.6 * all, summary.text);
    if (title.tooShort) leftOut.abstract.push(count);
    else assert.ok(lettersIn(title.abstract) <= 0.6 * all, title.abstract);
    const said = [title.title, title.abstract, summary.text].filter((text) => text !== '');
    assert.equal(new Set(said.map((text) => text.toLowerCase())).size, said.length);
  }
  assert.deepEqual(leftOut.summary.slice(0, 4), [1, 2, 3, 4]);
  assert.deepEqual(leftOut.abstract.slice(0, 2), [1, 2]);
  assert.ok(!leftOut.summary.includes(8) && !leftOut.abstract.includes(8));
});

test('greetings, introductions and thanks are no points and no title, unless nothing else was said', () => {
  const opened = [
    'guten morgen zusammen ich bin jürgen',
    'Guten Morgen Jürgen, schön dass du da bist.',
    'Vielen Dank fürs Kommen.',
    'Bis nächste Woche, tschüss zusammen.',
  ];
  const said = [
    'Das Budget für die Werkstatt in Hamburg reicht nicht.',
    'Wir beantragen bis Freitag mehr Geld für die Maschinen.',
    'Danke, Anna schickt den Vertrag morgen an die Bank.',
    'Hallo, wir brauchen heute das Budget der Werkstatt.',
    'Der Elektriker schaut sich am Donnerstag das Licht im Flur an.',
    'Die Küche bekommt einen neuen Boden aus Holz.',
  ];
  const blocks = talk([...opened.slice(0, 2), ...said, ...opened.slice(2)]);
  const { lines } = fallbackSummary(blocks, options);
  assert.ok(lines.length >= 3);
  for (const { text } of lines) assert.ok(!opened.includes(text), text);
  const { title, abstract } = fallbackTitle({ summary: '', blocks }, options);
  assert.doesNotMatch(`${title} ${abstract}`, /Jürgen|jürgen|Dank|tschüss/u);
  const hello = talk(['Hello everyone, my name is Anna.', 'Thank you all for coming.', 'Bye.']);
  assert.notEqual(fallbackTitle({ summary: '', blocks: hello }, { language: 'en' }).title, '');
});

test('titles, points and abstracts of scripts without spaces are cut as well', () => {
  const language = 'zh';
  const about = (at: number) =>
    `我们今天谈了第${at}个花园的预算和秋天还要做的事情然后大家又说了很多别的事情`.repeat(4);
  const blocks = talk(Array.from({ length: 12 }, (_, at) => about(at)));
  const { lines } = fallbackSummary(blocks, { language });
  assert.ok(lines.length > 0);
  for (const { text } of lines) assert.ok(text.length < 120, text);
  const { title, abstract } = fallbackTitle({ summary: '', blocks }, { language });
  assert.ok(title.length > 3 && title.length < 40, title);
  assert.ok(abstract.length < 240, abstract);
  const [url] = [`https://x.example/${'a'.repeat(300)}`];
  const named = fallbackTitle({ summary: '', blocks: talk([url]) }, { language: 'en' });
  assert.ok(named.title.length <= 120, named.title);
});
