/*
 * Which language and script a text is in, as far as it takes to tell that a model answered in another
 * one than it was asked for.
 */

/** Words of which one language has many and the others here have few, in lower case. */
const telling = new Map(
  Object.entries({
    de: 'der die das und ist nicht ein eine zu mit für auf von wird sich dass auch im den es um sie wir',
    en: 'the and is not of to with for that they are was this have by from on it as be',
    fr: 'le la les des est pas une dans pour qui sur avec sont nous ils cette du et au ont',
    es: 'el los las una por con para del se más pero está son y en que lo su muy',
    it: 'il gli che di è non una per con sono della nel anche questo alla si del i ha le',
    pt: 'os não uma por com para que do da em são mais ao dos na no é foi',
    nl: 'de het een en van niet dat op voor met zijn wordt ook aan er is te in hebben bij',
    sv: 'och att det som är inte för med den till har av på ett kan vi ska om',
    da: 'og at det er ikke for med til har af på et den som kan vi om blev',
    pl: 'nie się na że do jest to jak ale przez dla jego oraz był są czy w z i',
  }).map(([code, words]) => [code, new Set(words.split(' '))]),
);
/** Codes of languages that read alike. */
const alike: Readonly<Record<string, string>> = { nb: 'da', nn: 'da', no: 'da' };

/** Scripts by their letters; Japanese is recognised by its kana. */
const scripts = Object.entries({
  latin: /\p{Script=Latin}/gu,
  cyrillic: /\p{Script=Cyrillic}/gu,
  greek: /\p{Script=Greek}/gu,
  arabic: /\p{Script=Arabic}/gu,
  hebrew: /\p{Script=Hebrew}/gu,
  devanagari: /\p{Script=Devanagari}/gu,
  thai: /\p{Script=Thai}/gu,
  hangul: /\p{Script=Hangul}/gu,
  georgian: /\p{Script=Georgian}/gu,
  armenian: /\p{Script=Armenian}/gu,
});
const kana = /[\p{Script=Hiragana}\p{Script=Katakana}]/gu;
const han = /\p{Script=Han}/gu;

/** Fewer letters tell no script: a title may be a name. */
const lettersMin = 12;
const charactersMax = 20_000;
/** One word that two languages share may stand there often. */
const kindsMin = 3;

/**
 * Whether a text is clearly in another language or script than was asked for.
 * @param asked.language ISO 639-1 code; null for the language of the source
 */
export function isForeign(
  text: string,
  asked: { language: string | null; source: string },
): boolean {
  const source = asked.source.slice(0, charactersMax);
  const script = scriptOf(text);
  const expectedScript = scriptOf(source);
  if (script !== null && expectedScript !== null && script !== expectedScript) return true;
  const expected = codeOf(asked.language) ?? languageOf(source);
  const written = languageOf(text);
  if (expected === null || written === null || written === expected) return false;
  // A language that is not known here may read like a neighbour; English is what models fall back to.
  return telling.has(expected) || written === 'en';
}

/** The language of a text, when it is clearly one of those known here; null for few words. */
export function languageOf(text: string): string | null {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  const counts = [...telling].map(([code, list]) => {
    const found = words.filter((word) => list.has(word));
    return { code, count: found.length, kinds: new Set(found).size };
  });
  const [first, second] = counts.toSorted((one, other) => other.count - one.count);
  const least = Math.max(4, words.length / 8);
  const isClear = first!.count >= least && first!.kinds >= kindsMin;
  return isClear && first!.count >= 1.5 * second!.count ? first!.code : null;
}

/** The code that `languageOf` has for a language; null for `auto` and for none. */
function codeOf(language: string | null): string | null {
  const code = language?.toLowerCase().split('-')[0];
  if (code === undefined || code === 'auto') return null;
  return alike[code] ?? code;
}

function scriptOf(text: string): string | null {
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
  const [chinese, japanese] = [count(han), count(kana)];
  const cjk = {
    name: japanese * 20 > chinese ? 'japanese' : 'chinese',
    letters: chinese + japanese,
  };
  const all = [...scripts.map(([name, pattern]) => ({ name, letters: count(pattern) })), cjk];
  const sum = all.reduce((letters, one) => letters + one.letters, 0);
  const most = all.reduce((best, one) => (one.letters > best.letters ? one : best));
  return sum >= lettersMin && most.letters > 0.6 * sum ? most.name : null;
}
