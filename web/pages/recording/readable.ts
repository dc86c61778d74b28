/**
 * A text as it reads without hesitations: "um", words said twice and starts that broke off are left out. Nothing is added, no
 * other word changed, and each word that stays knows its place among those that were said.
 */

import { persistentJSON } from '@nanostores/persistent';

/** Whether this browser shows transcripts so. */
export const isReadable = persistentJSON<boolean>('mitschrift.readable', false);

/** A word as it is shown, and its place among the written words of the turn. */
export type ReadableWord = { text: string; at: number };

/** Sounds that are words in none of the languages. */
const sounds = 'uh uhm äh ähm öhm ähem euh erm hmmm';
/** Hesitations by language: `um` and `er` are words in German. */
const hesitations: Readonly<Record<string, string>> = {
  en: `${sounds} um umm er hm mm`,
  de: `${sounds} öh hm ehm`,
  fr: `${sounds} heu hum`,
  es: `${sounds} ehm em`,
  it: `${sounds} ehm mmm`,
  pt: `${sounds} ãh hum`,
  nl: `${sounds} eh ehm`,
  sv: `${sounds} öh eh`,
  da: `${sounds} øh øhm`,
  nb: `${sounds} eh øh`,
};
/**
 * Words that nobody says twice on purpose. `that`, `had`, `is`, and German `der`, `die`, `das` are not among them:
 * "what it is is …", "die, die das sagen".
 */
const smallWords: Readonly<Record<string, string>> = {
  en: 'i you he she it we they the a an and but or if so of to in on at for from with my your our their this these when because as what who how there would could should can will are was were have has be been',
  de: 'ich du er es wir ihr ein eine einen einem einer und oder aber wenn weil dass ob von zu in im an am auf für aus mit bei nach vor über mein dein sein unser den dem des wie was wo man ist sind war hat haben wird werden kann können soll muss auch noch',
  fr: 'je tu il elle on le la les un une des et mais ou si de du à au en dans pour avec mon ma mes ce cette que qui est sont',
  es: 'yo el la los las un una y pero o si de del a al en con para por mi su que es son',
  it: 'io il lo la i gli le un una e ma o se di del a al in con per mio che è sono',
  nl: 'ik je hij zij we het een en maar of als van in op aan voor met mijn dat die is zijn',
};
/** Longest phrase said twice that is looked for, in words. */
const phraseWordsMax = 6;
/** Turns beyond it are shown as they are. Bounds what one turn costs. */
const wordsMax = 20_000;

/**
 * The words that stay. A turn that would lose all of them stays as it is: a lone "hm" is an answer.
 * @param written what blanks separate in the turn's text
 * @param language BCP 47 tag; null: sounds alone are taken away
 */
export function readable(written: readonly string[], language: string | null): ReadableWord[] {
  const all = written.map((text, at) => ({ text, at }));
  if (written.length > wordsMax) return all;
  const code = language?.split('-')[0]?.toLowerCase() ?? '';
  const left = withoutRepeats(withoutSounds(all, code), code);
  return left.length === 0 ? all : left;
}

function withoutSounds(words: readonly ReadableWord[], code: string): ReadableWord[] {
  const those = new Set((hesitations[code] ?? sounds).split(' '));
  const left: ReadableWord[] = [];
  let begins = '';
  for (const word of words) {
    if (those.has(bare(word.text))) {
      begins ||= beginsSentence(left.at(-1)) ? word.text : '';
      closeBefore(left, word.text);
    } else {
      left.push(begins === '' ? word : { ...word, text: withFirstOf(begins, word.text) });
      begins = '';
    }
  }
  return left;
}

/** Of a phrase said twice the second is kept: what was said next belongs to it. */
function withoutRepeats(words: readonly ReadableWord[], code: string): ReadableWord[] {
  const small = new Set(smallWords[code]?.split(' ') ?? []);
  const left: ReadableWord[] = [];
  let begins = '';
  for (let at = 0; at < words.length; at += 1) {
    const word = { ...words[at]!, text: withFirstOf(begins, words[at]!.text) };
    const dropped = repeatedFrom(words, at, small);
    begins = dropped === 0 ? '' : word.text;
    if (dropped === 0) left.push(word);
    else at += dropped - 1;
  }
  return left;
}

/** How many words from a place on are said again at once, or broke off; 0: none. */
function repeatedFrom(
  words: readonly ReadableWord[],
  at: number,
  small: ReadonlySet<string>,
): number {
  const word = words[at]!;
  const next = words[at + 1];
  if (next === undefined) return 0;
  // "Kon- Konferenz" broke off, "Vor- und Nachteile" did not.
  if (/\p{L}[-–—…]$/u.test(word.text) && bare(next.text).startsWith(bare(word.text))) return 1;
  for (let length = phraseWordsMax; length > 0; length -= 1) {
    const once = words.slice(at, at + length);
    const again = words.slice(at + length, at + 2 * length);
    const isTwice =
      again.length === length && once.every(({ text }, k) => isSame(text, again[k]!.text));
    // A mark that ends a sentence stands between what was meant twice.
    if (!isTwice || once.some(({ text }) => /[.!?:;]["'”“»)]*$/u.test(text))) continue;
    if (length > 1 || small.has(bare(word.text))) return length;
  }
  return 0;
}

/** Figures are said twice on purpose: numbers of telephones. */
const isSame = (a: string, b: string): boolean =>
  bare(a) === bare(b) && /^[\p{L}\p{M}'’-]+$/u.test(bare(a));

/** Without marks around it, in small letters. */
const bare = (text: string): string =>
  text.toLowerCase().replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');

const beginsSentence = (before: ReadableWord | undefined): boolean =>
  before === undefined || /[.!?…]["'”“»)]*$/u.test(before.text);

/** What closed a sentence behind a sound closes it behind the word before; a comma before the sound goes with it. */
function closeBefore(left: ReadableWord[], sound: string): void {
  const last = left.at(-1);
  const end = /[.!?]["'”“»)]*$/u.exec(sound)?.[0];
  if (last === undefined) return;
  if (end !== undefined && !beginsSentence(last))
    left[left.length - 1] = { ...last, text: last.text.replace(/[,;:–—-]*$/u, '') + end };
  else if (sound.endsWith(',') && last.text.endsWith(','))
    left[left.length - 1] = { ...last, text: last.text.slice(0, -1) };
}

/** A word with a capital where the one left out before it had one; '': nothing was left out. */
function withFirstOf(dropped: string, word: string): string {
  const isCapital = /^[^\p{L}]*\p{Lu}/u.test(dropped);
  return isCapital ? word.replace(/\p{L}/u, (letter) => letter.toUpperCase()) : word;
}
