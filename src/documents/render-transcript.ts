import type { DocumentsInput } from './documents.ts';
import { escapeInline, escapeLine } from './escape.ts';
import { speakerName } from './speaker-names.ts';

/**
 * One paragraph a block: solo its text, meeting `**Name** [00:01:23] text`. Each ends in its block
 * id, by which links, edits and later versions find it again; so neighbouring blocks are never
 * merged, not even of one speaker.
 * @throws {TypeError} an id is not made of letters, digits and dashes
 */
export const renderBlocks = (input: DocumentsInput): string[] =>
  input.blocks.map((block) => {
    if (!/^[A-Za-z0-9-]+$/u.test(block.id)) throw new TypeError(`not a block id: ${block.id}`);
    const text =
      block.speaker === null || input.kind === 'solo'
        ? escapeLine(block.text)
        : `**${escapeInline(speakerName(input, block.speaker))}** [${clock(block.start)}] ${escapeInline(block.text)}`;
    return `${text.trimEnd()} ^${block.id}`.trimStart();
  });

/** Seconds as `hh:mm:ss`; a hundred hours and more have three digits. */
export function clock(seconds: number): string {
  const whole = Math.floor(seconds);
  return [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
}
