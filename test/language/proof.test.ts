import assert from 'node:assert/strict';
import test from 'node:test';
import { isShouted, plausibleNames, provenText } from '../../src/language/proof.ts';
import { fc } from '../support/properties.ts';

const heardAs = (text: string, language: string | null = null) => ({
  text,
  language,
  shouted: isShouted(text),
});
const written = (heard: string, answer: string, language: string | null = null) =>
  provenText(heardAs(heard, language), answer)?.text ?? null;
const refused = (heard: string, answer: string) =>
  assert.equal(written(heard, answer), null, `"${answer}" is not "${heard}"`);
const taken = (heard: string, answer: string) => assert.equal(written(heard, answer), answer);

test('what whisper.cpp heard is not changed into another dose, temperature and address', () => {
  refused(
    'give her .5 milligrams of it at -.5 degrees and mail it to anna.berg@example.com by e-mail',
    'Give her 5 milligrams of it at .5 degrees and mail it to anna berg@example com by e mail.',
  );
});

test('signs, decimal points and marks inside belong to the word, in both directions', () => {
  const pairs = [
    ['.5', '5'],
    ['$.5', '$5'],
    ['-.5', '.5'],
    ['-5', '5'],
    ['–5', '5'],
    ['- 5', '5'],
    ['-$5', '$5'],
    ['+5', '5'],
    ['±5', '5'],
    [',5', '5'],
    ['example.com', 'example com'],
    ['anna.berg@example.com', 'anna berg@example.com'],
    ['anna.berg@example.com', 'anna.berg@example com'],
    ['e-mail', 'e mail'],
    ['F-16', 'F 16'],
    ['3-D', '3 D'],
    ['covid-19', 'covid 19'],
    ['Node.js', 'Node js'],
    ['and/or', 'and or'],
    ['re-sign', 're sign'],
    ['re-sign', 'resign'],
    ['Hans Peter', 'Hans-Peter'],
    ['ein gestellt', 'ein-gestellt'],
    ['last night', 'last-night'],
    ['and welcome', 'and/welcome'],
    ['U.S.', 'US.'],
    ['o’clock', 'oclock'],
    ['snake_case', 'snake case'],
    ['10:30', '10 30'],
    ['10–20', '10 20'],
    ['10…20', '10 20'],
    ['10..20', '10 20'],
    ['2026-11-22', '2026 11 22'],
    ['22.11.2026', '22 11 2026'],
    ['1/2', '1 2'],
    ['1 / 2', '1 2'],
    ['and / or', 'and or'],
    ['1,000', '1000'],
    ['3.–5. Mai', '3. 5. Mai'],
    [`6'2"`, "6'2"],
    [`5'`, '5'],
    ['5′', '5'],
    ['5°', '5'],
    ['5%', '5'],
    ['5%-Hürde', '5% Hürde'],
    ['https://example.com/a?b=c&d#e', 'https://example.com/a?b=c'],
    ['https://example.com', 'https example.com'],
    ['C++', 'C'],
    ['Q&A', 'Q A'],
    ['三.五', '三五'],
    ['三〜五', '三五'],
    ['東京・大阪', '東京大阪'],
    ['３．５', '３ ５'],
    ['٣٫٥', '٣ ٥'],
    ['٫٥', '٥'],
    ['צה״ל', 'צה ל'],
  ] as const;
  for (const [one, other] of pairs) {
    refused(`there ${one} is`, `there ${other} is`);
    refused(`there ${other} is`, `there ${one} is`);
    taken(`there ${one} is`, `There, ${one} is.`);
    taken(`there ${other} is`, `There, “${other}” is.`.replace(' ”', '” '));
  }
});

test('129 words joined by hyphens are not one', () => {
  const words = Array.from({ length: 129 }, (_, index) => `word${'x'.repeat(index % 5)}`);
  for (const joint of ['-', '/', '.', '_', ':', "'", ''])
    refused(words.join(' '), words.join(joint));
});

test('first letters change freely, capitals as names have them too', () => {
  taken('the house in berlin', 'The House in Berlin');
  taken('we use whatsapp for nato', 'We use WhatsApp for NATO.');
  taken('die gmbh hat iphones', 'Die GmbH hat iPhones.');
  taken('ein 3d drucker', 'Ein 3D Drucker');
  assert.equal(provenText(heardAs('nato and unesco and us'), 'NATO and UNESCO and US')?.names, 3);
  assert.ok(plausibleNames({ words: 3, names: 2 }));
  assert.ok(!plausibleNames({ words: 29, names: 3 }));
  assert.ok(plausibleNames({ words: 30, names: 3 }));
});

test('a word in a case that no word has is written as it was heard, that word only', () => {
  assert.equal(
    written('good morning everyone', 'GoOdNeSs'.replace('GoOdNeSs', 'GoOd mORnINGs')),
    null,
  );
  assert.equal(written('goodness everyone', 'GoOdNeSs everyone.'), 'goodness everyone.');
  assert.equal(written('5 mW on the iPhone', '5 MW on the IPHONE.'), '5 mW on the iPhone.');
  assert.equal(written('tell US and NATO', 'Tell us and nato.'), 'Tell US and NATO.');
});

test('what an engine wrote in capitals only may be written in small letters', () => {
  taken('GOOD MORNING EVERYONE', 'Good morning, everyone.');
  taken('GOOD MORNING EVERYONE', 'GOOD MORNING, EVERYONE.');
});

test('at most three marks stand between two words', () => {
  taken('good morning', 'Good?! Morning…');
  taken('he said no then left', 'He said: “No.” Then left.');
  assert.equal(written('good morning', 'Good?!... (¡) morning?!...'), 'Good?!… morning?!…');
  assert.equal(written('good morning', 'Good.......... morning'), 'Good… morning');
  assert.equal(written('今日は会議', '今日は、。！？、会議。'), '今日は、。！会議。');
});

/** Words of ten scripts and the marks that each writes between words. */
const scripts = {
  latin: [
    'good morning everyone Müller übrigens don’t l’ami peut-être naïve ich',
    ', . ; : ! ? … „ “',
  ],
  cyrillic: ['привет мир сегодня кто-то Москва объём', ', . ! ? … « »'],
  greek: ['καλημέρα κόσμε ὀδυσσεύς Αθήνα λόγος', ', . ; · ! « »'],
  arabic: ['مرحبا بالعالم اليوم اجتماع كتاب', '، . ؛ ؟ !'],
  hebrew: ['שלום עולם היום ישיבה צה״ל', ', . ! ? : “ ”'],
  devanagari: ['नमस्ते दुनिया आज बैठक किताब', ', । ॥ ! ?'],
  hangul: ['안녕하세요 오늘 회의 예산 서울', ', . ! ?'],
  georgian: ['გამარჯობა მსოფლიო დღეს შეხვედრა', ', . ! ? „ “'],
  han: ['今天 会议 预算 我们 北京', '， 。 、 ！ ？ ； 「 」'],
  japanese: ['今日は 会議です よろしく カタカナ コーヒー', '、 。 ！ ？ 「 」'],
  thai: ['สวัสดี ครับ วันนี้ ประชุม กรุงเทพ', ', . ! ? “ ”'],
} as const;
const unspacedScripts: ReadonlySet<string> = new Set(['han', 'japanese', 'thai']);
const numbers =
  '5 -5 .5 -.5 3,5 1.000,50 -12.75 +7 50% -3°C $.5 -$20 €5 km/h 230V 10kg 5mW anna.berg@example.com e-mail F-16 https://example.com/a?b=1&c=2 example.com 10:30 09:05:07 2026-11-22 22.11.2026 11/22/2026 3-D and/or U.S.A C++ Q&A @anna #budget snake_case'.split(
    ' ',
  );

type Token = { text: string; unspaced: boolean };
type Said = { tokens: Token[]; marks: string[] };
const said: fc.Arbitrary<Said> = fc
  .constantFrom(...Object.keys(scripts).map((name) => name as keyof typeof scripts))
  .chain((name) => {
    const [words, marks] = scripts[name];
    const unspaced = unspacedScripts.has(name);
    const token = fc.oneof(
      {
        weight: 3,
        arbitrary: fc.constantFrom(...words.split(' ')).map((text) => ({ text, unspaced })),
      },
      fc.constantFrom(...numbers).map((text) => ({ text, unspaced: false })),
    );
    return fc
      .array(token, { minLength: 1, maxLength: 14 })
      .map((tokens) => ({ tokens, marks: marks.split(' ') }));
  });

/** Spaces between words where the script has them. */
const spaced = (tokens: readonly Token[]): string =>
  tokens
    .map(({ text, unspaced }, index) =>
      index === 0 || (unspaced && tokens[index - 1]!.unspaced) ? text : ` ${text}`,
    )
    .join('');

const capitalised = (text: string): string =>
  text.replace(/\p{Ll}/u, (letter) =>
    // One letter stays one: ß has no capital, ŉ has two.
    letter.toLocaleUpperCase().length === letter.length ? letter.toLocaleUpperCase() : letter,
  );

test('other marks between words and other first letters are taken as they are written', () => {
  const property = fc.property(said, fc.infiniteStream(fc.nat()), ({ tokens, marks }, choices) => {
    const next = () => choices.next().value as number;
    const answer = tokens.map((token) => {
      const mark = next() % 3 === 0 ? marks[next() % marks.length]! : '';
      const innerCase = /\p{Lu}/u.test(token.text);
      const word = next() % 2 === 0 || innerCase ? token.text : capitalised(token.text);
      return { ...token, text: word + mark };
    });
    const text = spaced(answer);
    assert.equal(written(spaced(tokens), text), text);
  });
  fc.assert(property, { numRuns: 500 });
});

/** Changes of a text's words; undefined where one does not apply to a word. */
const changes: ((tokens: Token[], at: number, marks: string[]) => Token[] | undefined)[] = [
  // A word lost, doubled, exchanged with its neighbour, joined to it or cut in two.
  (tokens, at) => tokens.toSpliced(at, 1),
  (tokens, at) => tokens.toSpliced(at, 0, tokens[at]!),
  (tokens, at) => {
    const [one, other] = [tokens[at]!, tokens[at + 1]];
    return other && other.text !== one.text ? tokens.toSpliced(at, 2, other, one) : undefined;
  },
  ...["'", '-', '/', '.', ':', '@', '_', '+', ''].map((joint) => (tokens: Token[], at: number) => {
    const [one, other] = [tokens[at]!, tokens[at + 1]];
    // Before a sign or a point of a number the same marks are punctuation: “no --5”.
    if (!other || !/^[\p{L}\p{N}]/u.test(other.text)) return undefined;
    if ((one.unspaced || other.unspaced) && !'-/@_+'.includes(joint || ' ')) return undefined;
    return tokens.toSpliced(at, 2, { ...one, text: one.text + joint + other.text });
  }),
  ...[' ', '-', '/', '\u00AD', '\u200B'].map((cut) => (tokens: Token[], at: number) => {
    const { text, unspaced } = tokens[at]!;
    const middle = /^[\p{L}\p{M}]*\p{L}(?=\p{L}[\p{L}\p{M}]*$)/u.exec(text)?.[0].length;
    if (middle === undefined || (unspaced && cut === ' ')) return undefined;
    return tokens.toSpliced(at, 1, {
      text: text.slice(0, middle) + cut + text.slice(middle),
      unspaced,
    });
  }),
  // A letter lost, a sign or point lost, added or become another.
  (tokens, at) => withText(tokens, at, tokens[at]!.text.replace(/\p{L}/u, '')),
  (tokens, at) => withText(tokens, at, tokens[at]!.text.replace(/^[-.+$€]/u, '')),
  (tokens, at) => withText(tokens, at, tokens[at]!.text.replace(/[%°]/u, '')),
  (tokens, at) =>
    withText(
      tokens,
      at,
      tokens[at]!.text.replace(/(?<=[\p{L}\p{N}])[^\p{L}\p{M}\p{N}\s](?=[\p{L}\p{N}])/u, ''),
    ),
  (tokens, at) =>
    withText(
      tokens,
      at,
      tokens[at]!.text.replace(/(?<=[\p{L}\p{N}])[^\p{L}\p{M}\p{N}\s](?=[\p{L}\p{N}])/u, ' '),
    ),
  (tokens, at) =>
    withText(
      tokens,
      at,
      tokens[at]!.text.replace(/(?<=\p{N})[.,:/-](?=\p{N})/u, (mark) => (mark === '.' ? ',' : '.')),
    ),
  ...['-', '.', '+', '$'].map(
    (sign) => (tokens: Token[], at: number) =>
      withText(tokens, at, tokens[at]!.text.replace(/^\p{N}/u, `${sign}$&`)),
  ),
  ...['*', '#', '🙂', '%', '\u202E', '\uFFFD', '\u0301', '[1]'].map(
    (sign) => (tokens: Token[], at: number) => withText(tokens, at, tokens[at]!.text + sign),
  ),
  (tokens, at) =>
    withText(
      tokens,
      at,
      tokens[at]!.text.replace(/[ao]/u, (letter) => (letter === 'a' ? 'а' : 'о')),
    ),
];

const withText = (tokens: Token[], at: number, text: string): Token[] | undefined =>
  text === tokens[at]!.text ? undefined : tokens.toSpliced(at, 1, { ...tokens[at]!, text });

test('any other word is refused', () => {
  const property = fc.property(
    said,
    fc.nat(),
    fc.nat(changes.length - 1),
    ({ tokens, marks }, place, kind) => {
      const changed = changes[kind]!(tokens, place % tokens.length, marks);
      fc.pre(changed !== undefined);
      assert.equal(written(spaced(tokens), spaced(changed)), null, spaced(changed));
      assert.equal(written(spaced(changed), spaced(tokens)), null, `from ${spaced(changed)}`);
    },
  );
  fc.assert(property, { numRuns: 1500 });
});
