import { createReadStream } from 'node:fs';
import type { Context } from 'koa';
import parseRange from 'range-parser';
import * as z from 'zod';
import type { RecordingRow } from '../../../projections/recording-row.ts';
import { openPeaks, peaksPerSecondMax } from '../../audio/peaks.ts';
import { StageError } from '../../stage-error.ts';
import { audioPath, notKept, openAudioFile, type AudioFile } from '../audio-file.ts';
import { callerOf } from '../authenticate.ts';
import { queryOf } from '../json-body.ts';
import { limits } from '../limits.ts';
import { Problem, invalid } from '../problems.ts';
import { visibleRecording } from '../visible-recording.ts';
import type { AddRoutes } from './add-routes.ts';

/** The kept audio, whole or in ranges, and what is needed to draw it. */
export const audioRoutes: AddRoutes = (router, services) => {
  const { dataDir } = services;
  const peaksOf = openPeaks();

  router.get('/recordings/:id/audio', async (ctx) => {
    const row = await visibleRecording(services, callerOf(ctx.state), ctx.params['id']!);
    await sendAudio(ctx, row, await openAudioFile(dataDir, row));
  });

  router.get('/recordings/:id/peaks', async (ctx) => {
    const { per_second: perSecond } = queryOf(ctx, peaksSchema);
    const row = await visibleRecording(services, callerOf(ctx.state), ctx.params['id']!);
    const { sha256 } = row.audio ?? { sha256: '' };
    const gone = new AbortController();
    ctx.res.once('close', () => gone.abort());
    const wanted = { audio: audioPath(dataDir, row), sha256, perSecond, signal: gone.signal };
    let peaks: number[];
    try {
      peaks = await peaksOf(wanted);
    } catch (error) {
      // Nobody is there to be told anything.
      if (gone.signal.aborted) return;
      throw asProblem(error);
    }
    if (peaks.length > limits.peaksMax) {
      throw invalid([{ path: 'per_second', message: 'is too much for so long a recording' }]);
    }
    cacheable(ctx, `${sha256}-${perSecond}`);
    if (ctx.fresh) {
      ctx.status = 304;
      return;
    }
    ctx.body = { per_second: perSecond, peaks };
  });
};

export const peaksSchema = z.strictObject({
  ticket: z.string().optional(),
  per_second: z
    .string()
    .regex(/^\d{1,3}$/, 'must be a number')
    .transform(Number)
    .refine((value) => peaksPerSecondMax % value === 0, {
      message: `must be a divisor of ${peaksPerSecondMax}, such as 10, 20 or 50`,
    })
    .default(20),
});

/** Answers 200, 206, 304 or 416 (RFC 9110, 14). Of several ranges the whole file is sent, as it allows. */
async function sendAudio(ctx: Context, row: RecordingRow, file: AudioFile): Promise<void> {
  const { handle, size, type } = file;
  let streaming = false;
  try {
    cacheable(ctx, row.audio!.sha256);
    ctx.set('Accept-Ranges', 'bytes');
    ctx.status = 200;
    if (ctx.fresh) {
      ctx.status = 304;
      return;
    }
    const { start, end } = requestedRange(ctx, size);
    ctx.type = type;
    ctx.length = end - start + 1;
    if (ctx.method === 'HEAD' || size === 0) return;
    streaming = true;
    ctx.body = createReadStream('', { fd: handle, start, end });
    // Setting a stream as the body forgets the length and says its own type.
    ctx.type = type;
    ctx.length = end - start + 1;
  } finally {
    if (!streaming) await handle.close();
  }
}

/** First and last byte to send; 206 is set when it is not all. @throws {Problem} 416 */
function requestedRange(ctx: Context, size: number): { start: number; end: number } {
  const whole = { start: 0, end: size - 1 };
  const header = ctx.get('Range');
  const ifRange = ctx.get('If-Range');
  if (header === '' || (ifRange !== '' && ifRange !== ctx.response.get('ETag'))) return whole;
  const ranges = parseRange(size, header, { combine: true });
  if (ranges === -1) {
    throw new Problem('range-not-satisfiable', `The audio has ${size} bytes.`, {
      headers: { 'Content-Range': `bytes */${size}` },
    });
  }
  if (ranges === -2 || ranges.type !== 'bytes' || ranges.length !== 1) return whole;
  const { start, end } = ranges[0]!;
  ctx.status = 206;
  ctx.set('Content-Range', `bytes ${start}-${end}/${size}`);
  return { start, end };
}

/** By its owner's browser only, which has to ask whether it is still the same. */
function cacheable(ctx: Context, tag: string): void {
  ctx.set('ETag', `"${tag}"`);
  ctx.set('Cache-Control', 'private, no-cache');
  ctx.status = 200;
}

/** What the person can do nothing about is said in the decoder's own sentence. */
function asProblem(error: unknown): unknown {
  if (error instanceof StageError) {
    return new Problem('unavailable', error.message, { cause: error });
  }
  return (error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT' ? notKept() : error;
}
