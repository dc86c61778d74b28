import { isGone } from '../../../events/facts/sources.ts';
import { detail } from '../../words/details.ts';
import * as z from 'zod';
import { read } from '../../../projections/recording/reading.ts';
import { versionsOf } from '../../../projections/recording/versions.ts';
import * as answers from '../openapi/recording-answers.ts';
import { choosableBy } from '../../recordings/template-held.ts';
import { notFound } from '../problems.ts';
import { languageWanted } from '../readers-language.ts';
import { readerOf } from '../middleware/authenticate.ts';
import { readingAnswer, versionAnswer } from '../recording-answer.ts';
import { visibleRecording } from '../visible-recording.ts';
import { routesOf } from '../route.ts';

const worker = z
  .object({ engine: z.string(), model: z.string().nullable() })
  .nullable()
  .describe('null: it took no part');
const version = z.object({
  version: z.number().int(),
  at: z.string().describe('RFC 3339, UTC'),
  why: z.array(z.string()).describe('types of the facts that led to it'),
  by: z.string().describe('id of the user'),
  run: z.number().int(),
  speech_to_text: worker,
  language_model: worker,
  title: z.string().nullable(),
  template: z
    .object({
      id: z.string(),
      revision: z.int(),
      name: z.string().nullable().describe('today; null: it was deleted'),
      of: z
        .enum(['user', 'house', 'built-in'])
        .describe('whose it is: the owner’s of that time, everybody’s, or one that is built in'),
    })
    .nullable()
    .describe('by which a language model made its summary'),
  current: z.boolean(),
});
const wholeVersion = version.extend({
  language: z.string().nullable(),
  speakers: answers.recording.shape.speakers,
  summary: answers.recording.shape.summary,
  utterances: z.array(answers.utterance),
  sidenotes: answers.recording.shape.sidenotes,
  interruptions: answers.recording.shape.interruptions,
  notes: answers.recording.shape.notes,
});

const route = routesOf({ tag: 'Recordings' });

/** The versions of a recording's documents, and what each of them says. */
export const versionRoutes = [
  route('get', '/recordings/{id}/versions', {
    id: 'listVersions',
    summary: 'Every version of the documents, newest first',
    answers: {
      200: { description: 'The versions.', json: z.object({ versions: z.array(version) }) },
    },
    async run({ ctx, params, caller }, services) {
      const { owner } = await visibleRecording(services, caller, params.id, 'correct');
      const { recording } = await services.recordingService.read(params.id);
      const choosable = await choosableBy(services.order, owner);
      const language = languageWanted(ctx);
      const versions = versionsOf(recording).toReversed();
      return { versions: versions.map((one) => versionAnswer(one, choosable, language)) };
    },
  }),
  route('get', '/recordings/{id}/versions/{version}', {
    id: 'readVersion',
    summary: 'What a version says: its title, turns, speakers and summary',
    description: 'As `GET /recordings/{id}` says it of the present one.',
    answers: { 200: { description: 'The version.', json: wholeVersion } },
    async run({ ctx, params: { id, version }, caller }, services) {
      const { owner } = await visibleRecording(services, caller, id, 'correct');
      const { recording } = await services.recordingService.read(id);
      const found = versionsOf(recording).find((one) => String(one.version) === version);
      const source = recording.sources.versions[Number(version) - 1];
      if (!found || !source || isGone(source)) throw notFound(detail('version-not-found'));
      const answer = readingAnswer(id, read(recording, source), {
        uiLanguage: services.settings()['ui.language'],
        reader: readerOf(ctx),
        startedAt: recording.startedAt,
      });
      const choosable = await choosableBy(services.order, owner);
      return { ...versionAnswer(found, choosable, languageWanted(ctx)), ...answer };
    },
  }),
];
