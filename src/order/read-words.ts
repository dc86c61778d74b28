import { wordLimits, type GivenWord } from '../../projections/words.ts';
import { foldName } from '../../projections/library.ts';
import { streamSafe } from '../shared/stream-safe.ts';

/** Why a line of a list is left out. */
export const lineFaults = ['empty-term', 'too-long', 'too-many-heard'] as const;
export type RefusedLine = { line: number; text: string; reason: (typeof lineFaults)[number] };

/** Lines of a list that is read at once. */
export const wordLinesMax = 1000;
/** Characters by which a line that was left out is known again. */
const shownMax = 80;

/**
 * The words of a list: lines `write = heard, heard`, or `write` alone. Empty lines and those that begin with `#` say
 * nothing; what is written the same way twice is one word.
 */
export function readWords(
  text: string,
  folder: string | null,
): { words: GivenWord[]; refused: RefusedLine[] } {
  const words = new Map<string, GivenWord>();
  const refused: RefusedLine[] = [];
  for (const [at, content] of text.split(/\r?\n/u).entries()) {
    const line = content.trim();
    if (line === '' || line.startsWith('#')) continue;
    const [first = '', ...rest] = line.split('=');
    const write = oneLine(first);
    const before = words.get(foldName(write));
    const given = rest.join('=').split(',').map(oneLine);
    const heard = heardAs(write, [...(before?.heard ?? []), ...given]);
    const reason = faultOf(write, heard);
    if (reason !== undefined) {
      refused.push({ line: at + 1, text: line.slice(0, shownMax), reason });
      continue;
    }
    words.set(foldName(write), { write: before?.write ?? write, heard, folder });
  }
  return { words: [...words.values()], refused };
}

/** Each once, without what is written so anyway. */
export const heardAs = (write: string, heard: readonly string[]): string[] =>
  [
    ...new Map(
      heard
        .filter((term) => term !== '' && term !== write)
        .toReversed()
        .map((term) => [foldName(term), term]),
    ).values(),
  ].toReversed();

const oneLine = (text: string): string =>
  streamSafe(text).normalize('NFC').replaceAll(/\s+/gu, ' ').trim();

function faultOf(write: string, heard: readonly string[]): RefusedLine['reason'] | undefined {
  if (write === '') return 'empty-term';
  if ([write, ...heard].some(({ length }) => length > wordLimits.termMax)) return 'too-long';
  return heard.length > wordLimits.heardMax ? 'too-many-heard' : undefined;
}
