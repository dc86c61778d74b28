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
    if (english.length > charactersMax) return undefined;
    return textBy({ table, left: lookupsMax }, english);
  };
}

/** A phrase between whose fixed pieces something varies: `pieces[0] {names[0]} pieces[1] …`. */
type Varying = { pieces: readonly string[]; names: readonly string[]; german: string };
type Table = { fixed: ReadonlyMap<string, string>; varying: readonly Varying[] };
/** A text that is being looked up, and how many lookups it may still take. */
type Lookup = { table: Table; left: number };

/** Longer texts stay English, as no sentence of the service is as long. */
const charactersMax = 4_000;
/** Of one text: its parts are phrases as well, and what a request brought may look like thousands of them. */
const lookupsMax = 300;

function tableOf(phrases: Phrases): Table {
  const entries = Object.entries(phrases);
  return {
    fixed: new Map(entries.filter(([english]) => !name.test(english))),
    varying: entries
      .filter(([english]) => name.test(english))
      // The one that says most of a sentence itself comes first.
      .toSorted(([a], [b]) => own(b) - own(a))
      .map(([english, german]) => {
        const parts = english.split(names);
        const odd = (_: string, at: number) => at % 2 === 1;
        return { pieces: parts.filter((_, at) => at % 2 === 0), names: parts.filter(odd), german };
      }),
  };
}

const name = /\{\w+\}/;
const names = /\{(\w+)\}/g;
const own = (english: string): number => english.replaceAll(names, '').length;

/**
 * What varies in a text that is the phrase, by name; undefined: it is another. One pass: each fixed piece is taken where it
 * comes first, which leaves most room for those that follow.
 */
function partsOf(
  { pieces, names: wanted }: Varying,
  text: string,
): Map<string, string> | undefined {
  const last = pieces.at(-1)!;
  if (!text.startsWith(pieces[0]!) || !text.endsWith(last)) return undefined;
  const end = text.length - last.length;
  const parts = new Map<string, string>();
  let from = pieces[0]!.length;
  for (const [at, part] of wanted.entries()) {
    const piece = pieces[at + 1]!;
    // Nothing varies to nothing.
    const to = at === wanted.length - 1 ? end : text.indexOf(piece, from + 1);
    if (to <= from || to > end) return undefined;
    const found = text.slice(from, to);
    if ((parts.get(part) ?? found) !== found) return undefined;
    parts.set(part, found);
    from = to + piece.length;
  }
  return parts;
}

/** Where a sentence ends and another begins. */
const between = /(?<=[.?!:”]) (?=[\p{Lu}“])/u;
/** Sentences of a text that are looked at one by one. */
const sentencesMax = 8;

function textBy(lookup: Lookup, english: string): string | undefined {
  const whole = phraseBy(lookup, english, { acrossSentences: false });
  if (whole !== undefined) return whole;
  const sentences = english.split(between);
  for (let count = 1; count < Math.min(sentences.length, sentencesMax); count += 1) {
    const head = phraseBy(lookup, sentences.slice(0, count).join(' '), { acrossSentences: false });
    const rest = head && textBy(lookup, sentences.slice(count).join(' '));
    if (rest !== undefined) return `${head} ${rest}`;
  }
  return phraseBy(lookup, english, { acrossSentences: true });
}

function phraseBy(
  lookup: Lookup,
  english: string,
  { acrossSentences }: { acrossSentences: boolean },
): string | undefined {
  if (figure.test(english)) return english.replace('.', ',');
  const { fixed, varying } = lookup.table;
  const whole = fixed.get(english);
  if (whole !== undefined) return whole;
  if (lookup.left <= 0) return undefined;
  lookup.left -= 1;
  for (const phrase of varying) {
    const parts = partsOf(phrase, english);
    if (!parts) continue;
    if (!acrossSentences && [...parts.values()].some((part) => between.test(part))) continue;
    return phrase.german.replaceAll(names, (_, part: string) => {
      return partBy(lookup, parts.get(part)!);
    });
  }
  return undefined;
}

/** What varies: a phrase itself, several of them, one behind a name and a colon, or as it is. */
function partBy(lookup: Lookup, english: string): string {
  const whole = textBy(lookup, english);
  if (whole !== undefined || lookup.left <= 0) return whole ?? english;
  if (english.includes('; ')) {
    const parts = english.split('; ').map((part) => partBy(lookup, part));
    return parts.join('; ');
  }
  const colon = english.indexOf(': ', 1) + 2;
  if (colon < 2 || colon === english.length) return english;
  return english.slice(0, colon) + partBy(lookup, english.slice(colon));
}

/** A number, with a unit or without. */
const figure = /^\d+(?:\.\d+)?(?: \p{L}{1,3})?$/u;
