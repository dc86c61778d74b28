/*
 * The day that somebody means by “by Friday”, “bis zum 3. März”, “tomorrow”: only where one day can be meant, in
 * English and German. Days are written `2026-03-03` and counted in UTC, where each has 24 hours.
 */

const dayMs = 86_400_000;

/** A date without a year that lies further ahead than this may be one that is over. */
const aheadMax = 300;

/** Whoever says “end of the month” on one of its last days may mean the next one. */
const monthEndMax = 25;

const months =
  'january|januar|jan february|februar|feb march|märz|mär|mrz|mar april|apr may|mai june|juni|jun july|juli|jul august|aug september|sept|sep october|oktober|oct|okt november|nov december|dezember|dec|dez'
    .split(' ')
    .map((names) => names.split('|'));
const weekdays =
  'monday|montag|mon tuesday|dienstag|tue wednesday|mittwoch|wed thursday|donnerstag|thu friday|freitag|fri saturday|samstag|sonnabend|sat sunday|sonntag|sun'
    .split(' ')
    .map((names) => names.split('|'));
const ordinals = [
  'first|erste second|zweite third|dritte fourth|vierte fifth|fünfte sixth|sechste seventh|siebte|siebente eighth|achte ninth|neunte tenth|zehnte',
  'eleventh|elfte twelfth|zwölfte thirteenth|dreizehnte fourteenth|vierzehnte fifteenth|fünfzehnte sixteenth|sechzehnte seventeenth|siebzehnte eighteenth|achtzehnte nineteenth|neunzehnte twentieth|zwanzigste',
  'twenty-first|einundzwanzigste twenty-second|zweiundzwanzigste twenty-third|dreiundzwanzigste twenty-fourth|vierundzwanzigste twenty-fifth|fünfundzwanzigste twenty-sixth|sechsundzwanzigste twenty-seventh|siebenundzwanzigste twenty-eighth|achtundzwanzigste twenty-ninth|neunundzwanzigste thirtieth|dreißigste',
  'thirty-first|einunddreißigste',
]
  .join(' ')
  .split(' ')
  .map((names) => names.split('|'));
const counts = 'one|einem two|zwei three|drei four|vier five|fünf six|sechs seven|sieben'
  .split(' ')
  .map((names) => names.split('|'));

const anyOf = (lists: readonly (readonly string[])[]): string => lists.flat().join('|');
const month = `(?<month>${anyOf(months)})\\.?`;
const weekday = `(?<weekday>${anyOf(weekdays)})`;
const day = `(?:(?<day>\\d{1,2})(?:st|nd|rd|th|\\.)?|(?<ordinal>${anyOf(ordinals)})[nrs]?)`;
const year = `(?:,? (?<year>20\\d\\d))?`;

/** What stands before a last day. “Before Friday” is another day. */
const before =
  '(?:(?:no later than|at the latest by|latest|until|till|due|by|on|spätestens|bis|am|zum|the|den|dem|der|die) )*';
const time =
  "(?:,? ?(?:(?:at|um|by|bis|gegen) )?\\d{1,2}(?:[:.]\\d\\d)? ?(?:am|pm|a\\.m\\.|p\\.m\\.|uhr|o’clock|o'clock)|,? (?:in the |am )?(?:morning|noon|afternoon|evening|night|vormittag|mittag|nachmittag|abend|früh))?";
const latest = '(?: (?:at the latest|latest|spätestens))?';

/** A reading of a text as a date: its pattern, and the day it means; null where that is in doubt. */
type Reading = readonly [RegExp, (found: Record<string, string>, from: number) => number | null];

const reading = (pattern: string, dayOf: Reading[1]): Reading => [
  new RegExp(`^${before}${pattern}${time}${latest}$`, 'iu'),
  dayOf,
];

const readings: readonly Reading[] = [
  reading('(?<year>20\\d\\d)-(?<mm>\\d\\d)-(?<dd>\\d\\d)', ({ year, mm, dd }) =>
    dateOf(Number(year), Number(mm) - 1, Number(dd)),
  ),
  reading(
    '(?<dd>\\d{1,2})\\. ?(?<mm>\\d{1,2})\\.(?: ?(?<year>20\\d\\d))?',
    ({ dd, mm, year }, from) => inYear({ year, month: Number(mm) - 1, day: Number(dd) }, from),
  ),
  reading(`(?:${weekday},? (?:the |der |den |dem )?)?${day} (?:of )?${month}${year}`, dated),
  reading(`(?:${weekday},? )?${month} (?:the )?${day}${year}`, dated),
  reading(`(?:(?:(?<same>this|diesen)|kommenden|coming) )?${weekday}`, (found, from) => {
    const ahead = daysTo(found['weekday'] ?? '', from);
    const isOver = found['same'] !== undefined && weekdayOf(from) + ahead > 6;
    return ahead === 0 || isOver ? null : from + ahead;
  }),
  reading(
    `(?:${weekday} (?:next week|nächster woche|nächste woche|kommender woche)|next week ${weekday.replace('weekday', 'other')})`,
    ({ weekday: one, other }, from) => {
      const [today, wanted] = [weekdayOf(from), indexIn(weekdays, one ?? other ?? '')];
      // On a Sunday the week may be over, or just begin.
      return today === 6 ? null : from + 7 - today + wanted;
    },
  ),
  reading('(?:today|tonight|heute|end of (?:the )?day)', (_, from) => from),
  reading('(?:tomorrow|morgen)', (_, from) => from + 1),
  reading('(?:the )?day after tomorrow', (_, from) => from + 2),
  reading('übermorgen', (_, from) => from + 2),
  reading(
    `(?:with)?in (?:(?<number>\\d{1,2})|(?<count>${anyOf(counts)})) (?:days?|tage?n?)`,
    ({ number, count }, from) => from + (count ? indexIn(counts, count) + 1 : Number(number)),
  ),
  reading(
    '(?:(?:the )?end of (?:the|this) month|month’s end|ende (?:des|dieses) monats|monatsende|ende des laufenden monats)',
    (_, from) => {
      const date = new Date(from * dayMs);
      const last = lastOf(date.getUTCFullYear(), date.getUTCMonth());
      return date.getUTCDate() > monthEndMax ? null : last;
    },
  ),
  reading(`(?:the )?(?:end of|ende) ${month}${year}`, ({ month, year }, from) => {
    const at = indexIn(months, month ?? '');
    const now = new Date(from * dayMs).getUTCFullYear();
    const last = lastOf(year ? Number(year) : now, at);
    return year || last >= from ? last : near(lastOf(now + 1, at), from);
  }),
];

/**
 * The day that a due date means, as `2026-03-03`; null where none or more than one can be meant.
 * @param due as it was said: “by Friday”, “bis zum 3. März”
 * @param recorded the day it was said on, or a time that begins with it
 */
export function dueDate(due: string, recorded: string): string | null {
  const start = /^(\d{4})-(\d\d)-(\d\d)/u.exec(recorded);
  if (!start) return null;
  const from = dateOf(Number(start[1]), Number(start[2]) - 1, Number(start[3]));
  if (from === null) return null;
  const said = due
    .normalize('NFC')
    .replaceAll(/\s+/gu, ' ')
    .trim()
    .replace(/^\((.*)\)$/u, '$1')
    .replace(/(?<!\d)[.!]$/u, '');
  // “Am Morgen” is a time of the day.
  if (/\b(?:am|der|den) morgen\b/iu.test(said)) return null;
  for (const [pattern, dayOf] of readings) {
    const found = pattern.exec(said);
    const meant = found && dayOf({ ...found.groups }, from);
    if (meant !== null) return new Date(meant * dayMs).toISOString().slice(0, 10);
  }
  return null;
}

function dated(found: Record<string, string>, from: number): number | null {
  const { day, ordinal, month, weekday, year } = found;
  const number = ordinal ? indexIn(ordinals, ordinal) + 1 : Number(day);
  const meant = inYear({ year, month: indexIn(months, month ?? ''), day: number }, from);
  // A date on another day of the week than was said: one of both is wrong.
  const isOther = meant !== null && weekday && weekdayOf(meant) !== indexIn(weekdays, weekday);
  return isOther ? null : meant;
}

/** The day of a date; without a year, the next one. */
function inYear(
  { year, month, day }: { year: string | undefined; month: number; day: number },
  from: number,
): number | null {
  if (year) return dateOf(Number(year), month, day);
  const now = new Date(from * dayMs).getUTCFullYear();
  const meant = dateOf(now, month, day);
  return meant !== null && meant >= from ? meant : near(dateOf(now + 1, month, day), from);
}

const near = (meant: number | null, from: number): number | null =>
  meant === null || meant - from > aheadMax ? null : meant;

/** Days since 1970; null for a day that does not exist. */
function dateOf(year: number, month: number, day: number): number | null {
  const date = new Date(Date.UTC(year, month, day));
  return date.getUTCMonth() === month && date.getUTCDate() === day ? date.getTime() / dayMs : null;
}

const lastOf = (year: number, month: number): number => Date.UTC(year, month + 1, 0) / dayMs;

/** Monday is 0; the first day of 1970 was a Thursday. */
const weekdayOf = (date: number): number => (((date + 3) % 7) + 7) % 7;

const daysTo = (name: string, from: number): number =>
  (indexIn(weekdays, name) - weekdayOf(from) + 7) % 7;

const indexIn = (lists: readonly (readonly string[])[], name: string): number =>
  lists.findIndex((names) => names.includes(name.toLowerCase()));
