import { runChecks } from '../../doctor/checks.ts';
import type { Check } from '../../doctor/check.ts';
import { dataFolder } from '../../host.ts';
import { measureTaken } from '../../storage/measure-taken.ts';
import type { AddRoutes } from './add-routes.ts';

/** `GET /doctor`: for administrators. Whoever asks while it looks gets the same answer. */
export const doctorRoutes: AddRoutes = (router, { dataDir, config, space, log }) => {
  let looking: Promise<Check[]> | undefined;
  const data = dataFolder(dataDir);
  const taken = async () => space.taken() ?? (await measureTaken(data)).bytes;
  router.get('/doctor', async (ctx) => {
    looking ??= runChecks({ data, settings: config.settings(), taken, log }).finally(
      () => (looking = undefined),
    );
    ctx.body = { checks: await looking };
  });
};
