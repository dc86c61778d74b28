import * as z from 'zod';
import type { Context } from 'koa';
import { combinedDevice } from '../../capture/device/alsa-config.ts';
import { callerOf } from '../middleware/authenticate.ts';
import { peerOf } from '../peer.ts';
import { commandOf } from '../written.ts';
import { jsonBody } from '../body.ts';
import type { AddRoutes, HttpServices } from '../services.ts';
import type { Caller } from '../../accounts/caller.ts';
import type { Operation } from '../openapi/describe-operation.ts';

/** Input devices of this host, the audio server's sources, and the source that joins two of them. */
export const audioDeviceRoutes: AddRoutes = (router, services) => {
  const { captures, config } = services;
  router.get('/audio/devices', async (ctx) => {
    const isAllowed = await mayRecordHere(ctx, services, callerOf(ctx.state));
    const { local: here } = await peerOf(ctx, config.settings()['server.trusted_proxies']);
    ctx.body = isAllowed
      ? { ...(await captures.devices()), held: captures.held(), here }
      : { devices: [], default: null, held: [], here };
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

/** Whether who asks may record with the devices of this machine (`audio.recorders`). */
export async function mayRecordHere(
  ctx: Context,
  { settings }: Pick<HttpServices, 'settings'>,
  { isAdmin }: Pick<Caller, 'isAdmin'>,
): Promise<boolean> {
  const { 'audio.recorders': who, 'server.trusted_proxies': proxies } = settings();
  if (who === 'everyone' || isAdmin) return true;
  return who === 'here' && (await peerOf(ctx, proxies)).local;
}

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
        json: z.object({
          devices: z
            .array(z.string())
            .describe('none for who may not record here (`audio.recorders`)'),
          default: z.string().nullable(),
          held: z.array(z.string()).describe('those that somebody records now'),
          here: z
            .boolean()
            .describe('whether the request comes from the service’s own user on its machine'),
        }),
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
