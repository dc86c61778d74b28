import { Scalar, stringify } from 'yaml';
import type { DocumentsInput } from './documents.ts';
import { oneLine } from './escape.ts';
import { speakerNames } from './speaker-names.ts';

/**
 * The front matter of a document, flat as Obsidian shows it, with its fences. What a person said or
 * wrote is always in double quotes, so that no reader of YAML takes a title for a date or `no` for
 * false. Links and Markdown have no meaning in it.
 */
export function frontMatter(input: DocumentsInput, aliases: readonly string[]): string {
  const properties = {
    title: quoted(input.title),
    aliases: aliases.map(quoted),
    // Obsidian's date and time carry no zone: the wall clock where it was recorded.
    date: input.localStart.slice(0, 'YYYY-MM-DDTHH:MM:SS'.length),
    kind: input.kind,
    ...(input.language === null ? {} : { language: quoted(input.language) }),
    ...(input.duration === null ? {} : { duration: Math.round(input.duration) }),
    speakers: speakerNames(input).map(quoted),
    recording: quoted(input.recordingId),
    tags: ['mitschrift'],
  };
  return `---\n${stringify(properties, { lineWidth: 0 })}---\n`;
}

function quoted(text: string): Scalar<string> {
  const scalar = new Scalar(oneLine(text));
  scalar.type = Scalar.QUOTE_DOUBLE;
  return scalar;
}
