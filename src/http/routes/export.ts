import * as z from 'zod';
import { recordings } from '../../../projections/recordings.ts';
import { transcriptOf } from '../../../projections/transcripts.ts';
import { readDocument } from '../../documents/space.ts';
import { exportInput } from '../../documents/documents-input.ts';
import { exportFormats, exported, mediaTypes } from '../../export/formats.ts';
import { callerOf } from '../middleware/authenticate.ts';
import { queryOf } from '../body.ts';
import { limits } from '../limits.ts';
import { notFound } from '../problems.ts';
import { exportedAnswer } from '../recording-answer.ts';
import { visibleRecording } from '../visible-recording.ts';
import type { AddRoutes } from '../services.ts';
import { limited } from '../../shared/mutex.ts';

/** `GET /recordings/{id}/export`: the transcript as a file of another program's. */
export const exportRoutes: AddRoutes = (router, services) => {
  const { storage, spaceOf } = services;
  // A Word file of a long meeting takes seconds of a thread and some memory: one after the other.
  const inTurn = limited(1, limits.exportsWaitingMax);

  router.get('/recordings/:id/export', async (ctx) => {
    const { format } = queryOf(ctx, exportSchema);
    services.projections.assertRunning(recordings.name);
    const row = await visibleRecording(services, callerOf(ctx.state), ctx.params['id']!);
    const transcript = await transcriptOf(storage, row.recording_id);
    const wordless = transcript?.blocks.length === 0 && transcript.utterances.length === 0;
    if (!transcript || (wordless && row.documents === null)) {
      throw notFound('There is no transcript of this recording yet.');
    }
    const input = await exportInput(row, transcript, {
      uiLanguage: services.settings()['ui.language'],
      times: services.settings()['documents.times'],
      links: services.settings()['speakers.links'],
    });
    const make = () =>
      exported(format, {
        input,
        json: () => exportedAnswer(row, transcript, input),
        async stored(name) {
          if (row.documents === null) return undefined;
          return (await readDocument(await spaceOf(row.owner), row.documents[name]))?.bytes;
        },
      });
    ctx.body = await (format === 'docx' ? inTurn(make) : make());
    const name = `${input.base}.${format}`;
    ctx.attachment(name, { fallback: asciiName(name) });
    ctx.type = mediaTypes[format];
  });
};

export const exportSchema = z.strictObject({
  format: z.enum(exportFormats).default('md'),
  ticket: z.string().optional(),
});

/** For clients that know no `filename*` (RFC 6266): without accents, `_` for what ASCII has not. */
const asciiName = (name: string): string =>
  name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll('ß', 'ss')
    .replaceAll(/[^ -~]|["\\%/]/gu, '_');
