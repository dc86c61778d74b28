import { appendFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { untilAborted } from '../shared/abort.ts';
import { exists, hashFile, ifMissing, writeDurably } from '../shared/files.ts';
import { parsedJson } from '../shared/json.ts';
import type { RecordingRow } from '../../projections/recording-row.ts';
import { transcriptOf } from '../../projections/texts.ts';
import { exportInput } from '../documents/documents.ts';
import { type FolderSpace, readDocument } from '../documents/space.ts';
import { deleteDocument } from '../documents/write.ts';
import { exported } from '../export/formats.ts';
import { exportedAnswer } from '../http/recording-answer.ts';
import type { Pipeline } from '../service/pipeline.ts';

/** Which audio already has its documents in a folder of notes. */
export interface TranscribedFiles {
  /**
   * The entry of the same audio, as long as what was written in these formats is where it was written; without documents:
   * no speech was found.
   */
  find(
    file: { path: string; bytes: number },
    formats: readonly TranscribedFormat[],
  ): Promise<TranscribedFile | undefined>;
  /** Notes that a file is done. On disk before it returns, so that no signal comes between. */
  add(file: TranscribedFile): void;
}

const transcribedFile = z.object({
  sha256: z.string(),
  bytes: z.number(),
  /** What the person called it. */
  file: z.string(),
  /** When it was done, RFC 3339 UTC. */
  at: z.string(),
  /** Paths below the folder: index, transcript, summary, and each other format; none: no speech was found. */
  documents: z.record(z.string(), z.string()),
});

export type TranscribedFile = z.output<typeof transcribedFile>;

/** Hidden, so that notes applications do not show it. */
const listName = '.mitschrift-transcribed.jsonl';

/**
 * Reads the list that `mitschrift transcribe` keeps in the folder it writes to. Lines that a crash cut off
 * are left out.
 * @throws the system's errors
 */
export async function openTranscribedFiles(folder: string): Promise<TranscribedFiles> {
  const path = join(folder, listName);
  const text = await readFile(path, 'utf8').catch(ifMissing(''));
  const bySize = new Map<number, TranscribedFile[]>();
  const keep = (one: TranscribedFile) =>
    bySize.set(one.bytes, [...(bySize.get(one.bytes) ?? []), one]);
  for (const line of text.split('\n')) {
    const parsed = transcribedFile.safeParse(parsedJson(line));
    if (parsed.success) keep(parsed.data);
  }
  return {
    async find(file, formats) {
      const sameSize = bySize.get(file.bytes) ?? [];
      if (sameSize.length === 0) return undefined;
      const hash = await hashFile(file.path);
      for (const one of sameSize.toReversed()) {
        if (one.sha256 !== hash?.sha256) continue;
        if (Object.keys(one.documents).length === 0) return one;
        const paths = formats.map((format) => one.documents[format === 'md' ? 'index' : format]);
        const there = await Promise.all(
          paths.map(async (name) => name !== undefined && (await exists(join(folder, name)))),
        );
        if (there.every(Boolean)) return one;
      }
      return undefined;
    },
    add(file) {
      // After a line that a crash cut off, this begins a new line.
      appendFileSync(
        path,
        `${text.endsWith('\n') || text === '' ? '' : '\n'}${JSON.stringify(file)}\n`,
      );
      keep(file);
    },
  };
}

/** What `transcribe --format` writes: the three Markdown documents (`md`), and one file each of the others. */
const transcribedFormats = ['md', 'srt', 'vtt', 'docx', 'txt', 'json'] as const;

export type TranscribedFormat = (typeof transcribedFormats)[number];

/** `md,srt` as a person types it. @throws {Error} a sentence that names what is wrong */
export function formatsIn(text: string): TranscribedFormat[] {
  const given = text
    .split(',')
    .map((part) => part.trim().toLowerCase())
    .filter((part) => part !== '');
  const unknown = given.find((part) => !transcribedFormats.some((one) => one === part));
  if (unknown !== undefined || given.length === 0) {
    throw new Error(
      `--format ${unknown ?? text}: choose from ${transcribedFormats.join(', ')}, separated by commas.`,
    );
  }
  return transcribedFormats.filter((one) => given.includes(one));
}

type Wanted = {
  formats: readonly TranscribedFormat[];
  folder: string;
  /** Where the three documents are by now. */
  space: FolderSpace;
  stopping: AbortSignal;
};

/**
 * Leaves of a recording's documents what was asked for, beside its other formats, and returns their names; of silence nothing.
 * @throws what the disk and the converter say, and the reason of `stopping`: then nothing of it is there
 */
export async function keepDocuments(
  pipeline: Pick<Pipeline, 'storage' | 'settings'>,
  row: RecordingRow,
  saved: NonNullable<RecordingRow['documents']>,
  wanted: Wanted,
): Promise<Record<string, string>> {
  const remove = () => deleteDocument(wanted.space, saved.index);
  // Documents about silence are of use to nobody.
  if (row.notes.some(({ code }) => code === 'no-speech')) {
    await remove();
    return {};
  }
  const exports = await writeExports(pipeline, row, wanted).catch(async (error: unknown) => {
    await remove();
    throw error;
  });
  return { ...(wanted.formats.includes('md') ? saved : {}), ...exports };
}

/**
 * Writes a recording in formats other than Markdown into a folder, as `<base name>.<format>`; a file that is there stays, and
 * the new one is called `<base name> (2).<format>`. Returns the names by format.
 * @throws what the disk and the converter say, and the reason of `stopping`: then none of them is there
 */
async function writeExports(
  pipeline: Pick<Pipeline, 'storage' | 'settings'>,
  row: RecordingRow,
  { formats, folder, space, stopping }: Wanted,
): Promise<Record<string, string>> {
  const transcript = await transcriptOf(pipeline.storage, row.recordingId);
  const settings = pipeline.settings();
  const written: Record<string, string> = {};
  const { documents } = row;
  if (!transcript || documents === null) return written;
  const input = await exportInput(row, transcript, {
    uiLanguage: settings['ui.language'],
    times: settings['documents.times'],
    links: settings['speakers.links'],
  });
  try {
    for (const format of formats) {
      if (format === 'md') continue;
      const making = exported(format, {
        input,
        json: () => exportedAnswer(row, transcript, input),
        stored: async (name) => (await readDocument(space, documents[name]))?.bytes,
      });
      const made = await untilAborted(making, stopping);
      const name = await freeName(folder, input.base, format);
      written[format] = name;
      // None of these formats is made as a stream: only the zip is.
      await writeDurably(join(folder, name), made as string | Buffer);
    }
  } catch (error) {
    for (const name of Object.values(written)) await rm(join(folder, name), { force: true });
    throw error;
  }
  return written;
}

/** Names that are tried at most. */
const triesMax = 1000;

async function freeName(folder: string, base: string, format: string): Promise<string> {
  for (let number = 1; number <= triesMax; number++) {
    const name = `${base}${number === 1 ? '' : ` (${number})`}.${format}`;
    if (!(await exists(join(folder, name)))) return name;
  }
  throw new Error(
    `${folder} already has ${triesMax} files called ${base}.${format}. Choose another folder.`,
  );
}
