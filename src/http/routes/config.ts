import * as z from 'zod';
import { type Trial, tryLanguage, trySpeech } from '../../doctor/try-servers.ts';
import { dataFolder } from '../../shared/data-directory.ts';
import { callerOf } from '../middleware/authenticate.ts';
import { commandOf } from '../written.ts';
import { jsonBody } from '../body.ts';
import type { AddRoutes } from '../services.ts';

/** The configuration: read, change, and try before changing. For administrators. */
export const configRoutes: AddRoutes = (router, { config, dataDir, log }) => {
  router.get('/config', (ctx) => {
    ctx.body = config.document();
  });

  router.put('/config', async (ctx) => {
    const patch = await jsonBody(ctx, patchBody);
    await config.update(patch, {
      by: callerOf(ctx.state).userId,
      command: commandOf(ctx.state),
    });
    ctx.body = config.document();
  });

  router.post('/config/test', async (ctx) => {
    const given = await jsonBody(ctx, testBody);
    const settings = config.withPatch(given);
    // Nothing named: both, as they are.
    const both = given.stt === undefined && given.llm === undefined;
    const modelsDir = dataFolder(dataDir).models;
    const [stt, llm] = await Promise.all([
      given.stt || both ? trySpeech(settings, { modelsDir, log }) : undefined,
      given.llm || both ? tryLanguage(settings) : undefined,
    ]);
    ctx.body = together(stt, llm);
  });
};

/** What it holds is looked at key by key (`config/patch.ts`), so that every fault is named. */
export const patchBody = z.record(z.string(), z.unknown());
const section = z.record(z.string(), z.unknown());
export const testBody = z.strictObject({ stt: section.optional(), llm: section.optional() });

/** One trial as it is; of two, what both say, and each by itself. */
function together(stt: Trial | undefined, llm: Trial | undefined): object {
  if (!stt || !llm) return stt ?? llm!;
  return { ok: stt.ok && llm.ok, detail: `${stt.detail} ${llm.detail}`, stt, llm };
}
