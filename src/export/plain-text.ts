import { clock } from '../documents/render-transcript.ts';
import { speakerName } from '../documents/speaker-names.ts';
import type { DocumentsInput } from '../documents/documents.ts';
import { oneLine } from '../documents/escape.ts';

/** The title, then a paragraph a block; in a meeting who said it, and when. */
export function plainText(input: DocumentsInput): string {
  const paragraphs = input.blocks.map(({ speaker, start, text }) =>
    speaker === null || input.kind === 'solo'
      ? oneLine(text)
      : `${speakerName(input, speaker)} [${clock(start)}]\n${oneLine(text)}`,
  );
  return [oneLine(input.title), ...paragraphs, '']
    .filter((paragraph, index) => index > 0 || paragraph !== '')
    .join('\n\n')
    .replace(/\n\n$/, '\n');
}
