import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textSentences } from '../../src/language/sentences.ts';
import { endsSentence, hasMarks } from '../../src/shared/sentence-ends.ts';

/** Sentences that stand one behind another, by their language. */
const texts: readonly [language: string | null, sentences: readonly string[]][] = [
  [
    'de',
    [
      'Am 3. März beginnt die Prüfung der Maßnahmen mit Dr. Weiß.',
      'Frau Dr. Müller schickt die Unterlagen bis zum 15. April.',
      'Offen bleibt die Übersetzung.',
    ],
  ],
  ['de', ['Prof. Dr. Müller stellt am 12. Mai die Ergebnisse vor.', 'Danach ist Pause.']],
  ['de', ['Wir treffen uns in Raum Nr. 5.', 'Anna bringt z. B. Kuchen mit.', 'Das war es.']],
  ['de', ['Das sind ca. 5 Mio. Euro.', 'Beim 2. Treffen reden wir d. h. Anna und Ben darüber.']],
  ['de', ['Es ging bis 2026.', 'Danach war Schluss.']],
  ['en', ['They meet at 5 p.m. in St. Louis.', 'They bring Mr. J. Smith.', 'It is room no. 5.']],
  ['en', ['Do we stay?', 'No.', 'We leave on 3 March.']],
  ['fr', ['M. Dupont vient avec Mme. Durand.', 'Ils restent.']],
  ['cs', ['Sejdeme se 3. března v Praze.', 'Potom pojedeme.']],
  [null, ['Dr. Weber comes on Monday.', 'Wir sehen uns am 4. Juli wieder.']],
];

for (const [language, sentences] of texts) {
  test(`the sentences of “${sentences[0]}” (${language}) are told apart`, () => {
    assert.deepEqual(textSentences(sentences.join(' '), language), sentences);
  });
}

test('a word with a dot ends a sentence by what follows it', () => {
  assert.equal(endsSentence('Wir fragen Dr.', 'Weber'), false);
  assert.equal(endsSentence('Wir fragen Dr.', ''), true);
  assert.equal(endsSentence('Das war es.', 'Weber'), true);
  assert.equal(endsSentence('Das war es', 'Weber'), false);
  assert.equal(endsSentence('So what?”', 'Weber'), true);
});

test('marks of every script are punctuation, dots within numbers and names are not', () => {
  for (const text of ['Yes, we do', 'It works.', 'Why?”', '予算は足りません。明日', 'क्या है।'])
    assert.ok(hasMarks(text), text);
  for (const text of [
    'three spoken words',
    'version 3.5 of node.js',
    'at 10:30',
    '予算は足りません',
  ])
    assert.ok(!hasMarks(text), text);
});
