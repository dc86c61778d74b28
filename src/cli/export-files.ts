import { join } from 'node:path';
import type { RecordingRow } from '../../projections/recording-row.ts';
import { transcriptOf } from '../../projections/texts.ts';
import { exportInput } from '../documents/documents-input.ts';
import { type Space, readDocument } from '../documents/space.ts';
import { exported } from '../export/formats.ts';
import { exportedAnswer } from '../http/recording-answer.ts';
import type { Pipeline } from '../service/pipeline.ts';
import { exists, writeDurably } from '../shared/files.ts';

/** What `transcribe --format` writes: the three Markdown documents (`md`), and one file each of the others. */
export const transcribedFormats = ['md', 'srt', 'vtt', 'docx', 'txt', 'json'] as const;
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
      `--format ${unknown ?? text}: choose of ${transcribedFormats.join(', ')}, with commas between.`,
    );
  }
  return transcribedFormats.filter((one) => given.includes(one));
}

/**
 * Writes a recording in formats other than Markdown into a folder, as `<base name>.<format>`; a file that is there stays, and
 * the new one is called `<base name> (2).<format>`. Returns the names by format. @throws what the disk and the converter say
 */
export async function writeExports(
  pipeline: Pick<Pipeline, 'storage' | 'settings'>,
  row: RecordingRow,
  {
    formats,
    folder,
    space,
  }: { formats: readonly TranscribedFormat[]; folder: string; space: Space },
): Promise<Record<string, string>> {
  const transcript = await transcriptOf(pipeline.storage, row.recordingId);
  const settings = pipeline.settings();
  const written: Record<string, string> = {};
  if (!transcript || row.documents === null) return written;
  const input = await exportInput(row, transcript, {
    uiLanguage: settings['ui.language'],
    times: settings['documents.times'],
    links: settings['speakers.links'],
  });
  for (const format of formats) {
    if (format === 'md') continue;
    const made = await exported(format, {
      input,
      json: () => exportedAnswer(row, transcript, input),
      stored: async (name) => (await readDocument(space, row.documents![name]))?.bytes,
    });
    const name = await freeName(folder, input.base, format);
    // None of these formats is made as a stream: only the zip is.
    await writeDurably(join(folder, name), made as string | Buffer);
    written[format] = name;
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
    `${folder} holds ${triesMax} files called ${base}.${format}. Choose another folder.`,
  );
}
