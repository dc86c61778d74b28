import assert from 'node:assert/strict';
import { fieldFault } from '../../src/words/field-faults.ts';
import { sayTo } from '../../src/words/say.ts';
import { test } from 'node:test';
import { replaceLabels, withKnownNames } from '../../projections/recording/written-texts.ts';
import { paragraphs } from '../../projections/recording/paragraphs.ts';
import { correctedPairs } from '../../projections/recording/corrected-pairs.ts';
import { unitsOf } from '../../projections/recording/join-turns.ts';
import { foldedName } from '../../projections/recording/suggest-names.ts';
import { splitWords, timedWords } from '../../projections/recording/timed-words.ts';
import { wordPatches } from '../../src/shared/word-patches.ts';
import { editIn } from '../../src/documents/document-edit.ts';
import { documentPaths } from '../../src/documents/documents.ts';
import { titleOfFile } from '../../src/documents/file-names.ts';
import {
  escapeInline,
  escapeLine,
  oneLine,
  sanitizeMarkdown,
} from '../../src/documents/markdown.ts';
import { groundsOf } from '../../src/http/recording-answer.ts';
import { jsonObjectIn, plainAnswer, plainLine } from '../../src/language/answers.ts';
import { namesInAnswer } from '../../src/language/identify-answer.ts';
import { provenText } from '../../src/language/proof.ts';
import { punctuatedWords } from '../../src/language/punctuate.ts';
import { jointText, beginningOf, estimatedTokens, inert } from '../../src/language/talk.ts';
import { textSentences } from '../../src/language/sentences.ts';
import { comparedWords, numbersIn } from '../../src/language/content-words.ts';
import { spokenWords } from '../../src/language/spoken-words.ts';
import { linesIn } from '../../src/language/draft-lines.ts';
import { whyUnusable } from '../../src/language/unusable.ts';
import { foldWord, wordsOf } from '../../src/shared/folded-words.ts';
import { readWords } from '../../src/order/read-words.ts';
import { serverMessage } from '../../src/servers/server-failure.ts';
import { requestedLanguage } from '../../src/shared/languages.ts';
import { textSegments } from '../../src/shared/segments.ts';
import { repeats } from '../../src/shared/repeated-words.ts';
import { withDoubts } from '../../src/speech/doubt.ts';
import { parseTranscript } from '../../src/speech/parse-transcript.ts';
import { checkUsername } from '../../src/accounts/usernames.ts';
import { cpuMicros } from '../support/cpu-time.ts';
import { times } from '../support/seeded.ts';

/*
 * Text of a request or of a model costs its length, whatever it is: the event loop is everybody's. Each function that takes
 * one gets runs of 5,000 and of 50,000, in `test:long` twice as long. Of regular expressions alone: `test/structure/linear-expressions.test.ts`.
 */

const word = { text: 'a', start: 0, end: 1 };
const functions: Record<string, (text: string) => unknown> = {
  'a document edited outside of a block': (text) => editIn('a ^b1', `a ^b1\n\n${text}`),
  'a document edited in a block': (text) => editIn('**A** a ^b1', `**A** ${text} ^b1`),
  'a document whose block id is far': (text) => editIn('a ^b1', `a ${text}b1`),
  readWords: (text) => readWords(text, null),
  sanitizeMarkdown,
  escapeInline,
  escapeLine,
  oneLine,
  titleOfFile,
  documentPaths,
  groundsOf: (text) => groundsOf(text, 'de'),
  replaceLabels: (text) => replaceLabels(text, ['SPEAKER_00'], () => 'Ada'),
  withKnownNames: (text) => withKnownNames(text, [{ label: 'SPEAKER_00', name: 'Ada' }]),
  foldedName,
  paragraphs: (text) => paragraphs([{ text, start: 0, end: 9, words: [] }] as never, null),
  unitsOf: (text) => unitsOf({ text, start: 0, end: 9, words: [] }),
  wordPatches: (text) => wordPatches(splitWords(text), splitWords(`${text} b`)),
  correctedPairs: (text) => correctedPairs({ text: 'a b' }, `a ${text}`),
  timedWords: (text) => timedWords(text, { words: [word], start: 0, end: 1 }),
  'a refusal that quotes': (text) =>
    sayTo('everyone', fieldFault('field-unknown', { keys: [text] }), 'de'),
  plainAnswer,
  plainLine,
  'plainLine of a quotation': (text) => plainLine(`"${text}`),
  jsonObjectIn,
  'jsonObjectIn of a text in it': (text) => jsonObjectIn(`{"a": "${text}`),
  linesIn,
  namesInAnswer,
  provenText: (text) => provenText({ text: 'a b', language: null } as never, text),
  punctuatedWords: (text) => punctuatedWords([word], text, null),
  jointText: (text) =>
    jointText(
      [
        { text, mark: null },
        { text, mark: null },
      ] as never,
      null,
    ),
  textSentences: (text) => textSentences(text, null),
  serverMessage,
  spokenWords: (text) => spokenWords(text, null),
  comparedWords: (text) => comparedWords(text, null),
  numbersIn,
  withDoubts: (text) => withDoubts([{ text, start: 0, end: 9, words: [] }]),
  beginningOf: (text) => beginningOf(text, 1000),
  estimatedTokens,
  inert,
  whyUnusable: (text) => whyUnusable(text, { text: 'a', language: null } as never),
  wordsOf,
  foldWord,
  requestedLanguage,
  repeats: (text) => repeats(splitWords(text)),
  'a transcript in plain text': (text) =>
    parseTranscript({ body: text, contentType: 'text/plain' }, 10, ''),
  'a transcript in VTT': (text) =>
    parseTranscript(
      { body: `WEBVTT\n\n00:00:01.000 --> 00:00:02.000\n${text}`, contentType: 'text/vtt' },
      10,
      '',
    ),
  'a transcript in JSON': (text) =>
    parseTranscript({ body: JSON.stringify({ text }), contentType: 'application/json' }, 10, ''),
  // Longer ones are refused where they come in.
  checkUsername: (text) => checkUsername(text.slice(0, 2_000)),
};

const units = [
  ...Array.from(' \n\t\r*[^<_"`({.a'),
  ...'\u00A0|**|[[|<a|\n |a |a: |a; |; a|. A|"a":|[a](|Log in. '.split('|'),
  // A long word of a script without blanks, and of letters that fall apart.
  '語',
  'a\u0301',
  // A run of marks that normalising puts in order.
  '\u0301\u0323',
  // Normalising makes a mark of the second.
  '\u0301\uFF9E',
];

function microsOf(work: () => unknown): number {
  return cpuMicros(() => {
    try {
      work();
    } catch {
      // Refusing it is an answer, too.
    }
  });
}

const longest = times({ short: 50_000, long: 100_000 });
/** Ten times the text takes ten times the work, a hundred times if it is looked at again from each place. */
const growthMax = 40;
/** What takes no time at all has no growth, in microseconds. */
const nothingMicros = 3_000;
/** A collection of garbage, or another process in the caches, makes a run longer, never shorter. */
const triesMax = 3;

/** The least of some runs; no more of them than it takes to be below the limit. */
function leastMicros(work: () => unknown, allowed: number): number {
  let least = Infinity;
  for (let tries = 0; tries < triesMax && least >= allowed; tries += 1)
    least = Math.min(least, microsOf(work));
  return least;
}

for (const [name, work] of Object.entries(functions)) {
  test(`${name}: the work grows as the text does`, () => {
    for (const unit of units) {
      const run = (length: number): string => unit.repeat(Math.ceil(length / unit.length));
      const allowed = (of: number): number => growthMax * Math.max(of, nothingMicros);
      let shorter = microsOf(() => work(run(longest / 100)));
      // What is worse than quadratic would take hours.
      for (const length of [longest / 10, longest]) {
        const text = run(length);
        const longer = leastMicros(() => work(text), allowed(shorter));
        const what = `${JSON.stringify(unit)}, ${length}: ${shorter} µs, then ${longer} µs`;
        assert.ok(longer < allowed(shorter), what);
        shorter = longer;
      }
    }
  });
}

test('long texts are cut into segments as `Intl` cuts them', () => {
  const text = 'Gut, das war’s. Und 你好世界 e\u0301😀👩‍👩‍👧! Dr. Adams came at 10.30. '.repeat(120);
  for (const granularity of ['word', 'sentence', 'grapheme'] as const) {
    const segmenter = new Intl.Segmenter('de', { granularity });
    for (const one of [text, text.slice(7, 2_100), 'a'.repeat(9_000), '']) {
      const whole = Array.from(segmenter.segment(one), ({ segment, index }) => [segment, index]);
      const found = Array.from(textSegments(segmenter, one), ({ segment, index }) => [
        segment,
        index,
      ]);
      assert.deepEqual(found, whole);
    }
  }
});
