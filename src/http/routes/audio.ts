import { detail } from '../../words/details.ts';
import { fieldFault } from '../../words/field-faults.ts';
import { wrong } from '../../shared/in-words.ts';
import type { Context } from 'koa';
import parseRange from 'range-parser';
import * as z from 'zod';
import { extname } from 'node:path';
import type { RecordingRow } from '../../../projections/recording-row.ts';
import type { AudioStore, OpenAudio } from '../../storage/audio/audio-store.ts';
import { openPeaks, peaksPerSecondMax } from '../../audio/peaks.ts';
import { StageError, hasCode } from '../../shared/errors.ts';
import { limits } from '../limits.ts';
import { accessWatchOf } from '../access-watch.ts';
import { Problem, invalid, notFound } from '../problems.ts';
import { noteLook } from '../looked.ts';
import { seenRecording, visibleRecording } from '../visible-recording.ts';
import { type Answer, type RequestHeader, perApp, routesOf } from '../route.ts';

const route = routesOf({ tag: 'Recordings', access: 'ticket' });

const tag = { ETag: 'Names the audio it is of.' };
const ifNoneMatch: RequestHeader = {
  name: 'If-None-Match',
  description: 'An `ETag`: 304 while it is the same.',
};
const notChanged: Answer = { description: 'Not changed since.' };
const audioTypes = ['audio/*', 'application/octet-stream'];

const peaksOf = perApp(openPeaks);

/** What a player needs: the kept audio, whole or in ranges, and its picture. */
export const audioRoutes = [
  route('get', '/recordings/{id}/audio', {
    id: 'audio',
    summary: 'The kept audio, whole or a range of it',
    headers: [
      ifNoneMatch,
      { name: 'Range', description: 'One range of bytes (RFC 9110, 14.2).' },
      { name: 'If-Range', description: 'An `ETag`: the whole audio when it is another.' },
    ],
    answers: {
      200: { description: 'All of it.', media: audioTypes, headers: tag },
      206: { description: 'The range.', media: audioTypes, headers: tag },
      304: notChanged,
    },
    problems: ['range-not-satisfiable', 'invalid'],
    async run({ ctx, params, caller }, services) {
      const seen = await seenRecording(services, caller, params.id, 'audio');
      const { audio, file } = await openAudio(services.audio, seen.row);
      noteLook(services, caller, seen, 'heard');
      // What was begun ends with the right to hear it.
      const watched = { caller, recordingId: params.id, needs: 'audio' as const };
      const unwatch = accessWatchOf(services).watch(watched, () => ctx.res.destroy());
      ctx.res.once('close', unwatch);
      await sendAudio(ctx, audio, file);
    },
  }),
  route('get', '/recordings/{id}/peaks', {
    id: 'peaks',
    summary: 'How loud it is, for drawing it',
    query: z.strictObject({
      per_second: z
        .string()
        .regex(/^\d{1,3}$/, wrong('field-type', { type: 'number' }))
        .transform(Number)
        .refine((value) => peaksPerSecondMax % value === 0, {
          message: wrong('peaks-rate', { most: peaksPerSecondMax }),
        })
        .default(20),
    }),
    headers: [ifNoneMatch],
    answers: {
      200: {
        description: 'The highest sample of each piece.',
        json: z.object({ per_second: z.number().int(), peaks: z.array(z.number()) }),
        headers: tag,
      },
      304: notChanged,
    },
    problems: ['unavailable'],
    async run({ ctx, params, query: { per_second: perSecond }, caller }, services) {
      const row = await visibleRecording(services, caller, params.id, 'audio');
      const { recordingId, audio: file } = row;
      if (file === null) throw notKept();
      const { audio } = services;
      const { sha256 } = file;
      const gone = new AbortController();
      ctx.res.once('close', () => gone.abort());
      let peaks: number[];
      try {
        peaks = await peaksOf(services)({
          folder: await audio.workFolder(recordingId),
          read: (work) => audio.read(recordingId, file, work),
          sha256,
          perSecond,
          signal: gone.signal,
        });
      } catch (error) {
        // The client has gone: there is nothing to answer.
        if (gone.signal.aborted) return undefined;
        throw asProblem(error);
      }
      if (peaks.length > limits.peaksMax) {
        throw invalid([{ path: 'per_second', fault: fieldFault('peaks-too-many') }]);
      }
      cacheable(ctx, `${sha256}-${perSecond}`);
      if (!ctx.fresh) return { per_second: perSecond, peaks };
      ctx.status = 304;
      return undefined;
    },
  }),
];

const notKept = () => notFound(detail('audio-not-kept'));

/** By the extensions that ffmpeg's containers have (`src/audio/ffmpeg.ts`). */
const audioMediaTypes: Readonly<Record<string, string>> = {
  '.aac': 'audio/aac',
  '.aif': 'audio/aiff',
  '.aiff': 'audio/aiff',
  '.amr': 'audio/amr',
  '.avi': 'video/x-msvideo',
  '.caf': 'audio/x-caf',
  '.flac': 'audio/flac',
  '.m4a': 'audio/mp4',
  '.m4b': 'audio/mp4',
  '.mka': 'audio/x-matroska',
  '.mkv': 'video/x-matroska',
  '.mov': 'video/quicktime',
  '.mp3': 'audio/mpeg',
  '.mp4': 'video/mp4',
  '.mpeg': 'video/mpeg',
  '.mpg': 'video/mpeg',
  '.oga': 'audio/ogg',
  '.ogg': 'audio/ogg',
  '.opus': 'audio/ogg; codecs=opus',
  '.wav': 'audio/wav',
  '.weba': 'audio/webm',
  '.webm': 'video/webm',
  '.wma': 'audio/x-ms-wma',
};

/** Answers 200, 206, 304 or 416 (RFC 9110, 14). Of several ranges the whole file is sent, as it allows. */
async function sendAudio(ctx: Context, { path, sha256 }: Kept, file: OpenAudio): Promise<void> {
  const { size } = file;
  const type = audioMediaTypes[extname(path)] ?? 'application/octet-stream';
  let streaming = false;
  try {
    cacheable(ctx, sha256);
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
    ctx.body = await file.stream(start, end);
    streaming = true;
    // Setting a stream as the body forgets the length and says its own type.
    ctx.type = type;
    ctx.length = end - start + 1;
  } finally {
    if (!streaming) await file.close();
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
    throw new Problem('range-not-satisfiable', {
      params: { size },
      headers: { 'Content-Range': `bytes */${size}` },
    });
  }
  if (ranges === -2 || ranges.type !== 'bytes') return whole;
  const [range, ...others] = ranges;
  if (!range || others.length > 0) return whole;
  const { start, end } = range;
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

/** What the person can do nothing about is said in the failure’s own sentence. */
function asProblem(error: unknown): unknown {
  if (error instanceof StageError) {
    return new Problem('unavailable', { said: error.sentence, cause: error });
  }
  return hasCode(error, 'ENOENT') ? notKept() : error;
}

/** The kept audio of a recording, open for reading. @throws {Problem} 404 when there is none yet, or it was not kept. */
type Kept = NonNullable<RecordingRow['audio']>;

async function openAudio(
  store: AudioStore,
  { recordingId, audio }: RecordingRow,
): Promise<{ audio: Kept; file: OpenAudio }> {
  if (audio === null) throw notKept();
  try {
    return { audio, file: await store.open(recordingId, audio) };
  } catch (error) {
    if (hasCode(error, 'ENOENT')) throw notKept();
    throw error;
  }
}
