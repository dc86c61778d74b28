import * as z from 'zod';
import { reprocessSchema } from '../routes/recording-actions.ts';
import { bodySchema as speakersBody } from '../routes/speakers.ts';
import { bodySchema as toggleBody } from '../routes/toggle.ts';
import { eventsSchema, listSchema } from '../routes/recordings.ts';
import { searchSchema } from '../routes/search.ts';
import { listSchema as transcriptsSchema } from '../routes/documents.ts';
import { fieldsSchema } from '../routes/uploads.ts';
import type { Operation } from './describe-operation.ts';
import * as answers from './recording-answers.ts';

const nextCursor = z
  .string()
  .nullable()
  .describe('`cursor` of the next page; null: this is the last');
const going = { description: 'Taken; work goes on.', json: answers.accepted };
const done = { description: 'Done.', json: answers.accepted };

const command = (
  verb: string,
  id: string,
  summary: string,
  status: 200 | 202 = 200,
): Operation => ({
  method: 'post',
  path: `/recordings/{id}/${verb}`,
  id,
  tag: 'Recordings',
  summary,
  body: { kind: 'json', schema: z.strictObject({}), optional: true },
  answers: { [status]: status === 200 ? done : going },
  problems: ['not-found', 'not-accepted'],
  command: true,
});

/** Recordings, their documents, and who spoke. */
export const recordingOperations: readonly Operation[] = [
  {
    method: 'post',
    path: '/toggle',
    id: 'toggle',
    tag: 'Recordings',
    summary: 'Starts or stops a recording from a device, or clears the caller’s errors',
    description:
      'Without `action`: the caller’s recording from a device runs → stops it; their status is ERROR → ' +
      'clears all their errors; else starts one.',
    body: { kind: 'json', schema: toggleBody, optional: true },
    answers: {
      200: {
        description: 'Which of them it did.',
        json: z.object({
          status: answers.statusName,
          recording_id: z.string().nullable(),
          action: z.enum(['start', 'stop', 'reset']),
        }),
      },
    },
    problems: [
      'not-accepted',
      'unavailable',
      'device-unavailable',
      'not-recording',
      'already-recording',
      'disk-full',
      'space-limit',
    ],
    command: true,
  },
  {
    method: 'post',
    path: '/recordings',
    id: 'uploadRecording',
    tag: 'Recordings',
    summary: 'Takes an audio file; it goes through the same pipeline as a captured one',
    body: { kind: 'form', fields: fieldsSchema },
    answers: {
      202: { ...going, headers: { Location: 'Path of the recording.' } },
    },
    problems: ['not-found', 'unsupported-media', 'disk-full', 'space-limit'],
    command: true,
  },
  {
    method: 'get',
    path: '/recordings',
    id: 'listRecordings',
    tag: 'Recordings',
    summary: 'The caller’s recordings, also unfinished and failed ones, newest first',
    description:
      '`owner=guest` shows an administrator those of tray and hotkey, the id of a deleted user what they left.',
    query: listSchema,
    answers: {
      200: {
        description: 'A page.',
        json: z.object({
          recordings: z.array(answers.recordingLine),
          next_cursor: nextCursor,
        }),
      },
    },
    problems: ['not-admin'],
  },
  {
    method: 'get',
    path: '/recordings/{id}',
    id: 'readRecording',
    tag: 'Recordings',
    summary: 'One recording with its words',
    answers: { 200: { description: 'The recording.', json: answers.recording } },
    problems: ['not-found'],
  },
  {
    method: 'get',
    path: '/recordings/{id}/events',
    id: 'recordingEvents',
    tag: 'Recordings',
    summary: 'The facts a recording consists of',
    query: eventsSchema,
    answers: { 200: { description: 'A page of facts.', json: answers.factPage } },
    problems: ['not-found'],
  },
  command('pause', 'pauseRecording', 'Pauses a running recording'),
  command('resume', 'resumeRecording', 'Goes on with a paused recording'),
  command('discard', 'discardRecording', 'Ends a running recording and erases it'),
  command('cancel', 'cancelProcessing', 'Ends the processing and keeps the audio'),
  command('retry', 'retryStage', 'Tries the failed stage again', 202),
  {
    ...command('reprocess', 'reprocessRecording', 'Processes the recording again', 202),
    body: { kind: 'json', schema: reprocessSchema, optional: true },
  },
  {
    method: 'post',
    path: '/speakers',
    id: 'nameSpeakers',
    tag: 'Speakers',
    summary: 'Ends the pause of a meeting by names, or without',
    description:
      'An empty or missing name keeps the label. Without `recording_id` only when exactly one waits.',
    body: { kind: 'json', schema: speakersBody, optional: true },
    answers: { 200: done },
    problems: ['not-found', 'not-accepted', 'nobody-waiting', 'several-waiting'],
    command: true,
  },
  {
    method: 'get',
    path: '/transcripts',
    id: 'listTranscripts',
    tag: 'Transcripts',
    summary: 'Recordings with documents, newest first',
    query: transcriptsSchema,
    answers: {
      200: {
        description: 'A page.',
        json: z.object({ transcripts: z.array(answers.libraryItem), next_cursor: nextCursor }),
      },
    },
  },
  {
    method: 'get',
    path: '/transcripts/{filename}',
    id: 'readDocument',
    tag: 'Transcripts',
    summary: 'One document',
    headers: [{ name: 'If-None-Match', description: 'An `ETag`: 304 while it is the same.' }],
    answers: {
      200: {
        description: 'The document.',
        media: ['text/markdown'],
        headers: { ETag: 'Names this version of the document.' },
      },
      304: { description: 'Not changed since.' },
    },
    problems: ['malformed-request', 'outside-space', 'not-found', 'too-large'],
  },
  {
    method: 'post',
    path: '/transcripts/{filename}/reprocess',
    id: 'reprocessTranscript',
    tag: 'Transcripts',
    summary: 'Processes the document’s recording again',
    description: 'The old version stays until the new one is complete.',
    body: { kind: 'json', schema: reprocessSchema, optional: true },
    answers: { 202: going },
    problems: ['malformed-request', 'outside-space', 'not-found', 'not-accepted'],
    command: true,
  },
  {
    method: 'get',
    path: '/search',
    id: 'search',
    tag: 'Transcripts',
    summary: 'Transcripts of the caller in which all words of a question are',
    description:
      'Without regard to case and accents; words may be beginnings, or misspelt a little.',
    query: searchSchema,
    answers: {
      200: {
        description: 'Best first.',
        json: z.object({
          hits: z.array(answers.hit),
          complete: z.boolean().describe('false: there is no room to search the oldest ones'),
        }),
      },
    },
  },
];
