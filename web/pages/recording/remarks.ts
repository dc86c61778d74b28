/** The sentences of a note about its recording, and what stands in brackets in them: how much, or which; never a code. */
import { exactly } from '../../components/durations.ts';
import type { words } from './words.ts';

type Words = NonNullable<(typeof words)['value']>;

/**
 * @param note.text as the service says it: a number, codes with commas between, or a sentence
 * @returns `isSaid` when a program said it, in its own language; null when it says nothing to a reader
 */
export function detailOf(
  { code, text }: { code: string; text: string },
  shown: Words,
): { text: string; isSaid: boolean } | null {
  const own = (detail: string) => (detail === '' ? null : { text: detail, isSaid: false });
  switch (code) {
    case 'capture-interrupted':
      return own(named('ended', text, shown));
    case 'edited':
      return own(named('document', text, shown));
    case 'restored':
      return own(shown.versionNumber({ version: text }));
    case 'gaps':
    case 'audio-added':
      return own(Number.parseFloat(text) < 1 ? text : exactly(Number.parseFloat(text)));
    case 'other-tracks': {
      const [, used, of] = /^track (\d+) of (\d+)$/.exec(text) ?? [];
      return used === undefined || of === undefined ? null : own(shown.trackOf({ used, of }));
    }
    case 'speakers-apart':
    case 'corrections-unplaced':
      return own(text);
    default:
      // A cause for people is a sentence; ids with commas between, and codes, are for programs.
      return /[^,\s]\s+\S/.test(text) ? { text: text.replace(/\.$/, ''), isSaid: true } : null;
  }
}

/** The sentence of a note, as what stands before and after the brackets; of one that this page does not know, its code. */
export function sentenceOf(code: string, shown: Words): [before: string, after: string] {
  const sentences: Readonly<Record<string, unknown>> = shown;
  const sentence = sentences[`note:${code}`];
  if (typeof sentence !== 'function') return [code, ''];
  const place = '\u0000';
  const [before = '', after = ''] = String(sentence({ detail: place })).split(place);
  return [before, after];
}

/** Words for codes with commas between; a code without one is left out. */
function named(kind: 'ended' | 'document', codes: string, shown: Words): string {
  const texts: Readonly<Record<string, unknown>> = shown;
  return codes
    .split(', ')
    .map((code) => texts[`${kind}:${code}`])
    .filter((name) => typeof name === 'string')
    .join(', ');
}
