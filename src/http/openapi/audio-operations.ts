import * as z from 'zod';
import { mediaTypes } from '../../export/formats.ts';
import { peaksSchema } from '../routes/audio.ts';
import { exportSchema } from '../routes/export.ts';
import type { Answer, Operation, RequestHeader } from './operation.ts';

const notChanged: Answer = { description: 'Not changed since.' };
const tag = { ETag: 'Names the audio it is of.' };
const ifNoneMatch: RequestHeader = {
  name: 'If-None-Match',
  description: 'An `ETag`: 304 while it is the same.',
};
const audioTypes = ['audio/*', 'application/octet-stream'];

/** What a player needs: the audio, its picture, and a way to open both. */
export const audioOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/recordings/{id}/audio',
    id: 'audio',
    tag: 'Recordings',
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
    problems: ['not-found', 'range-not-satisfiable', 'invalid'],
  },
  {
    method: 'get',
    path: '/recordings/{id}/peaks',
    id: 'peaks',
    tag: 'Recordings',
    summary: 'How loud it is, for drawing it',
    query: peaksSchema.omit({ ticket: true }),
    headers: [ifNoneMatch],
    answers: {
      200: {
        description: 'The highest sample of each piece.',
        json: z.object({ per_second: z.number().int(), peaks: z.array(z.number()) }),
        headers: tag,
      },
      304: notChanged,
    },
    problems: ['not-found', 'unavailable'],
  },
  {
    method: 'get',
    path: '/recordings/{id}/export',
    id: 'export',
    tag: 'Recordings',
    summary: 'The transcript as a file; `zip`: the three documents',
    query: exportSchema.omit({ ticket: true }),
    answers: {
      200: {
        description: 'The file.',
        media: Object.values(mediaTypes).map((type) => type.split(';')[0]!),
        headers: { 'Content-Disposition': 'Its name.' },
      },
    },
    problems: ['not-found'],
  },
  {
    method: 'post',
    path: '/recordings/{id}/ticket',
    id: 'ticket',
    tag: 'Recordings',
    summary: 'Opens audio, peaks and export of a recording to what cannot send a token',
    answers: {
      201: {
        description: 'Goes as `?ticket=` there, and nowhere else.',
        json: z.object({ ticket: z.string(), expires_at: z.string() }),
      },
    },
    problems: ['not-found'],
  },
];
