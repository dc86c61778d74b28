import * as z from 'zod';
import { languages } from '../../words/params.ts';
import {
  type TrialAnswer,
  trialAnswer,
  tryLanguage,
  trySpeech,
  type Trial,
  tryEmbeddings,
} from '../../doctor/try-servers.ts';
import { providerTrialAnswer, tryProvider } from '../../doctor/try-provider.ts';
import { assertConfirmed } from '../middleware/authenticate.ts';
import { needsConfirmation } from '../../config/changes.ts';
import { commandLine } from '../../shared/command-line.ts';
import { settingGroups } from '../../config/settings-page.ts';
import { languageWanted } from '../readers-language.ts';
import * as answers from '../openapi/other-answers.ts';
import { pageBase } from '../page-base.ts';
import { routesOf } from '../route.ts';

const route = routesOf({ tag: 'Configuration', access: 'admin', needs: [] });

const section = z.record(z.string(), z.unknown());

/** The configuration: read, change, and try before changing. */
export const configRoutes = [
  route('get', '/config', {
    id: 'readConfig',
    summary: 'What holds now',
    answers: { 200: { description: 'Secrets are masked.', json: answers.configAnswer } },
    run: (_, { config }) => config.document(),
  }),
  route('get', '/config/schema', {
    id: 'describeConfig',
    summary: 'Every setting in groups, with what a page needs to show it, and the command line',
    description: 'Made from the schema that validates: a page made of it has every setting.',
    query: z.strictObject({
      language: z
        .enum(languages)
        .optional()
        .describe('of titles and sentences; else `ui.language`'),
    }),
    answers: { 200: { description: 'The groups.', json: answers.settingsPage } },
    run: ({ query }, { settings }) => ({
      groups: settingGroups(query.language ?? settings()['ui.language']),
      command_line: commandLine('').trim(),
    }),
  }),
  route('put', '/config', {
    id: 'changeConfig',
    summary: 'Merges a partial configuration into what is set',
    description:
      'Keys that are not named keep their values. All of it or nothing. A masked secret written back ' +
      'changes nothing. Another one, and a change of `auth.*` or `oidc.*`, asks for the password again.',
    // What it holds is looked at key by key (`config/patch.ts`), so that every fault is named.
    body: { json: section, shown: answers.configPatch, optional: true },
    answers: { 200: { description: 'What holds now.', json: answers.configAnswer } },
    problems: ['overridden', 'confirmation-required'],
    command: true,
    async run({ ctx, body, onBehalf }, { config, accounts, settings }) {
      if (needsConfirmation(body, settings())) await assertConfirmed(accounts, ctx.state);
      await config.update(body, onBehalf);
      return config.document();
    },
  }),
  route('post', '/config/test', {
    id: 'testConfig',
    summary: 'Tries servers with the given settings over the stored ones; saves nothing',
    body: {
      json: z.strictObject({
        stt: section.optional(),
        llm: section.optional(),
        embeddings: section.optional(),
        oidc: section.optional().describe('alone: only this is tried'),
      }),
      optional: true,
    },
    answers: { 200: { description: 'What came of it, in words.', json: answers.trial } },
    problems: ['overridden'],
    async run({ ctx, body: given }, { config, models, log }) {
      const settings = config.withPatch(given);
      if (given.oidc) {
        const tried = providerTrialAnswer(languageWanted(ctx), await tryProvider(settings));
        return { ...tried, redirect_uri: new URL('/login', pageBase(ctx)).href };
      }
      // Nothing named: what notes are made with, as it is.
      const both = Object.values(given).every((one) => one === undefined);
      const modelsDir = models.folders;
      const [stt, llm, embeddings] = await Promise.all([
        given.stt || both ? trySpeech(settings, { modelsDir, log }) : undefined,
        given.llm || both ? tryLanguage(settings) : undefined,
        given.embeddings ? tryEmbeddings(settings) : undefined,
      ]);
      const language = languageWanted(ctx);
      const said = (trial: Trial | undefined) => trial && trialAnswer(language, trial);
      return together({ stt: said(stt), llm: said(llm), embeddings: said(embeddings) });
    },
  }),
];

/** One trial as it is; of several, what all say, and each by itself. */
function together(trials: Record<string, TrialAnswer | undefined>): object {
  const all = Object.values(trials).filter((one) => one !== undefined);
  const [first, ...others] = all;
  if (first && others.length === 0) return first;
  const detail = all.map((one) => one.detail).join(' ');
  return { ok: all.every(({ ok }) => ok), detail, ...trials };
}
