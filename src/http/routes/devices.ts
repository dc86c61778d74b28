import * as z from 'zod';
import type { Context } from 'koa';
import { combinedDevice } from '../../capture/device/alsa-config.ts';
import type { HttpServices } from '../services.ts';
import type { Caller } from '../../accounts/caller.ts';
import { unfinished } from '../middleware/ready.ts';
import { isLocal } from '../peer.ts';
import { routesOf } from '../route.ts';

const source = z.object({ name: z.string(), description: z.string() });

const route = routesOf({ tag: 'Host', needs: [unfinished] });
const adminRoute = routesOf({ tag: 'Host', access: 'admin', needs: [unfinished] });

/** Input devices of this host, the audio server's sources, and the source that joins two of them. */
export const audioDeviceRoutes = [
  route('get', '/audio/devices', {
    id: 'audioDevices',
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
            .describe(
              'whether the request comes from the user who runs the server, on its computer',
            ),
        }),
      },
    },
    problems: ['unavailable'],
    async run({ ctx, caller }, services) {
      const { captures } = services;
      const here = await isLocal(ctx.req);
      return (await mayRecordHere(ctx, services, caller))
        ? { ...(await captures.devices()), held: captures.held(), here }
        : { devices: [], default: null, held: [], here };
    },
  }),
  adminRoute('get', '/audio/sources', {
    id: 'audioSources',
    summary: 'Microphones and speaker monitors, as the audio server names them',
    answers: {
      200: {
        description: 'The names, for `POST /audio/combined`.',
        json: z.object({ microphones: z.array(source), monitors: z.array(source) }),
      },
    },
    problems: ['unavailable'],
    async run(_, { captures }) {
      const { microphones, monitors } = await captures.sources();
      return { microphones: microphones.map(named), monitors: monitors.map(named) };
    },
  }),
  adminRoute('post', '/audio/combined', {
    id: 'combineAudio',
    summary: 'Joins a microphone and a monitor to one device, and sets `audio.device` to it',
    description:
      'The chain stands until the next recording from it has ended, and is built again for each.',
    body: {
      json: z.strictObject({
        microphone: z.string().min(1).max(500),
        monitor: z.string().min(1).max(500),
      }),
    },
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
    async run({ body, onBehalf }, { captures, config }) {
      const module_ids = await captures.combine(body);
      await config.update({ audio: { device: combinedDevice } }, onBehalf);
      return { device: combinedDevice, module_ids };
    },
  }),
  adminRoute('delete', '/audio/combined', {
    id: 'uncombineAudio',
    summary: 'Tears the chain down and forgets the selection',
    answers: { 204: { description: 'Done.' } },
    problems: ['unavailable', 'device-unavailable'],
    run: async (_, { captures }) => await captures.uncombine(),
  }),
];

/** Whether who asks may record with the devices of this machine (`audio.recorders`). */
export async function mayRecordHere(
  ctx: Context,
  { settings }: Pick<HttpServices, 'settings'>,
  { isAdmin }: Pick<Caller, 'isAdmin'>,
): Promise<boolean> {
  const who = settings()['audio.recorders'];
  if (who === 'everyone' || isAdmin) return true;
  return who === 'here' && (await isLocal(ctx.req));
}

const named = ({ name, description }: { name: string; description: string }) => ({
  name,
  description,
});
