import { seenBy } from '../if-match.ts';
import { callerOf } from '../middleware/authenticate.ts';
import * as z from 'zod';
import { asSpoken, templateLengths } from '../../../events/facts/templates.ts';
import { type SummaryLine, lineKinds, modelLineKinds } from '../../../events/facts/transcript.ts';
import { type Reading, draft, published } from '../../../projections/recording/reading.ts';
import { speakerName, withSpeakerNames } from '../../documents/documents.ts';
import { lengths, patternOf } from '../../recordings/template-held.ts';
import { questionLimits } from '../../recordings/question-limits.ts';
import type { Language } from '../../words/params.ts';
import { toRead } from '../middleware/ready.ts';
import { seconds } from '../openapi/activity-answers.ts';
import { untilGone } from '../until-gone.ts';
import { visibleRecording } from '../visible-recording.ts';
import { houseId } from '../../../events/facts/personal.ts';
import { type Personal, type Template, deleteInOrder } from '../../../projections/personal.ts';
import {
  changeTemplate,
  createTemplate,
  templateLimits,
  templatesMax,
} from '../../../projections/templates.ts';
import { builtInTemplates } from '../../recordings/built-in-templates.ts';
import { wrong } from '../../shared/in-words.ts';
import { requestedLanguage } from '../../shared/languages.ts';
import { nameSchema, shortNameSchema } from '../body.ts';
import * as answers from '../openapi/order-answers.ts';
import { Problem } from '../problems.ts';
import { languageWanted } from '../readers-language.ts';
import { type RouteContext, routesOf } from '../route.ts';
import type { HttpServices, RouteServices } from '../services.ts';
import { type AskedOf, changedOf, listOf, createdOf, ofSchema } from '../whose.ts';

const { sectionsMax, titleMax, aboutMax, instructionsMax } = templateLimits;

const line = (most: number) => nameSchema.pipe(z.string().max(most));

const sectionSchema = z.strictObject({
  title: line(titleMax).refine((title) => title !== '', wrong('field-empty')),
  about: line(aboutMax).default('').describe('what belongs there'),
  kind: z.enum(modelLineKinds).default('point'),
});

/** A template as people write it. */
const templateBody = {
  name: shortNameSchema,
  sections: z
    .array(sectionSchema)
    .min(1)
    .max(sectionsMax)
    .refine(
      (sections) =>
        new Set(sections.map(({ title }) => title.toLowerCase())).size === sections.length,
      { error: wrong('same-section-twice') },
    )
    .describe('headings, in their order'),
  instructions: z
    .string()
    .max(instructionsMax)
    .normalize()
    .trim()
    .default('')
    .describe(
      'to the language model; they cannot change what counts as data, or do without evidence',
    ),
  language: z
    .string()
    .max(64)
    .transform((tag, { addIssue }) => {
      if (tag === asSpoken) return asSpoken;
      const code = requestedLanguage(tag);
      if (code === undefined) addIssue({ code: 'custom', message: wrong('not-a-language') });
      return code ?? asSpoken;
    })
    .default(asSpoken)
    .describe('of summary, abstract and title; `spoken`: that of the talk'),
  length: z.enum(templateLengths).default('medium'),
};

const templateSchema = z.strictObject(templateBody);

const triedLines = z.array(
  z.object({
    kind: z.enum(lineKinds),
    text: z.string(),
    person: z.string().nullable(),
    due: z.string().nullable(),
    start: seconds.nullable().describe('of the recording: where it was said'),
  }),
);

const route = routesOf({ tag: 'Order' });

/** Templates of summaries of the caller, and of the house. */
export const templateRoutes = [
  route('get', '/templates', {
    id: 'listTemplates',
    summary: 'Templates of summaries that the caller can choose',
    description:
      'A run of the pipeline takes the one that was asked for, else that of the folder, else that of the kind ' +
      '(`meeting`, else `general`).',
    query: ofSchema,
    answers: {
      200: {
        description: 'All of them, by name.',
        json: z.object({
          templates: z.array(answers.template).describe('the caller’s, or as `of` says'),
          house: z.array(answers.template).describe('those of everybody'),
          built_in: z
            .array(answers.template)
            .describe('in the language of the request; one that is copied can be changed'),
        }),
      },
    },
    async run({ ctx, query, caller }, { order }) {
      return {
        templates: byName(await order.of(listOf(query, caller))),
        house: byName(await order.of(houseId)),
        built_in: builtInTemplates(languageWanted(ctx)),
      };
    },
  }),
  route('post', '/templates', {
    id: 'createTemplate',
    summary: `Makes a template, one of at most ${templatesMax}`,
    query: ofSchema,
    body: { json: templateSchema },
    answers: { 201: { description: 'The template.', json: answers.template } },
    problems: ['name-taken', 'too-many-names', 'not-admin'],
    command: true,
    async run(asked, services) {
      const id = await createdOf(asked, services, (one) => createTemplate(one, asked.body));
      return await templateAfter(asked, services, id);
    },
  }),
  route('put', '/templates/{template}', {
    id: 'changeTemplate',
    summary: 'Changes a template: another revision',
    description:
      'Summaries that it made stay as they are, until their recordings are processed again.',
    query: ofSchema,
    headers: [
      {
        name: 'If-Match',
        description: '`revision` that was changed: 412 when there is another by now.',
      },
    ],
    body: { json: templateSchema },
    answers: { 200: { description: 'The template as it is now.', json: answers.template } },
    problems: ['name-taken', 'not-admin'],
    command: true,
    async run(asked, services) {
      const { template: id } = asked.params;
      await changedOf(asked, services, changeTemplate(id, asked.body, seenBy(asked)));
      return await templateAfter(asked, services, id);
    },
  }),
  route('delete', '/templates/{template}', {
    id: 'deleteTemplate',
    summary: 'Deletes a template; summaries that it made stay',
    description: 'Folders that had it go by the kind of a recording.',
    query: ofSchema,
    answers: { 204: { description: 'It is gone.' } },
    problems: ['not-admin'],
    command: true,
    async run(asked, services) {
      await changedOf(asked, services, deleteInOrder('templates', asked.params.template));
    },
  }),
  routesOf({ tag: 'Order', needs: toRead })('post', '/templates/try', {
    id: 'tryTemplate',
    summary: 'What a template would make of a recording; nothing is kept',
    description:
      'A language model has to be set up; it waits as a job of it does. Lines for which nothing was found that was said ' +
      'are left out, unless the template has a language of its own. Ends when the client goes. It counts as a question: ' +
      `${questionLimits.perUserMax} at once, ${questionLimits.perHourMax} an hour.`,
    body: {
      json: z.strictObject({ template: templateSchema, recording_id: z.string().min(1).max(64) }),
    },
    answers: {
      200: {
        description: 'The summary.',
        json: z.object({
          sections: z
            .array(z.object({ title: z.string(), kind: z.enum(modelLineKinds), lines: triedLines }))
            .describe('all of them, in their order; one may have no line'),
          others: triedLines.describe('that belong to no section'),
          seconds: z.int().describe('how long it took'),
        }),
      },
    },
    problems: [
      'not-found',
      'not-yours',
      'no-language-model',
      'too-many-questions',
      'busy',
      'unavailable',
    ],
    async run({ ctx, body: { template, recording_id: id }, caller }, services) {
      if (!services.hasLanguageModel()) throw new Problem('no-language-model');
      await visibleRecording(services, caller, id);
      return await tried(services, ctx, id, template);
    },
  }),
];

/** A summary of one recording by a template, as it would be. @throws {Problem} */
async function tried(
  services: RouteServices,
  ctx: RouteContext,
  id: string,
  template: z.output<typeof templateSchema>,
) {
  const { recording } = await services.recordingService.read(id);
  const reading = published(recording) ?? draft(recording);
  const pattern = patternOf(template, true);
  const options = {
    language: template.language === asSpoken ? reading.language : template.language,
    spoken: reading.language,
    names: reading.names,
    length: lengths[template.length],
    noted: reading.sidenotes.filter(({ text }) => text !== ''),
    pattern,
  };
  const begun = Date.now();
  const asked = { owner: callerOf(ctx.state).userId, blocks: reading.blocks, options };
  const lines = await untilGone(ctx, services, { recordingIds: [id] }, (signal) =>
    services.questions.summarise({ ...asked, signal }),
  );
  const shown = lines.map((line) => triedLine(reading, line, services.settings()['ui.language']));
  return {
    sections: template.sections.map(({ title, kind }) => ({
      title,
      kind,
      lines: shown.filter(({ section }) => section === title).map(({ line }) => line),
    })),
    others: shown.filter(({ section }) => section === null).map(({ line }) => line),
    seconds: Math.round((Date.now() - begun) / 1000),
  };
}

function triedLine(reading: Reading, line: SummaryLine, uiLanguage: Language) {
  const { kind, text, speaker, person, due, block, section = null } = line;
  const shown = { speakers: reading.speakers, uiLanguage };
  const start = reading.blocks.find(({ id }) => id === block)?.start ?? null;
  return {
    section,
    line: {
      kind,
      text: withSpeakerNames(shown, text),
      person: speaker === null ? person : speakerName(shown, speaker),
      due,
      start,
    },
  };
}

const byName = ({ templates }: Pick<Personal, 'templates'>): Template[] =>
  [...templates.values()].sort((a, b) => a.name.localeCompare(b.name));

async function templateAfter({ query, caller }: AskedOf, { order }: HttpServices, id: string) {
  const { templates } = await order.of(listOf(query, caller));
  return templates.get(id);
}
