import type { Kind } from '../../events/facts/recording.ts';
import type { Note } from '../words/notes.ts';
import type { Language } from '../words/params.ts';
import type { Block, SummaryLine } from '../../events/facts/transcript.ts';
import { replaceLabels, speakerNumber } from '../../projections/recording/written-texts.ts';
import type { Interruption } from '../../projections/recording/interruptions.ts';
import type { Sidenote } from '../../projections/recording/sidenotes.ts';
import { oneLine } from './markdown.ts';
import { labelsIn } from './labels.ts';
import {
  type Reading,
  type Speaker,
  plainTitle,
  thoseWhoSpeak,
} from '../../projections/recording/reading.ts';
import type { RecordingRow } from '../../projections/recording-row.ts';
import type { TranscriptRow } from '../../projections/texts.ts';
import { baseName } from './file-names.ts';
import { localTime } from '../shared/time.ts';

/** The three documents of a recording. */
export const documentNames = ['index', 'transcript', 'summary'] as const;
export type DocumentName = (typeof documentNames)[number];

/** Something for each of the three: contents, paths, hashes. */
export type PerDocument<T = string> = Record<DocumentName, T>;

/** Paths below the space of the documents of a base name, with `/` on every system. */
export const documentPaths = (base: string): PerDocument => ({
  index: `${base}.md`,
  transcript: `${base}/transkript.md`,
  summary: `${base}/zusammenfassung.md`,
});

/** Where documents are, and what they say of their owner's order. */
export type PlacedDocuments = Pick<DocumentsInput, 'audio' | 'folder' | 'tags'>;

/** Everything the documents are made from; nothing else goes into them. */
export type DocumentsInput = {
  recordingId: string;
  /** See `baseName`. */
  base: string;
  title: string;
  /** Name of the file it was imported from; null for a captured one. */
  source: string | null;
  /** Titles it had before. */
  aliases: readonly string[];
  kind: Kind;
  /** ISO 639-1 code of what was spoken; null when unknown. */
  language: string | null;
  /** Seconds; null when unknown. */
  duration: number | null;
  /** Start of the recording in the server's time zone, RFC 3339 with offset. */
  localStart: string;
  uiLanguage: Language;
  /** Whether paragraphs of the transcript have their times. */
  times: boolean;
  /** Whether names of people are links to notes about them. */
  links: boolean;
  /** Where the pages are, such as `https://notes.example.org`; null: the documents name the recording's id alone. */
  address?: string | null;
  /** Path of the audio in the vault that the documents lie in; null: it does not. */
  audio?: string | null | undefined;
  /** Names of the folder that it is in and of its tags. */
  folder?: string | undefined;
  tags?: readonly string[] | undefined;
  speakers: readonly Speaker[];
  blocks: readonly Block[];
  /** Plain text, or Markdown with headings, lists and bold: the rest of Markdown stays text. */
  summary: string;
  /** The summary line by line, which is then shown in place of the text; none where it is prose. */
  lines: readonly SummaryLine[];
  /** What people wrote beside it, by its times. */
  sidenotes: readonly Sidenote[];
  /** When nothing was recorded for a while. */
  interruptions: readonly Interruption[];
  /** Two or three sentences. */
  abstract: string;
  /** What a reader should know. */
  notes: readonly Note[];
};

/**
 * The name to show for a label: the given one, else `SPEAKER_00` as `Speaker 1`, else the label. Labels of two
 * digits count from 00; those of older logs have one and count from 1.
 */
export function speakerName(
  input: Pick<DocumentsInput, 'speakers' | 'uiLanguage'>,
  label: string,
): string {
  const name = input.speakers.find((speaker) => speaker.label === label)?.name ?? '';
  if (oneLine(name) !== '') return oneLine(name);
  const number = speakerNumber(label);
  return number === null ? oneLine(label) : labelsIn(input.uiLanguage)('speaker', { number });
}

/**
 * A text of a language model with names where it has labels of speakers: its writer may have known no more.
 * @param shown how a name is written in the text; in Markdown, escaped
 */
export const withSpeakerNames = (
  input: Pick<DocumentsInput, 'speakers' | 'uiLanguage'>,
  text: string,
  shown: (name: string) => string = (name) => name,
): string =>
  replaceLabels(
    text,
    input.speakers.map(({ label }) => label),
    (label) => shown(speakerName(input, label)),
  );

/**
 * Everybody who spoke, each name once, in the order given, with their seconds. `isGiven`: a person gave the name; else
 * it stands for one.
 */
export function speakersOf(
  input: Pick<DocumentsInput, 'speakers' | 'uiLanguage'>,
): { name: string; isGiven: boolean; seconds: number }[] {
  const found = new Map<string, { name: string; isGiven: boolean; seconds: number }>();
  for (const speaker of thoseWhoSpeak(input.speakers)) {
    const name = speakerName(input, speaker.label);
    const before = found.get(name);
    found.set(name, {
      name,
      isGiven: before?.isGiven === true || oneLine(speaker.name ?? '') !== '',
      seconds: (before?.seconds ?? 0) + speaker.seconds,
    });
  }
  return [...found.values()];
}

/** Everything the three documents are made of, from the log alone: the same log, the same bytes. */
export function documentsInput(
  recordingId: string,
  reading: Reading,
  named: {
    base: string;
    title: string;
    local_start: string;
    ui_language: Language;
  },
  /** As the documents are, or were, saved; undefined in facts before there was the choice. */
  {
    times = true,
    links = false,
    address = null,
  }: {
    times?: boolean | undefined;
    links?: boolean | undefined;
    address?: string | null | undefined;
  },
  /** As their fact says, or will say. */
  { audio = null, folder, tags }: PlacedDocuments = {},
): DocumentsInput {
  const { kind, language, duration, speakers, blocks } = reading;
  const firstTitle = plainTitle(named.title);
  const title = reading.title ?? firstTitle;
  const former = [...(reading.isFirstTitleGone ? [] : [firstTitle]), ...reading.formerTitles];
  return {
    recordingId,
    base: named.base,
    title,
    source: reading.filename,
    aliases: [...new Set(former)].filter((alias) => alias !== title),
    kind,
    language,
    duration,
    localStart: reading.localStart ?? named.local_start,
    uiLanguage: named.ui_language,
    times,
    links,
    address,
    audio,
    folder,
    tags,
    speakers,
    blocks,
    summary: reading.summary ?? '',
    lines: reading.lines,
    sidenotes: reading.sidenotes,
    interruptions: reading.interruptions,
    abstract: reading.abstract ?? '',
    // What was edited by hand is known only once the files are written.
    notes: reading.notes.filter(({ code }) => code !== 'edited'),
  };
}

/**
 * What documents and exports of a recording are made of, from its rows: what a reader is shown, also
 * while there are no documents. `base` is the one of the documents, or the one they would get.
 */
export async function exportInput(
  row: RecordingRow,
  transcript: TranscriptRow,
  { uiLanguage, times, links }: Pick<DocumentsInput, 'uiLanguage' | 'times' | 'links'>,
): Promise<DocumentsInput> {
  const localStart = localTime(new Date(row.startedAt));
  return {
    recordingId: row.recordingId,
    base: row.documents?.index.replace(/\.md$/u, '') ?? (await baseOfToday(row)),
    title: row.title ?? '',
    source: row.source,
    aliases: [],
    kind: row.kind,
    language: row.language,
    duration: row.duration,
    localStart,
    uiLanguage,
    times,
    links,
    speakers: row.speakers,
    blocks: transcript.blocks,
    summary: transcript.summary ?? '',
    lines: transcript.lines,
    sidenotes: transcript.sidenotes,
    interruptions: transcript.interruptions,
    abstract: row.abstract ?? '',
    notes: row.notes,
  };
}

/** What documents would be called now; their own names keep the first title. */
export const baseOfToday = (
  { startedAt, title }: Pick<RecordingRow, 'startedAt' | 'title'>,
  isTaken: (base: string) => boolean = () => false,
): Promise<string> => baseName(localTime(new Date(startedAt)), title ?? '', isTaken);
