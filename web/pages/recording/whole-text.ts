/** A note as text, from its data: what is copied and printed is the whole, whatever of it is in the page. */
import { clock } from '../../components/durations.ts';
import { byNextTurn, interruptionText } from './interruptions.ts';
import type { Speaker, SummaryLine } from './recording.ts';
import { lineGroups } from './summary/groups.ts';
import type { Recording } from './turn-key.ts';

/** What is to be taken along. */
export type Parts = { summary: boolean; transcript: boolean; markdown?: boolean };
/** Headings in the language of the page. */
export type Headings = Record<Titled | 'inShort' | 'transcript' | 'ownLines', string>;

/** Lines of text stand without a heading. */
type Titled = Exclude<SummaryLine['kind'], 'text'>;

/** The text of a note, paragraphs apart by empty lines. */
export function wholeText(
  recording: Recording,
  speakers: ReadonlyMap<string, Speaker>,
  { title, headings, parts }: { title: string; headings: Headings; parts: Parts },
): string {
  const { markdown = false } = parts;
  const heading = (text: string, level: 1 | 2) =>
    markdown ? `${'#'.repeat(level)} ${text}` : text;
  const text = [heading(title, 1)];
  const { abstract, lines } = recording.summary;
  if (parts.summary && abstract) text.push(heading(headings.inShort, 2), abstract);
  if (parts.summary) {
    for (const { kind, section, lines: own } of lineGroups(lines, (one) => headings[one])) {
      if (own.length === 0) continue;
      if (section === null && kind === 'text') {
        text.push(...own.map(lineText));
        continue;
      }
      const list = own.map((line) => `- ${boxOf(line, markdown)}${lineText(line)}`);
      const titled = section ?? (kind === 'text' ? '' : headings[kind]);
      text.push(heading(titled, 2), list.join('\n'));
    }
    const notes = recording.sidenotes.filter((note) => note.text !== '');
    const list = notes.map((note) => `- [${clock(note.at)}] ${note.text}`);
    if (notes.length > 0) text.push(heading(headings.ownLines, 2), list.join('\n'));
  }
  if (!parts.transcript) return text.join('\n\n');
  if (parts.summary || markdown) text.push(heading(headings.transcript, 2));
  const missing = byNextTurn(recording.interruptions, recording.utterances);
  const notRecorded = (next: number) => (missing.get(next) ?? []).map(interruptionText.get());
  for (const [turn, { speaker, start, text: said }] of recording.utterances.entries()) {
    text.push(...notRecorded(turn));
    const name = speaker === null ? undefined : speakers.get(speaker)?.name;
    const by = name === undefined || !markdown ? name : `**${name}**`;
    text.push(`${by === undefined ? '' : `${by} `}[${clock(start)}] ${said}`);
  }
  text.push(...notRecorded(recording.utterances.length));
  return text.join('\n\n');
}

/** A task's box in Markdown; elsewhere a sign that it is done. */
function boxOf({ kind, done }: SummaryLine, markdown: boolean): string {
  if (kind !== 'task') return '';
  if (markdown) return done ? '[x] ' : '[ ] ';
  return done ? '✓ ' : '';
}

/** A line of the summary as it is read: who, what, until when. */
export function lineText({ kind, person, text, due }: SummaryLine): string {
  const who = person ? `${person}${kind === 'task' ? ' ' : ': '}` : '';
  return `${who}${text}${due ? `, ${due}` : ''}`;
}
