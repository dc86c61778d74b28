import * as z from 'zod';
import { openSchema } from '../routes/open.ts';
import type { Operation } from './operation.ts';

const conflict = z
  .object({ path: z.string(), copy: z.string() })
  .describe('a note that was changed in the vault and kept; ours is `copy`');

/** Documents in the programs of the person’s own machine. */
export const openOperations: readonly Operation[] = [
  {
    method: 'post',
    path: '/open',
    id: 'openDocuments',
    tag: 'Transcripts',
    summary: 'Opens documents in the file manager or in the notes application',
    description:
      'Programs are launched only for requests from the service’s own machine; others get a `uri`. ' +
      '`notes` copies the documents into the vault (`notes.vault`) first, for administrators and for ' +
      'requests from that machine; where only an index is given, its transcript and summary too.',
    body: { kind: 'json', schema: openSchema },
    answers: {
      200: {
        description: 'What was opened, or copied to be opened.',
        json: z.object({
          opened: z.array(z.string()),
          uri: z.string().optional(),
          conflicts: z.array(conflict).optional(),
        }),
      },
    },
    problems: ['not-found', 'outside-space', 'too-large', 'unavailable', 'busy'],
  },
];
