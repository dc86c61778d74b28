/** Marks that end a sentence, and what may close behind them. */
const endMark = /[.!?…。！？]["'”’»)\]]*$/u;

/**
 * Whether a sentence ends where a text ends and another goes on: behind a mark, unless it is the dot of an abbreviation,
 * an initial or an ordinal. The rules are those of CLDR's `ss=standard`, which V8 does not offer.
 * @param next what follows; empty where nothing does
 * @param language BCP 47 tag; null: German and English
 */
export function endsSentence(text: string, next: string, language: string | null = null): boolean {
  const end = text.slice(-tailCharacters).trimEnd();
  return endMark.test(end) && !isDotOfWord(end, next, language);
}

/** Whether a text has any punctuation: a comma, a mark that ends a sentence, or what other scripts have for them. */
export const hasMarks = (text: string): boolean =>
  /(?!\p{ASCII})\p{Terminal_Punctuation}|[.,;:?!…](?![\p{L}\p{N}])/u.test(text);

/** Whether the dot at the end of a text belongs to its last word, and the sentence goes on: `Dr.`, `z. B.`, `am 3.`. */
export function isDotOfWord(text: string, next: string, language: string | null): boolean {
  const end = text.slice(-tailCharacters).trimEnd();
  const following = /[\p{L}\p{N}]+/u.exec(next)?.[0];
  if (!end.endsWith('.') || following === undefined) return false;
  const [last = '', before = ''] = end.split(/\s+/u).toReversed();
  const word = last.slice(0, -1).replace(/^[^\p{L}\p{N}]+/u, '');
  const bare = word.toLowerCase();
  const code = language?.split('-')[0]?.toLowerCase() ?? null;
  if (/^\p{L}$/u.test(word)) return true;
  if (abbreviationsIn(code).has(bare)) return true;
  if (beforeNumbers.has(bare)) return /^\p{N}/u.test(following);
  // `p.m.` and `U.S.` end a sentence as often as not.
  if (/^\p{L}(?:\.\p{L})+$/u.test(word))
    return inner.has(bare) || /^[\p{Ll}\p{N}]/u.test(following);
  return /^\p{N}{1,4}$/u.test(word) && isOrdinal(before, following, code);
}

/** No word that matters is longer, with the one before it. */
const tailCharacters = 80;

/** Words that are never at the end of a sentence, without their dot: titles, forms of address, what stands before a name or a number. */
const abbreviations: Readonly<Record<string, string>> = {
  de: 'dr prof hr fr frl nr bzw ca evtl ggf inkl exkl vgl bspw sog max tel st stv geb dipl ing abs bd mio mrd tsd zzgl gem lt insb allg',
  en: 'mr mrs ms messrs dr prof st rev hon gov gen col capt lt sgt mt vs approx',
  fr: 'mm mme mmes mlle mlles dr prof me st ste av bd env',
  es: 'sr sra srta sres dr dra ud uds ing lic prof gral núm avda',
  it: 'sig sigg sigra dr dott prof avv ing arch geom rag',
  pt: 'sr sra srs dr dra eng prof exmo',
  nl: 'dhr mevr mw dr prof ir drs mr ing bijv ca',
};

/** Dotted ones that are never at the end either. */
const inner = new Set('z.b d.h u.a o.ä i.d.r i.d.rn e.g i.e m.e d.w.z'.split(' '));

/** Before a number alone: `No. 5`, but `No. We stay.` */
const beforeNumbers = new Set('no vol pp ch sec fig eq art par str kap s p n abb tab'.split(' '));

/** In these languages a number with a dot is an ordinal. */
const ordinalLanguages = new Set('de da nb nn no fi cs sk pl hu et hr sl sr lv is tr'.split(' '));

/** What stands before a German ordinal: `am 5. Treffen`, but `Raum Nr. 5. Anna kommt`. */
const beforeOrdinals =
  /^(?:der|die|das|den|dem|des|am|im|vom|zum|zur|beim|ins|ans|ein\p{L}*|jede\p{L}?|diese\p{L}?|sein\p{L}*|ihr\p{L}*|unser\p{L}*|mein\p{L}*)$/iu;

function isOrdinal(before: string, following: string, code: string | null): boolean {
  if (code !== null && !ordinalLanguages.has(code)) return false;
  if (monthsIn(code ?? 'de').has(following.toLowerCase())) return true;
  const isGerman = code === null || code === 'de';
  return isGerman && beforeOrdinals.test(before) && /^\p{Lu}/u.test(following);
}

const listed = new Map<string, ReadonlySet<string>>();
function abbreviationsIn(code: string | null): ReadonlySet<string> {
  const key = code !== null && Object.hasOwn(abbreviations, code) ? code : '';
  const known = listed.get(key);
  if (known) return known;
  const words =
    key === '' ? `${abbreviations['de']} ${abbreviations['en']}` : (abbreviations[key] ?? '');
  const made = new Set(words.split(' '));
  listed.set(key, made);
  return made;
}

/** The names of months in a language as they stand in a date, in lower case. */
const months = new Map<string, ReadonlySet<string>>();
function monthsIn(code: string): ReadonlySet<string> {
  const known = months.get(code);
  if (known) return known;
  const names = (['long', 'short'] as const).flatMap((month) => {
    const format = new Intl.DateTimeFormat(code, { day: 'numeric', month, timeZone: 'UTC' });
    return Array.from({ length: 12 }, (_, index) =>
      format.formatToParts(Date.UTC(2026, index, 3)).find(({ type }) => type === 'month'),
    );
  });
  const made = new Set(
    names.flatMap((part) => (part ? [part.value.replace('.', '').toLowerCase()] : [])),
  );
  months.set(code, made);
  return made;
}
