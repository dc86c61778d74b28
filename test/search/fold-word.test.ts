import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foldWord, wordsOf } from '../../src/shared/folded-words.ts';
import { fc } from '../support/properties.ts';

test('umlauts, their spellings with e, accents and case are one word', () => {
  for (const same of [
    ['Müller', 'MUELLER', 'muller', 'Mu\u0308ller'],
    ['Straße', 'STRASSE', 'strasse'],
    ['Ärger', 'aerger', 'ARGER'],
    ['schön', 'schoen', 'schon'],
    ['café', 'CAFE', 'cafe\u0301'],
    ['Łódź', 'lodz'],
    ['œuvre', 'oeuvre', 'ouvre'],
    ['ﬁnden', 'finden'],
    ['Οδός', 'οδοσ'],
    ['שָׁלוֹם', 'שלום'],
    ['مُحَمَّد', 'محمد'],
    ['ज़रूर', 'जरूर'],
    ['ガス', 'カ\u3099ス'],
    ['葛\u{e0100}', '葛'],
    ['1\ufe0f\u20e3', '1'],
  ]) {
    assert.equal(new Set(same.map(foldWord)).size, 1, same.join(' '));
  }
  for (const [one, other] of [
    ['neue', 'neu'],
    ['Quelle', 'Qulle'],
    ['Haus', 'Maus'],
    ['काम', 'कम'],
    ['कि', 'की'],
    ['কাল', 'কল'],
    ['หมู', 'หม'],
    ['パン', 'ハン'],
    ['ガス', 'カス'],
    ['படம்', 'பாடம்'],
  ] as const) {
    assert.notEqual(foldWord(one), foldWord(other));
  }
});

test('no word is lost by folding, and none grows beyond its limit', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 30 }), (word) => {
      assert.ok(foldWord(word).length <= 64);
      assert.equal(foldWord(word.toUpperCase()).length > 0, foldWord(word).length > 0);
    }),
  );
});

test('words are found where they stand, also where no spaces are written', () => {
  const words = (text: string) => Array.from(wordsOf(text), ({ word }) => word);
  assert.deepEqual(words('Ja, das ist gut – 42 Tage!'), ['Ja', 'das', 'ist', 'gut', '42', 'Tage']);
  assert.ok(words('会議は三時です。').includes('会議'));
  for (const { word, at } of wordsOf('Grüße aus 東京都 an alle')) {
    assert.ok('Grüße aus 東京都 an alle'.startsWith(word, at));
  }
});
