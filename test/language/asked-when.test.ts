import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askedWhen } from '../../src/language/asked-when.ts';

// A Saturday.
const now = new Date(2026, 10, 28, 11, 30);
const at = (month: number, day: number, year = 2026) => new Date(year, month - 1, day).getTime();

test('words that say when something was said narrow a question by date, in English and German', () => {
  const spans: [string, number, number?][] = [
    ['What was decided yesterday?', at(11, 27), at(11, 28)],
    ['Was wurde vorgestern beschlossen?', at(11, 26), at(11, 27)],
    ['What did Anna say the day before yesterday?', at(11, 26), at(11, 27)],
    ['What did we agree on last  week?', at(11, 16), at(11, 23)],
    ['Was war letzte Woche mit dem Teppich?', at(11, 16), at(11, 23)],
    ['Was wurde im letzten Monat bestellt?', at(10, 1), at(11, 1)],
    ['Who left last year?', at(1, 1, 2025), at(1, 1)],
    ['Who rang last Friday?', at(11, 27), at(11, 28)],
    ['Wer hat letzten Samstag angerufen?', at(11, 21), at(11, 22)],
    ['Who rang 3 days ago?', at(11, 25), at(11, 26)],
    ['Wer hat vor drei Tagen angerufen?', at(11, 25), at(11, 26)],
    ['What changed in the last two weeks?', at(11, 14)],
    ['Was hat sich in den letzten 3 Monaten geändert?', at(8, 28)],
  ];
  for (const [question, from, to] of spans) {
    const { when, rest } = askedWhen(question, now);
    assert.equal(Date.parse(when.from ?? ''), from, question);
    assert.equal(when.to === undefined ? undefined : Date.parse(when.to) + 1, to, question);
    assert.doesNotMatch(rest, /week|woche|monat|friday|samstag|tagen|days/iu);
  }
});

test('the latest notes are meant where a note is named, else the latest of what is found', () => {
  const of = (question: string) => askedWhen(question, now).when;
  assert.deepEqual(of('What was decided in the latest meeting?'), { newest: 1 });
  assert.deepEqual(of('Was kam in den letzten Besprechungen heraus?'), { newest: 3 });
  assert.deepEqual(of('What is the latest on the carpet?'), { newestFound: 3 });
  assert.deepEqual(of('Was haben wir zuletzt zum Teppich gesagt?'), { newestFound: 3 });
});

test('what says nothing of the past narrows nothing', () => {
  for (const question of [
    'What has to be done this week?',
    'Who lasts longest?',
    'Wer war am letzten dran?',
    'How much does the last shelf cost?',
    'Weekly costs?',
  ]) {
    assert.deepEqual(askedWhen(question, now), { when: {}, rest: question });
  }
});
