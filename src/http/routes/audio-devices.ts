import * as z from 'zod';
import { combinedDevice } from '../../capture/alsa-config.ts';
import { callerOf } from '../authenticate.ts';
import { commandOf } from '../commands.ts';
import { jsonBody } from '../json-body.ts';
import type { AddRoutes } from './add-routes.ts';

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

export const combinedSchema = z.strictObject({
  microphone: z.string().min(1).max(500),
  monitor: z.string().min(1).max(500),
});

const named = ({ name, description }: { name: string; description: string }) => ({
  name,
  description,
});
