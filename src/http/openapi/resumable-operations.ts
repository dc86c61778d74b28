import type { Answer, Operation, RequestHeader } from './operation.ts';
import { accepted } from './recording-answers.ts';

const version: RequestHeader = {
  name: 'Tus-Resumable',
  description: '`1.0.0`',
  required: true,
};
const protocol = 'tus 1.0: https://tus.io/protocols/resumable-upload';
const offset = { 'Upload-Offset': 'Bytes that are there.', 'Upload-Expires': 'When it is over.' };
const nothing: Answer = { description: 'Gone.' };

/** Uploads that can be taken up again where a connection broke off. */
export const resumableOperations: readonly Operation[] = [
  {
    method: 'options',
    path: '/uploads',
    id: 'resumableUploads',
    tag: 'Recordings',
    summary: 'What of the protocol of resumable uploads is spoken here',
    description: protocol,
    answers: {
      204: {
        description: 'In headers.',
        headers: {
          'Tus-Version': '`1.0.0`',
          'Tus-Extension': 'Extensions of the protocol.',
          'Tus-Max-Size': 'Bytes an upload may have.',
        },
      },
    },
  },
  {
    method: 'post',
    path: '/uploads',
    id: 'beginUpload',
    tag: 'Recordings',
    summary: 'Begins a resumable upload',
    description: protocol,
    headers: [
      version,
      { name: 'Upload-Length', description: 'Bytes of the file.' },
      { name: 'Upload-Defer-Length', description: '`1`: the length is told later.' },
      {
        name: 'Upload-Metadata',
        description:
          '`filename`, and the fields of `POST /recordings`, each with its value in Base64.',
      },
    ],
    answers: {
      201: { description: 'Begun.', headers: { Location: 'Its address, for PATCH.', ...offset } },
    },
    problems: [
      'malformed-request',
      'too-large',
      'invalid',
      'tus-version',
      'busy',
      'view-stopped',
      'space-limit',
    ],
  },
  {
    method: 'patch',
    path: '/uploads/{upload}',
    id: 'continueUpload',
    tag: 'Recordings',
    summary: 'Sends a piece of a resumable upload; the last one makes it a recording',
    description:
      'HEAD tells how much is there. The address is the right to send: no login is needed.',
    headers: [
      version,
      { name: 'Upload-Offset', description: 'Where the piece begins.', required: true },
      { name: 'Upload-Length', description: 'Bytes of the file, if it was not told before.' },
    ],
    body: {
      kind: 'other',
      mediaType: 'application/offset+octet-stream',
      description: 'Any number of bytes from there on.',
    },
    answers: {
      202: {
        description: 'That was all of it: a recording, and work goes on.',
        json: accepted,
        headers: { Location: 'Path of the recording.', ...offset },
      },
      204: { description: 'Taken.', headers: offset },
    },
    problems: [
      'malformed-request',
      'not-found',
      'wrong-offset',
      'upload-over',
      'tus-version',
      'too-large',
      'unsupported-media',
      'invalid',
      'disk-full',
      'space-limit',
    ],
    command: true,
  },
  {
    method: 'delete',
    path: '/uploads/{upload}',
    id: 'endUpload',
    tag: 'Recordings',
    summary: 'Gives a resumable upload up',
    headers: [version],
    answers: { 204: nothing },
    problems: ['malformed-request', 'not-found', 'tus-version', 'upload-over'],
  },
];
