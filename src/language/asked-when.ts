/*
 * When the talk was that a question is about: “last week”, “vor drei Tagen”, “the latest meeting”. Only what is over: “today”
 * and “this week” are mostly asked of what is to be done then, which was said earlier.
 */

export type AskedWhen = {
  /** RFC 3339; what began then or later, then or earlier. */
  from?: string;
  to?: string;
  /** So many of all notes, the latest. */
  newest?: number;
  /** Of what is found, so many, the latest. */
  newestFound?: number;
};

const latestMax = 3;
const dayOfWeek = (day: Date): number => (day.getDay() + 6) % 7;

const namesIn = (text: string): string[][] => text.split(' ').map((names) => names.split('|'));
const counts = namesIn(
  'one|einem|einer two|zwei three|drei four|vier five|fünf six|sechs seven|sieben eight|acht nine|neun ten|zehn',
);
const weekdays = namesIn(
  'monday|montag tuesday|dienstag wednesday|mittwoch thursday|donnerstag friday|freitag saturday|samstag|sonnabend sunday|sonntag',
);
const placeOf = (names: readonly string[][], name: string): number =>
  names.findIndex((one) => one.includes(name));

const count = `(?<count>\\d{1,3}|${counts.flat().join('|')})`;
const weekday = `(?<weekday>${weekdays.flat().join('|')})`;
const last = '(?:last|past|previous|letzte[nrsm]?|vorige[nrsm]?|vergangene[nrsm]?)';
const latest = '(?:latest|newest|most recent|neueste[nrsm]?|jüngste[nrsm]?)';
const note =
  '(?:meeting|call|conversation|talk|note|recording|session|besprechung|sitzung|gespräch|telefonat|notiz|aufnahme|termin)';
const notes =
  '(?:meetings|calls|conversations|talks|notes|recordings|sessions|besprechungen|sitzungen|gespräche|telefonate|notizen|aufnahmen|termine)';

type Found = { count: number; weekday: number };
/** Years, months and days from today; undefined: without end. */
type Span = readonly [from: Shift, to?: Shift];
type Shift = { months?: number; days?: number; of?: 'month' | 'year' };
type Reading = readonly [pattern: string, when: (found: Found, today: Date) => Span | AskedWhen];

/** What is part of something longer stands behind it. */
const readings: readonly Reading[] = [
  ['day before yesterday|vorgestern', () => dayAgo(2)],
  ['yesterday|gestern', () => dayAgo(1)],
  [
    `${last} (?:week|woche)`,
    (_, today) => [{ days: -dayOfWeek(today) - 7 }, { days: -dayOfWeek(today) }],
  ],
  [`${last} (?:month|monats?)`, () => [{ months: -1, of: 'month' }, { of: 'month' }]],
  [`${last} (?:year|jahre?s?)`, () => [{ months: -12, of: 'year' }, { of: 'year' }]],
  [`${last} ${count} (?:days|tagen?)`, (found) => [{ days: -found.count }]],
  [`${last} ${count} (?:weeks|wochen)`, (found) => [{ days: -7 * found.count }]],
  [`${last} ${count} (?:months|monaten?)`, (found) => [{ months: -found.count }]],
  [`(?:${count} days? ago)`, (found) => dayAgo(found.count)],
  [`(?:vor ${count} tag(?:en)?)`, (found) => dayAgo(found.count)],
  [`${last} ${weekday}`, (found, today) => dayAgo((dayOfWeek(today) - found.weekday + 7) % 7 || 7)],
  [`(?:${latest}|${last}) ${note}`, () => ({ newest: 1 })],
  [`(?:${latest}|${last}) ${notes}`, () => ({ newest: latestMax })],
  [`${latest}|zuletzt`, () => ({ newestFound: latestMax })],
];

const dayAgo = (days: number): Span => [{ days: -days }, { days: 1 - days }];

const expressions = readings.map(
  ([pattern, when]) =>
    [new RegExp(`(?<![\\p{L}\\p{N}])(?:${pattern})(?![\\p{L}\\p{N}])`, 'iu'), when] as const,
);

/** When what a question asks for was said, by the server's clock, and the question without the words that say so. */
export function askedWhen(question: string, now: Date): { when: AskedWhen; rest: string } {
  const text = question.normalize('NFC').split(/\s+/u).join(' ');
  for (const [expression, when] of expressions) {
    const found = expression.exec(text);
    if (!found) continue;
    const rest = text.slice(0, found.index) + text.slice(found.index + found[0].length);
    const said = when(numbersOf(found.groups ?? {}), now);
    return { when: isSpan(said) ? between(said, now) : said, rest };
  }
  return { when: {}, rest: question };
}

const isSpan = (said: Span | AskedWhen): said is Span => Array.isArray(said);

function numbersOf(groups: Record<string, string | undefined>): Found {
  const said = groups['count']?.toLowerCase() ?? '';
  const number = /^\d/u.test(said) ? Number(said) : placeOf(counts, said) + 1;
  return { count: number, weekday: placeOf(weekdays, groups['weekday']?.toLowerCase() ?? '') };
}

function between([from, to]: Span, now: Date): AskedWhen {
  const start = { from: dayAt(from, now).toISOString() };
  return to ? { ...start, to: new Date(dayAt(to, now).getTime() - 1).toISOString() } : start;
}

/** Where a day begins, by the server's clock. */
function dayAt({ months = 0, days = 0, of }: Shift, now: Date): Date {
  const month = of === 'year' ? 0 : now.getMonth();
  return new Date(now.getFullYear(), month + months, of ? 1 : now.getDate() + days);
}
