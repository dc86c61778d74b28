import * as z from 'zod';
import { combinedSchema } from '../routes/audio-devices.ts';
import type { Operation } from './operation.ts';

const source = z.object({ name: z.string(), description: z.string() });

/** Input devices, and the source that joins a microphone and what the speakers play. */
export const deviceOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/audio/devices',
    id: 'audioDevices',
    tag: 'Host',
    summary: 'Input devices, by the names that `audio.device` takes',
    answers: {
      200: {
        description: 'The names.',
        json: z.object({ devices: z.array(z.string()), default: z.string().nullable() }),
      },
    },
    problems: ['unavailable'],
  },
  {
    method: 'get',
    path: '/audio/sources',
    id: 'audioSources',
    tag: 'Host',
    summary: 'Microphones and speaker monitors, as the audio server names them',
    answers: {
      200: {
        description: 'The names, for `POST /audio/combined`.',
        json: z.object({ microphones: z.array(source), monitors: z.array(source) }),
      },
    },
    problems: ['unavailable'],
  },
  {
    method: 'post',
    path: '/audio/combined',
    id: 'combineAudio',
    tag: 'Host',
    summary: 'Joins a microphone and a monitor to one device, and sets `audio.device` to it',
    description:
      'The chain stands until the next recording from it has ended, and is built again for each.',
    body: { kind: 'json', schema: combinedSchema },
    answers: {
      200: {
        description: 'The chain stands.',
        json: z.object({
          device: z.string(),
          module_ids: z.array(z.number().int()).describe('of the audio server’s modules'),
        }),
      },
    },
    problems: ['unavailable', 'device-unavailable', 'overridden'],
    command: true,
  },
  {
    method: 'delete',
    path: '/audio/combined',
    id: 'uncombineAudio',
    tag: 'Host',
    summary: 'Tears the chain down and forgets the selection',
    answers: { 204: { description: 'Done.' } },
    problems: ['unavailable', 'device-unavailable'],
  },
];
