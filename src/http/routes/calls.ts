import * as z from 'zod';
import { answerCall, callAnswerSchema } from '../../capture/calls/answer-call.ts';
import { callShown, mayAnswerCalls } from '../feed/call-frame.ts';
import { callQuestion } from '../openapi/other-answers.ts';
import { untilReadable } from '../written.ts';
import { detail } from '../../words/details.ts';
import { isLocal } from '../peer.ts';
import { Problem } from '../problems.ts';
import { routesOf } from '../route.ts';
import { recordingProblems } from './devices.ts';

const route = routesOf({ tag: 'Host' });

/** The question about a call, to people at the server's own computer. */
export const callRoutes = [
  route('get', '/audio/call', {
    id: 'call',
    summary: 'What is asked about a call on the server’s computer',
    description:
      'A program that uses the microphone and plays sound for five seconds is asked about (`calls.ask`), and again ' +
      'when a recorded call is over. Only requests of the user who runs the server, on its computer, see it.',
    answers: {
      200: { description: 'The question.', json: z.object({ question: callQuestion.nullable() }) },
    },
    async run({ ctx, caller }, services) {
      return { question: (await isLocal(ctx.req)) ? callShown(services, caller) : null };
    },
  }),
  route('post', '/audio/call', {
    id: 'answerCall',
    summary: 'Answers the question about a call',
    body: { json: callAnswerSchema },
    answers: {
      200: {
        description: 'Done.',
        json: z.object({ recording_id: z.string().nullable().describe('begun or stopped') }),
      },
    },
    problems: ['overridden', ...recordingProblems],
    command: true,
    async run({ ctx, body, caller, onBehalf: { command } }, services) {
      const may = mayAnswerCalls(services, caller) && (await isLocal(ctx.req));
      if (!may) throw new Problem('not-a-recorder', { said: detail('call-elsewhere') });
      const who = { owner: caller.userId, trigger: 'api', command };
      const done = await answerCall(services, who, body);
      if (done) await untilReadable(services, done);
      return { recording_id: done?.recordingId ?? null };
    },
  }),
];
