import * as z from 'zod';
import { querySchema as eventsQuery } from '../routes/events.ts';
import { querySchema as socketQuery } from '../upgrade.ts';
import type { Operation } from './operation.ts';
import * as answers from './other-answers.ts';
import { factPage, status } from './recording-answers.ts';

/** What is going on, and what looks after the service. */
export const hostOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/status',
    id: 'status',
    tag: 'Status',
    summary: 'What is going on for the caller, and what waits for them',
    answers: { 200: { description: 'The status.', json: status } },
  },
  {
    method: 'get',
    path: '/ws',
    id: 'webSocket',
    tag: 'Status',
    summary: 'What happens, as it happens: a WebSocket',
    description:
      'Every frame from the service is a `ServerFrame`: first `status` at position P; with `after` ' +
      'everything durable in (after, P]; then what happens, without gap or double. Close codes: 1001 ' +
      'the service stops, 1008 the session ended, 1009 message too large, 1011 the service could not ' +
      'go on, 1013 too slow: come back with `after`. The token goes into `?token=`, into the ' +
      'subprotocols (`Sec-WebSocket-Protocol: mitschrift, <token>`), or, from what is no browser, into ' +
      '`Authorization`.',
    query: socketQuery.extend({ token: z.string().optional() }),
    answers: { 101: { description: 'A WebSocket from here on.' } },
    problems: [
      'upgrade-required',
      'too-many-connections',
      'not-admin',
      'cross-origin',
      'not-found',
    ],
  },
  {
    method: 'get',
    path: '/machine',
    id: 'machine',
    tag: 'Status',
    summary: 'The statechart of a recording',
    answers: { 200: { description: 'Made from the machine itself.', json: answers.chart } },
  },
  {
    method: 'get',
    path: '/events',
    id: 'events',
    tag: 'Watching',
    summary: 'The log, a page at a time',
    description: 'Content is left out, except that of the caller’s own recordings.',
    query: eventsQuery,
    answers: { 200: { description: 'A page of facts.', json: factPage } },
  },
  {
    method: 'get',
    path: '/doctor',
    id: 'doctor',
    tag: 'Watching',
    summary: 'What is there, what is missing, and what to do about it',
    answers: {
      200: { description: 'The checks.', json: z.object({ checks: z.array(answers.check) }) },
    },
  },
  {
    method: 'get',
    path: '/metrics',
    id: 'metrics',
    tag: 'Watching',
    summary: 'Figures for Prometheus',
    description: 'For administrators, and for whoever sends `metrics.token` as the bearer token.',
    answers: { 200: { description: 'The figures.', media: ['text/plain'] } },
  },
];
