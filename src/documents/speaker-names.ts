import type { DocumentsInput } from './documents.ts';
import { oneLine } from './escape.ts';
import { labelsIn } from './labels.ts';

/** The name to show for a label: the given one, else `SPEAKER_1` as `Speaker 1`, else the label. */
export function speakerName(
  input: Pick<DocumentsInput, 'speakers' | 'uiLanguage'>,
  label: string,
): string {
  const name = input.speakers.find((speaker) => speaker.label === label)?.name ?? '';
  if (oneLine(name) !== '') return oneLine(name);
  const number = /^speaker[ _-]?(\d+)$/iu.exec(label)?.[1];
  return number === undefined
    ? oneLine(label)
    : `${labelsIn(input.uiLanguage).speaker} ${Number(number)}`;
}

/** Everybody who spoke, each name once, in the order given. */
export const speakerNames = (input: Pick<DocumentsInput, 'speakers' | 'uiLanguage'>): string[] => [
  ...new Set(input.speakers.map(({ label }) => speakerName(input, label))),
];
