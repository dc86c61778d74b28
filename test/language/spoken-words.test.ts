import assert from 'node:assert/strict';
import test from 'node:test';
import { sameWords } from '../../src/language/proof.ts';
import { spokenWords } from '../../src/language/spoken-words.ts';

const same = (one: string, other: string, language: string | null = 'de') =>
  assert.ok(sameWords(one, other, language), `"${one}" and "${other}" say the same`);
const differ = (one: string, other: string, language: string | null = 'de') =>
  assert.ok(!sameWords(one, other, language), `"${one}" and "${other}" differ`);

test('punctuation and case are not words', () => {
  same('das haus ist groß', 'Das Haus ist groß.');
  same('er sagte ja', 'Er sagte: „Ja!“');
  same('e-mail', 'E-Mail');
  same('dont stop', 'Dont, stop …');
  same('ist das so', '¿Ist das so – (oder)?'.replace(' – (oder)', ''));
  same("it's o'clock", 'It’s o’clock', 'en');
});

test('another spelling is another word', () => {
  differ('gehts', "geht's");
  differ('strasse', 'Straße');
  differ('meier', 'Meyer');
  differ('das das haus', 'Das Haus');
  differ('a b', 'b a');
  differ('im haus', 'im Haus Haus');
});

test('numbers stay as they were spoken', () => {
  differ('drei', '3');
  differ('3 5', '3,5');
  differ('10 000', '10.000');
  differ('12 30', '12:30');
  differ('5', '-5');
  differ('50', '50 %');
  differ('m²', 'm2');
  same('am 3 mai um 10:30 uhr', 'Am 3. Mai um 10:30 Uhr.');
  same('1 2 3', '1, 2, 3.');
});

test('signs, markup and invisible characters are no punctuation', () => {
  for (const extra of [
    '*das*',
    '<b>das</b>',
    '`das`',
    '[[das]]',
    '#das',
    'das 🙂',
    '$das',
    '_das_',
  ])
    differ('das', extra);
  differ('das', 'd\u200Bas');
  differ('das', 'das\u202E');
  differ('das', 'das\u0007');
});

test('knows the letters and the case of other languages', () => {
  same('café', 'Cafe\u0301', 'fr');
  same('istanbul', 'İstanbul', 'tr');
  same('ὀδυσσεύς', 'ὈΔΥΣΣΕΎΣ', 'el');
  same('今日は 会議です', '今日は、会議です。', 'ja');
  differ('今日は会議です', '今日は会義です', 'ja');
  same('สวัสดี ครับ', 'สวัสดีครับ', 'th');
  same('привет мир', 'Привет, мир!', 'ru');
  same('नमस्ते दुनिया', 'नमस्ते, दुनिया।', 'hi');
});

test('nonsense as a language is no language', () => {
  same('haus', 'Haus', 'not a language');
  assert.deepEqual(spokenWords('… – !', null), []);
});
