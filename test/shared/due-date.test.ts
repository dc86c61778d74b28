import assert from 'node:assert/strict';
import test from 'node:test';
import { dueDate } from '../../src/shared/due-date.ts';

/** A Wednesday. */
const wednesday = '2026-02-18T14:00:00+01:00';

const meant = (recorded: string, dates: Readonly<Record<string, string | null>>) => {
  for (const [said, date] of Object.entries(dates))
    assert.equal(dueDate(said, recorded), date, said);
};

test('dates with a month are the next ones, in both languages and in words', () => {
  meant(wednesday, {
    'bis zum 3. März': '2026-03-03',
    'by March 3': '2026-03-03',
    'by the 3rd of March': '2026-03-03',
    '3 March 2027': '2027-03-03',
    'until March 3rd, 2027': '2027-03-03',
    'fünfzehnten märz': '2026-03-15',
    'the fifteenth of March': '2026-03-15',
    'Freitag, den 6. März': '2026-03-06',
    'Friday, March 6': '2026-03-06',
    '15.4.': '2026-04-15',
    'bis zum 15.04.2026': '2026-04-15',
    '2026-03-03': '2026-03-03',
    'bis Ende März': '2026-03-31',
    'end of February': '2026-02-28',
    '1. November': '2026-11-01',
    '3. Januar': null,
    'Monday, March 6': null,
    '31. Februar': null,
    '3/4': null,
    '10.12': null,
    März: null,
  });
  assert.equal(dueDate('3. Januar', '2026-11-21'), '2027-01-03');
});

test('a day of the week is the next one; where two can be meant there is no date', () => {
  meant(wednesday, {
    'by Friday': '2026-02-20',
    'bis Freitag': '2026-02-20',
    'am Montag': '2026-02-23',
    'this Friday': '2026-02-20',
    'kommenden Freitag': '2026-02-20',
    'until Friday at 5 pm': '2026-02-20',
    'Freitag Nachmittag': '2026-02-20',
    'spätestens am Freitag': '2026-02-20',
    'by Friday at the latest': '2026-02-20',
    'Friday next week': '2026-02-27',
    'Freitag nächster Woche': '2026-02-27',
    'next Friday': null,
    'nächsten Freitag': null,
    'by Wednesday': null,
    'bis Mittwoch': null,
    'this Monday': null,
    'before Friday': null,
    'vor Freitag': null,
    'ab Freitag': null,
    'Friday or Monday': null,
    'end of the week': null,
    'Ende der Woche': null,
    'nächste Woche': null,
  });
});

test('tomorrow and the end of the month, unless it is about to begin', () => {
  meant(wednesday, {
    today: '2026-02-18',
    heute: '2026-02-18',
    'by the end of the day': '2026-02-18',
    tomorrow: '2026-02-19',
    'bis morgen': '2026-02-19',
    'morgen früh': '2026-02-19',
    'morgen um 17 Uhr': '2026-02-19',
    übermorgen: '2026-02-20',
    'the day after tomorrow': '2026-02-20',
    'in 3 days': '2026-02-21',
    'in drei Tagen': '2026-02-21',
    'end of the month': '2026-02-28',
    'bis Ende des Monats': '2026-02-28',
    'am Morgen': null,
    'morgen oder Freitag': null,
    soon: null,
    'in zwei Wochen': null,
    '': null,
  });
  assert.equal(dueDate('tomorrow', '2026-12-31T23:00:00-05:00'), '2027-01-01');
  assert.equal(dueDate('end of the month', '2026-02-26'), null);
  assert.equal(dueDate('Friday', 'not a day'), null);
});
