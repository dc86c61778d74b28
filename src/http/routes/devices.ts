import * as z from 'zod';
import { combinedDevice } from '../../capture/device/alsa-config.ts';
import { callerOf } from '../middleware/authenticate.ts';
import { commandOf } from '../written.ts';
import { jsonBody } from '../body.ts';
import type { AddRoutes } from '../services.ts';
import type { Operation } from '../openapi/describe-operation.ts';

/** Input devices of this host, the audio server's sources, and the source that joins two of them. */
export const audioDeviceRoutes: AddRoutes = (router, { captures, config }) => {
  router.get('/audio/devices', async (ctx) => {
    ctx.body = await captures.devices();
  });
  router.get('/audio/sources', async (ctx) => {
    const { microphones, monitors } = await captures.sources();
    ctx.body = { microphones: microphones.map(named), monitors: monitors.map(named) };
  });
  router.post('/audio/combined', async (ctx) => {
    const selection = await jsonBody(ctx, combinedSchema);
    const module_ids = await captures.combine(selection);
    await config.update(
      { audio: { device: combinedDevice } },
      { by: callerOf(ctx.state).userId, command: commandOf(ctx.state) },
    );
    ctx.body = { device: combinedDevice, module_ids };
  });
  router.delete('/audio/combined', async (ctx) => {
    await captures.uncombine();
    ctx.status = 204;
  });
};

const combinedSchema = z.strictObject({
  microphone: z.string().min(1).max(500),
  monitor: z.string().min(1).max(500),
});

const named = ({ name, description }: { name: string; description: string }) => ({
  name,
  description,
});

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
