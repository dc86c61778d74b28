import { runChecks } from '../../doctor/checks.ts';
import type { Check } from '../../doctor/check.ts';
import { dataFolder } from '../../host.ts';
import type { AddRoutes } from './add-routes.ts';

/** `GET /doctor`: for administrators. Whoever asks while it looks gets the same answer. */
export const doctorRoutes: AddRoutes = (router, { dataDir, config, log }) => {
  let looking: Promise<Check[]> | undefined;
  router.get('/doctor', async (ctx) => {
    looking ??= runChecks({ data: dataFolder(dataDir), settings: config.settings(), log }).finally(
      () => (looking = undefined),
    );
    ctx.body = { checks: await looking };
  });
};
