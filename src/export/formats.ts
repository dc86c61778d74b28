import type { Readable } from 'node:stream';
import {
  type DocumentName,
  type DocumentsInput,
  documentNames,
  documentPaths,
  speakerName,
  withSpeakerNames,
} from '../documents/documents.ts';
import { type ZipEntry, zipStream } from './zip-stream.ts';
import { subRip, webVtt } from './subtitles.ts';
import { clock } from '../shared/time.ts';
import { labelsIn } from '../documents/labels.ts';
import { oneLine } from '../documents/markdown.ts';
import {
  plainSidenote,
  sidenoteSection,
  withSidenotes,
  plainLineOf,
  summarySections,
} from '../documents/render-summary.ts';

export const exportFormats = ['md', 'txt', 'srt', 'vtt', 'json', 'docx', 'zip'] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** What an export is made of. */
export type Exported = {
  input: DocumentsInput;
  /** A document as it is in the user's space, also as a person has changed it; undefined if it is not there. */
  stored(document: DocumentName): Promise<Buffer | undefined>;
  /** What `json` shows. */
  json(): unknown;
};

export const mediaTypes: Record<ExportFormat, string> = {
  md: 'text/markdown; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
  srt: 'application/x-subrip; charset=utf-8',
  vtt: 'text/vtt; charset=utf-8',
  json: 'application/json; charset=utf-8',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  zip: 'application/zip',
};

/** A transcript in a format. Documents are the stored ones; missing ones are rendered. */
export async function exported(
  format: ExportFormat,
  { input, stored, json }: Exported,
): Promise<string | Buffer | Readable> {
  const document = async (name: DocumentName): Promise<Buffer> =>
    (await stored(name)) ?? Buffer.from((await renderer()).renderDocuments(input)[name]);
  const makers: Record<ExportFormat, () => Promise<string | Buffer | Readable> | string> = {
    md: () => document('transcript'),
    txt: () => plainText(input),
    srt: () => subRip(input),
    vtt: () => webVtt(input),
    json: () => `${JSON.stringify(json(), null, 2)}\n`,
    docx: async () => (await import('./word-file-aside.ts')).wordFileAside(input),
    async zip() {
      const paths = documentPaths(input.base);
      const mtime = new Date(input.localStart);
      const entries: ZipEntry[] = [];
      for (const name of documentNames)
        entries.push({ path: paths[name], content: await document(name), mtime });
      return await zipStream(entries);
    },
  };
  return await makers[format]();
}

/** Loaded with the first export: the service must not wait for it at the start. */
const renderer = () => import('../documents/render.ts');

/** The title, when it began, the summary line by line, then a paragraph a block; in a meeting who said it, and when. */
export function plainText(input: DocumentsInput): string {
  const labels = labelsIn(input.uiLanguage);
  const named = (text: string): string => withSpeakerNames(input, text).trim();
  const sections = summarySections(input).map(({ heading, lines }) =>
    heading === null
      ? lines.map((line) => oneLine(plainLineOf(line))).join('\n\n')
      : [heading, ...lines.map((line) => `- ${oneLine(plainLineOf(line))}`)].join('\n'),
  );
  const prose = sections.length === 0 ? named(input.summary) : '';
  const summary = [oneLine(named(input.abstract)), prose, ...sections].filter(
    (part) => part !== '',
  );
  const sidenotes = sidenoteSection(input);
  if (sidenotes)
    summary.push(
      [sidenotes.heading, ...sidenotes.lines.map((line) => `- ${plainSidenote(line)}`)].join('\n'),
    );
  const paragraphs = withSidenotes(input).map((part) => {
    if ('sidenote' in part) return `${labels('sidenote')} ${plainSidenote(part.sidenote)}`;
    if ('interruption' in part) return part.interruption;
    const { speaker, start, text } = part.block;
    return speaker === null || input.kind === 'solo'
      ? oneLine(text)
      : `${speakerName(input, speaker)} [${clock(start)}]\n${oneLine(text)}`;
  });
  const head = summary.length > 0 ? [...summary, labels('transcript')] : [];
  const began = input.localStart.slice(0, 16).replace('T', ' ');
  return [oneLine(input.title), began, ...head, ...paragraphs, '']
    .filter((paragraph, index) => index > 0 || paragraph !== '')
    .join('\n\n')
    .replace(/\n\n$/, '\n');
}
