import * as z from 'zod';
import type { Context } from 'koa';
import { wordlessRecordingById } from '../../../projections/recordings.ts';
import { combinedDevice } from '../../capture/device/alsa-config.ts';
import type { HttpServices } from '../services.ts';
import type { Caller } from '../../accounts/caller.ts';
import { unfinished } from '../middleware/ready.ts';
import { isLocal } from '../peer.ts';
import type { ProblemType } from '../problems.ts';
import { routesOf } from '../route.ts';
import { ownerName } from '../visible-recording.ts';

const source = z.object({ name: z.string(), description: z.string() });
const here = z
  .boolean()
  .describe('whether the request comes from the user who runs the server, on its computer');

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
          here,
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
  route('get', '/recorders', {
    id: 'recorders',
    summary: 'What of this host the caller may record with',
    answers: {
      200: {
        description: 'None for who may not (`audio.recorders`).',
        json: z.object({
          recorders: z.array(
            z.object({
              id: z.string().describe('for `recorder` of `POST /toggle`'),
              name: z.string(),
              kind: z.enum(['device', 'combined']),
              held_by: z
                .string()
                .nullable()
                .describe('name of the user who records with it now; null: nobody'),
            }),
          ),
          default: z.string().nullable().describe('`id` of the one that is used without a choice'),
          here,
        }),
      },
    },
    problems: ['unavailable'],
    async run({ ctx, caller }, services) {
      const here = await isLocal(ctx.req);
      if (!(await mayRecordHere(ctx, services, caller)))
        return { recorders: [], default: null, here };
      const { captures, settings } = services;
      const found = await captures.devices();
      const recorders = await Promise.all(
        found.devices.map(async (id) => ({
          id,
          name: id,
          kind: id === combinedDevice ? ('combined' as const) : ('device' as const),
          held_by: await holderOf(id, services),
        })),
      );
      return { recorders, default: settings()['audio.device'] ?? found.default, here };
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
      'The chain stands until the next recording from it has ended or is refused, or its level was heard, and is built again for each.',
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
    async run({ body, onBehalf }, { captures, config, settings }) {
      const patch = { audio: { device: combinedDevice } };
      const isChosen = settings()['audio.device'] === combinedDevice;
      // First: what is refused has changed nothing.
      if (!isChosen) await config.check(patch);
      const module_ids = await captures.combine(body);
      if (!isChosen) await config.update(patch, onBehalf);
      return { device: combinedDevice, module_ids };
    },
  }),
  adminRoute('delete', '/audio/combined', {
    id: 'uncombineAudio',
    summary: 'Tears the chain down and forgets the selection',
    description:
      'Where `audio.device` is `mitschrift-combined` it is reset: the usual device is recorded again. A device that ' +
      'the environment names stays.',
    answers: { 204: { description: 'Done.' } },
    problems: ['unavailable', 'device-unavailable'],
    command: true,
    async run({ onBehalf }, { captures, config, settings }) {
      await captures.uncombine();
      if (settings()['audio.device'] !== combinedDevice) return;
      if (config.document().overridden.includes('audio.device')) return;
      await config.update({ audio: { device: null } }, onBehalf);
    },
  }),
];

/** Why a device of this machine may not be recorded. */
export const recordingProblems = [
  'unavailable',
  'device-unavailable',
  'not-recording',
  'not-a-recorder',
  'already-recording',
  'disk-full',
  'space-limit',
] as const satisfies readonly ProblemType[];

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

/** Who records with a device now. */
async function holderOf(
  device: string,
  { captures, storage, accounts }: HttpServices,
): Promise<string | null> {
  const recordingId = captures.heldBy(device);
  if (recordingId === null) return null;
  const owner = (await wordlessRecordingById(storage, recordingId))?.owner;
  return owner === undefined ? null : ownerName(accounts, owner);
}

const named = ({ name, description }: { name: string; description: string }) => ({
  name,
  description,
});
