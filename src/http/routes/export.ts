import { detail } from '../../words/details.ts';
import * as z from 'zod';
import { recordings } from '../../../projections/recordings.ts';
import { transcriptOf } from '../../../projections/texts.ts';
import { type DocumentsInput, baseOfToday } from '../../documents/documents.ts';
import { readDocument } from '../../documents/space.ts';
import { exportFormats, exported, mediaTypes } from '../../export/formats.ts';
import { limits } from '../limits.ts';
import { notFound } from '../problems.ts';
import { exportedAnswer } from '../recording-answer.ts';
import { asReadByOthers, exportInputOf } from '../documents-seen.ts';
import { asSeen } from '../shared-answer.ts';
import { noteLook } from '../looked.ts';
import { type SeenRecording, seenRecording } from '../visible-recording.ts';
import { limited } from '../../shared/mutex.ts';
import { routesOf } from '../route.ts';

// A Word file of a long meeting takes seconds of a thread and some memory: one after the other.
const inTurn = limited(1, limits.exportsWaitingMax);

/** The transcript as a file of another program's. */
export const exportRoutes = [
  routesOf({ tag: 'Recordings', access: 'ticket' })('get', '/recordings/{id}/export', {
    id: 'export',
    summary: 'The transcript as a file; `zip`: the three documents',
    query: z.strictObject({ format: z.enum(exportFormats).default('md') }),
    answers: {
      200: {
        description: 'The file.',
        media: Object.values(mediaTypes).map((type) => type.replace(/;.*$/su, '')),
        headers: { 'Content-Disposition': 'Its name.' },
      },
    },
    async run({ ctx, params, query: { format }, caller }, services) {
      services.projections.assertRunning(recordings.name);
      const seen = await seenRecording(services, caller, params.id, 'link');
      const { row, right } = seen;
      // What else there is says more than the words.
      if (right.role === 'link' && !linkFormats.includes(format)) throw notFound();
      const transcript = await transcriptOf(services.storage, row.recordingId);
      const wordless = transcript?.blocks.length === 0 && transcript.utterances.length === 0;
      if (!transcript || (wordless && row.documents === null)) {
        throw notFound(detail('transcript-not-ready'));
      }
      const whole = await exportInputOf(services, row, transcript);
      const input = await inputFor(seen, whole);
      noteLook(services, caller, seen, 'exported');
      const make = () =>
        exported(format, {
          input,
          json: () => asSeen(services, seen, exportedAnswer(row, transcript, input)),
          async stored(name) {
            // Others get no folder, tags and earlier titles, which the owner’s have (`documents-seen.ts`).
            if (row.documents === null || seen.right.role !== 'owner') return undefined;
            const space = await services.spaceOf(row.owner);
            return (await readDocument(space, row.documents[name]))?.bytes;
          },
        });
      ctx.body = await (format === 'docx' ? inTurn(make) : make());
      const name = `${input.base}.${format}`;
      ctx.attachment(name, { fallback: asciiName(name) });
      ctx.type = mediaTypes[format];
    },
  }),
];

/** Formats that a link opens. */
const linkFormats: readonly string[] = ['md', 'txt'];

/** What a link opens is said in `sharedNote`: not what its owner wrote beside it, what its file was called, or what interrupted it. */
async function inputFor(
  { row, right: { role } }: SeenRecording,
  whole: DocumentsInput,
): Promise<DocumentsInput> {
  if (role === 'owner') return whole;
  const read = asReadByOthers(whole, await baseOfToday(row));
  return role === 'link' ? { ...read, source: null, interruptions: [], sidenotes: [] } : read;
}

/** For clients that know no `filename*` (RFC 6266): without accents, `_` for what ASCII has not. */
const asciiName = (name: string): string =>
  name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll('ß', 'ss')
    .replaceAll(/[^ -~]|["\\%/]/gu, '_');
