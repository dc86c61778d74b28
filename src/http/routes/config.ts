import * as z from 'zod';
import { type Trial, tryLanguage, trySpeech } from '../../doctor/try-servers.ts';
import { assertConfirmed, callerOf } from '../middleware/authenticate.ts';
import { changesSecret } from '../../config/changes.ts';
import { commandLine } from '../../shared/command-line.ts';
import { commandOf } from '../written.ts';
import { jsonBody, queryOf } from '../body.ts';
import { settingGroups } from '../../config/settings-page.ts';
import { type Language, languageWanted, textIn } from '../readers-language.ts';
import type { AddRoutes } from '../services.ts';
import type { Operation } from '../openapi/describe-operation.ts';
import * as answers from '../openapi/other-answers.ts';

/** The configuration: read, change, and try before changing. For administrators. */
export const configRoutes: AddRoutes = (router, services) => {
  const { config, settings, models, log } = services;
  router.get('/config', (ctx) => {
    ctx.body = config.document();
  });

  router.get('/config/schema', (ctx) => {
    const { language = settings()['ui.language'] } = queryOf(ctx, schemaQuery);
    ctx.body = { groups: settingGroups(language), command_line: commandLine('').trim() };
  });

  router.put('/config', async (ctx) => {
    const patch = await jsonBody(ctx, patchBody);
    if (changesSecret(patch)) await assertConfirmed(services.accounts, ctx.state);
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
    const modelsDir = models.folders;
    const [stt, llm] = await Promise.all([
      given.stt || both ? trySpeech(settings, { modelsDir, log }) : undefined,
      given.llm || both ? tryLanguage(settings) : undefined,
    ]);
    const language = languageWanted(ctx);
    ctx.body = together(stt && trialIn(language, stt), llm && trialIn(language, llm));
  });
};

/** What it holds is looked at key by key (`config/patch.ts`), so that every fault is named. */
export const patchBody = z.record(z.string(), z.unknown());
const schemaQuery = z.strictObject({
  language: z.enum(['de', 'en']).optional().describe('of titles and sentences; else `ui.language`'),
});
const section = z.record(z.string(), z.unknown());
const testBody = z.strictObject({ stt: section.optional(), llm: section.optional() });

const trialIn = (language: Language, trial: Trial): Trial => ({
  ...trial,
  detail: textIn(language, trial.detail),
});

/** One trial as it is; of two, what both say, and each by itself. */
function together(stt: Trial | undefined, llm: Trial | undefined): object {
  if (!stt || !llm) return stt ?? llm!;
  return { ok: stt.ok && llm.ok, detail: `${stt.detail} ${llm.detail}`, stt, llm };
}

/** Settings, and trying them. */
export const configOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/config',
    id: 'readConfig',
    tag: 'Configuration',
    summary: 'What holds now',
    answers: { 200: { description: 'Secrets are masked.', json: answers.configAnswer } },
  },
  {
    method: 'get',
    path: '/config/schema',
    id: 'describeConfig',
    tag: 'Configuration',
    summary: 'Every setting in groups, with what a page needs to show it, and the command line',
    description: 'Made from the schema that validates: a page made of it has every setting.',
    query: schemaQuery,
    answers: { 200: { description: 'The groups.', json: answers.settingsPage } },
  },
  {
    method: 'put',
    path: '/config',
    id: 'changeConfig',
    tag: 'Configuration',
    summary: 'Merges a partial configuration into what is set',
    description:
      'Keys that are not named keep their values. All of it or nothing. A masked secret written back ' +
      'changes nothing; another one asks for the password again.',
    body: { kind: 'json', schema: answers.configPatch, optional: true },
    answers: { 200: { description: 'What holds now.', json: answers.configAnswer } },
    problems: ['overridden', 'confirmation-required'],
    command: true,
  },
  {
    method: 'post',
    path: '/config/test',
    id: 'testConfig',
    tag: 'Configuration',
    summary: 'Tries servers with the given settings over the stored ones; saves nothing',
    body: { kind: 'json', schema: testBody, optional: true },
    answers: { 200: { description: 'What came of it, in words.', json: answers.trial } },
    problems: ['overridden'],
  },
];
