import * as z from 'zod';
import type { Block } from '../../events/facts/transcript.ts';
import type { RecordingRow } from '../../projections/recording-row.ts';
import { transcriptOf } from '../../projections/texts.ts';
import type { AskedTalk } from '../language/answer-question.ts';
import { speakerName } from '../documents/documents.ts';
import { detail } from '../words/details.ts';
import { seconds, time } from './openapi/activity-answers.ts';
import { notFound } from './problems.ts';
import type { HttpServices } from './services.ts';
import { joinTexts } from '../shared/segments.ts';

/** A recording that a question is about, with what of it is read. */
export type AskedNote = Pick<RecordingRow, 'recordingId' | 'title' | 'startedAt' | 'language'> & {
  blocks: readonly Block[];
  /** Who a label stands for, as people see it. */
  names: Readonly<Record<string, string>>;
  /** Blocks are of the transcript; else it is only recognised so far. */
  hasBlocks: boolean;
  /** Ids of blocks that are about the question by their meaning. */
  near?: ReadonlySet<string>;
};

/** What an answer rests on. */
export const cite = z.object({
  recording_id: z.string().describe('ULID'),
  block: z.string().nullable().describe('null: it is recorded, and only recognised so far'),
  start: seconds.describe('of the recording: from there it plays'),
  title: z.string().nullable(),
  created_at: time,
  speaker: z.string().nullable().describe('who says it, as people see it'),
  quote: z.string().describe('what was said there'),
});
export type Cite = z.output<typeof cite>;

/** Characters of a quotation. */
const quoteMax = 300;

/** What was said in a recording, also in one that is recorded. @param since seconds; what ended before is left out */
export async function askedNote(
  services: Pick<HttpServices, 'storage' | 'settings'>,
  row: RecordingRow,
  since = 0,
): Promise<AskedNote> {
  const { recordingId, title, startedAt, language, speakers } = row;
  const transcript = await transcriptOf(services.storage, recordingId);
  if (!transcript) throw notFound(detail('recording-not-found'));
  const { utterances } = transcript;
  const said: readonly Block[] =
    utterances.length === 0
      ? transcript.blocks
      : utterances.map(({ index, start, end, voice = null, segments }) => ({
          id: `u-${index}`,
          speaker: voice,
          start,
          end,
          text: joinTexts(segments.map(({ text }) => text)),
          words: [],
        }));
  const blocks = said.filter(({ end }) => end > since);
  const { 'ui.language': uiLanguage } = services.settings();
  const labels = new Set(blocks.flatMap(({ speaker }) => speaker ?? []));
  const names = Object.fromEntries(
    [...labels].map((label) => [label, speakerName({ speakers, uiLanguage }, label)]),
  );
  const hasBlocks = utterances.length === 0;
  return { recordingId, title, startedAt, language, blocks, names, hasBlocks };
}

/** All of them as one talk, with what each of its blocks is. Between two notes nothing is beside anything. */
export function askedTogether(notes: readonly AskedNote[]): {
  talk: AskedTalk;
  cites: ReadonlyMap<string, Cite>;
} {
  const cites = new Map<string, Cite>();
  const names: Record<string, string> = {};
  const near = new Set<string>();
  const blocks = notes.flatMap((note, at) => {
    const own = (text: string) => `${at}/${text}`;
    for (const [label, name] of Object.entries(note.names)) names[own(label)] = name;
    for (const id of note.near ?? []) near.add(own(id));
    const within = note.blocks.map((block) => {
      const { id, speaker } = block;
      cites.set(own(id), citeOf(note, block));
      return { ...block, id: own(id), speaker: speaker === null ? null : own(speaker) };
    });
    return [...within, { ...border, id: own('') }];
  });
  const [first, ...others] = new Set(notes.map(({ language }) => language));
  const language = others.length === 0 ? (first ?? null) : null;
  return { talk: { blocks, names, language, near }, cites };
}

/** Says nothing: what stands before and behind it is not beside each other. */
export const border: Block = { id: '', speaker: null, start: 0, end: 0, text: '', words: [] };

/** A passage as an answer quotes it. */
export function citeOf(note: AskedNote, { id, start, speaker, text }: Block): Cite {
  return {
    recording_id: note.recordingId,
    block: note.hasBlocks ? id : null,
    start,
    title: note.title,
    created_at: note.startedAt,
    speaker: speaker === null ? null : (note.names[speaker] ?? null),
    quote: text.length <= quoteMax ? text : `${text.slice(0, quoteMax).replace(/\s+\S*$/u, '')}…`,
  };
}
