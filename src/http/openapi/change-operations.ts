import * as z from 'zod';
import { namesSchema, recordingSchema, utteranceSchema } from '../routes/recording-changes.ts';
import type { Operation } from './operation.ts';
import * as answers from './recording-answers.ts';

const changed = {
  200: { description: 'The recording as it is now.', json: answers.recordingLine },
};
const worker = z
  .object({ engine: z.string(), model: z.string().nullable() })
  .nullable()
  .describe('null: it took no part');
const version = z.object({
  version: z.number().int(),
  at: z.string().describe('RFC 3339, UTC'),
  why: z.array(z.string()).describe('types of the facts that led to it'),
  by: z.string().describe('id of the user'),
  run: z.number().int(),
  speech_to_text: worker,
  language_model: worker,
  title: z.string().nullable(),
  current: z.boolean(),
});

/** What people change of recordings and documents afterwards. */
export const changeOperations: readonly Operation[] = [
  {
    method: 'patch',
    path: '/recordings/{id}',
    id: 'changeRecording',
    tag: 'Recordings',
    summary: 'Says what a recording is called, what kind it is, what was spoken, whose it is',
    description:
      'File names stay; an old title becomes an alias. An administrator hands a recording over: its ' +
      'documents move to the other space.',
    body: { kind: 'json', schema: recordingSchema },
    answers: changed,
    problems: ['not-found', 'not-accepted', 'not-admin'],
    command: true,
  },
  {
    method: 'patch',
    path: '/recordings/{id}/utterances/{index}',
    id: 'correctUtterance',
    tag: 'Recordings',
    summary: 'Corrects a passage: its words, or who said them',
    description: 'Words that stay keep their times. The documents follow.',
    body: { kind: 'json', schema: utteranceSchema },
    answers: changed,
    problems: ['not-found', 'not-accepted'],
    command: true,
  },
  {
    method: 'patch',
    path: '/recordings/{id}/speakers',
    id: 'renameSpeakers',
    tag: 'Speakers',
    summary: 'Changes names afterwards; no engine is asked',
    description: 'An empty name takes a name away.',
    body: { kind: 'json', schema: namesSchema },
    answers: changed,
    problems: ['not-found', 'not-accepted'],
    command: true,
  },
  {
    method: 'get',
    path: '/recordings/{id}/versions',
    id: 'listVersions',
    tag: 'Recordings',
    summary: 'Every version of the documents, newest first',
    answers: {
      200: { description: 'The versions.', json: z.object({ versions: z.array(version) }) },
    },
    problems: ['not-found'],
  },
  {
    method: 'post',
    path: '/recordings/{id}/versions/{version}/restore',
    id: 'restoreVersion',
    tag: 'Recordings',
    summary: 'Switches back to an earlier version, which becomes the newest',
    body: { kind: 'json', schema: z.strictObject({}), optional: true },
    answers: changed,
    problems: ['not-found', 'not-accepted'],
    command: true,
  },
  {
    method: 'delete',
    path: '/recordings/{id}',
    id: 'eraseRecording',
    tag: 'Recordings',
    summary: 'Erases a recording: documents, audio and every word of it, for good',
    description: 'Whatever is done with it is cancelled first.',
    answers: { 204: { description: 'Nothing of it can be read any more.' } },
    problems: ['not-found', 'not-accepted'],
    command: true,
  },
  {
    method: 'put',
    path: '/transcripts/{filename}',
    id: 'editDocument',
    tag: 'Transcripts',
    summary: 'Takes a document that somebody edited',
    description:
      'What can be told by its block ids becomes corrections of the transcript; with anything else ' +
      'the whole is kept as their own version, and `own` says so.',
    headers: [
      { name: 'If-Match', description: '`ETag` of the document that was edited.', required: true },
    ],
    body: {
      kind: 'other',
      mediaType: 'text/markdown',
      description: 'The whole document.',
      bytesMax: 10 * 1024 * 1024,
    },
    answers: {
      200: {
        description: 'Taken.',
        json: z.object({
          ...answers.accepted.shape,
          corrections: z.number().int().describe('how many passages were corrected'),
          own: z.boolean(),
        }),
        headers: { ETag: 'Names the document as it is now.' },
      },
    },
    problems: ['malformed-request', 'outside-space', 'not-found', 'not-accepted'],
    command: true,
  },
  {
    method: 'delete',
    path: '/transcripts/{filename}',
    id: 'deleteDocument',
    tag: 'Transcripts',
    summary: 'Deletes a document, with an index all three; the recording stays',
    answers: { 204: { description: 'It is gone.' } },
    problems: ['malformed-request', 'outside-space', 'not-found', 'not-accepted'],
    command: true,
  },
];
