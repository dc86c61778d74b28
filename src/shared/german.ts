/**
 * Sentences of the service in German. They are made in English, where what they say is known, and are kept so;
 * who reads German is answered by tables of phrases: English to German, `{name}` in both for what varies.
 */
export type Phrases = Readonly<Record<string, string>>;

/** In German, or undefined where the tables do not have all of it. */
export type ToGerman = (english: string) => string | undefined;

/**
 * What a text is by these tables: a phrase, or sentences that each are one. What stands for a name is looked up
 * as well, and stays as it is when it is no phrase (an address, what a server said).
 */
export function germanBy(...tables: readonly Phrases[]): ToGerman {
  // Made when they are first wanted: most services never meet a reader of German.
  let table: Table | undefined;
  return (english) => {
    table ??= tableOf(Object.assign({}, ...tables) as Phrases);
    return textBy(table, english);
  };
}

type Varying = { pattern: RegExp; german: string };
type Table = { fixed: ReadonlyMap<string, string>; varying: readonly Varying[] };

function tableOf(phrases: Phrases): Table {
  const entries = Object.entries(phrases);
  return {
    fixed: new Map(entries.filter(([english]) => !name.test(english))),
    varying: entries
      .filter(([english]) => name.test(english))
      // The one that says most of a sentence itself comes first.
      .toSorted(([a], [b]) => own(b) - own(a))
      .map(([english, german]) => ({ pattern: patternOf(english), german })),
  };
}

const name = /\{\w+\}/;
const names = /\{(\w+)\}/g;
const own = (english: string): number => english.replaceAll(names, '').length;

function patternOf(english: string): RegExp {
  const literal = english.replaceAll(/[.*+?^$()|[\]\\/]/g, String.raw`\$&`);
  const seen = new Set<string>();
  const pattern = literal.replaceAll(names, (_, part: string) => {
    const group = seen.has(part) ? String.raw`\k<${part}>` : `(?<${part}>.+?)`;
    seen.add(part);
    return group;
  });
  return new RegExp(`^${pattern}$`, 'su');
}

/** Where a sentence ends and another begins. */
const between = /(?<=[.?!:”]) (?=[\p{Lu}“])/u;
/** Sentences of a text that are looked at one by one. */
const sentencesMax = 8;

function textBy(table: Table, english: string): string | undefined {
  const whole = phraseBy(table, english, { acrossSentences: false });
  if (whole !== undefined) return whole;
  const sentences = english.split(between);
  for (let count = 1; count < Math.min(sentences.length, sentencesMax); count += 1) {
    const head = phraseBy(table, sentences.slice(0, count).join(' '), { acrossSentences: false });
    const rest = head && textBy(table, sentences.slice(count).join(' '));
    if (rest !== undefined) return `${head} ${rest}`;
  }
  return phraseBy(table, english, { acrossSentences: true });
}

function phraseBy(
  table: Table,
  english: string,
  { acrossSentences }: { acrossSentences: boolean },
): string | undefined {
  if (figure.test(english)) return english.replace('.', ',');
  const fixed = table.fixed.get(english);
  if (fixed !== undefined) return fixed;
  for (const { pattern, german } of table.varying) {
    const parts = pattern.exec(english)?.groups;
    if (!parts) continue;
    if (!acrossSentences && Object.values(parts).some((part) => between.test(part))) continue;
    return german.replaceAll(names, (_, part: string) => {
      return partBy(table, parts[part]!);
    });
  }
  return undefined;
}

/** What varies: a phrase itself, several of them, one behind a name and a colon, or as it is. */
function partBy(table: Table, english: string): string {
  const whole = textBy(table, english);
  if (whole !== undefined) return whole;
  if (english.includes('; ')) {
    const parts = english.split('; ').map((part) => partBy(table, part));
    return parts.join('; ');
  }
  const [, before, after] = /^(.+?: )(.+)$/su.exec(english) ?? [];
  return after === undefined ? english : before + partBy(table, after);
}

/** A number, with a unit or without. */
const figure = /^\d+(?:\.\d+)?(?: \p{L}{1,3})?$/u;
