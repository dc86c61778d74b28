import { ulid } from 'ulid';
import * as z from 'zod';
import { asSpoken, templateLengths } from '../../../events/facts/templates.ts';
import { modelLineKinds } from '../../../events/facts/transcript.ts';
import { isRefusal } from '../../../events/command-handler.ts';
import type { DecidePersonal } from '../../../projections/personal.ts';
import {
  changeTemplate,
  createTemplate,
  deleteTemplate,
  templateLimits,
  templatesMax,
} from '../../../projections/templates.ts';
import { builtInTemplates } from '../../order/built-in-templates.ts';
import { wrong } from '../../shared/in-words.ts';
import { requestedLanguage } from '../../shared/languages.ts';
import { nameSchema, shortNameSchema } from '../body.ts';
import * as answers from '../openapi/order-answers.ts';
import { Problem } from '../problems.ts';
import { languageWanted } from '../readers-language.ts';
import { routesOf } from '../route.ts';
import type { HttpServices } from '../services.ts';

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

const route = routesOf({ tag: 'Order' });

/** Templates of summaries of the caller. */
export const templateRoutes = [
  route('get', '/templates', {
    id: 'listTemplates',
    summary: 'The caller’s templates of summaries, and those that everybody has',
    description:
      'A run of the pipeline takes the one that was asked for, else that of the folder, else that of the kind ' +
      '(`meeting`, else `general`).',
    answers: {
      200: {
        description: 'All of them, the caller’s by name.',
        json: z.object({
          templates: z.array(answers.template),
          built_in: z
            .array(answers.template)
            .describe('in the language of the request; one that is copied can be changed'),
        }),
      },
    },
    async run({ ctx, caller }, { order }) {
      const { templates } = await order.of(caller.userId);
      return {
        templates: [...templates.values()].sort((a, b) => a.name.localeCompare(b.name)),
        built_in: builtInTemplates(languageWanted(ctx)),
      };
    },
  }),
  route('post', '/templates', {
    id: 'createTemplate',
    summary: `Makes a template, one of at most ${templatesMax}`,
    body: { json: z.strictObject(templateBody) },
    answers: { 201: { description: 'The template.', json: answers.template } },
    problems: ['name-taken', 'too-many-names'],
    command: true,
    async run({ ctx, body, onBehalf }, { order }) {
      ctx.status = 201;
      const [fact] = await changed(order, onBehalf, createTemplate(ulid(), body));
      const id = fact?.type === 'template.saved' ? fact.data.template : '';
      return (await order.of(onBehalf.by)).templates.get(id);
    },
  }),
  route('put', '/templates/{template}', {
    id: 'changeTemplate',
    summary: 'Changes a template: another revision',
    description:
      'Summaries that it made stay as they are, until their recordings are processed again.',
    body: { json: z.strictObject(templateBody) },
    answers: { 200: { description: 'The template as it is now.', json: answers.template } },
    problems: ['not-found', 'name-taken'],
    command: true,
    async run({ params: { template: id }, body, onBehalf }, { order }) {
      await changed(order, onBehalf, changeTemplate(id, body));
      return (await order.of(onBehalf.by)).templates.get(id);
    },
  }),
  route('delete', '/templates/{template}', {
    id: 'deleteTemplate',
    summary: 'Deletes a template; summaries that it made stay',
    description: 'Folders that had it go by the kind of a recording.',
    answers: { 204: { description: 'It is gone.' } },
    problems: ['not-found'],
    command: true,
    async run({ params: { template: id }, onBehalf }, { order }) {
      await changed(order, onBehalf, deleteTemplate(id));
    },
  }),
];

/** @throws {Problem} what was refused */
async function changed(
  order: HttpServices['order'],
  onBehalf: { by: string; command: string },
  decide: DecidePersonal,
) {
  const decided = await order.change(onBehalf.by, onBehalf, decide);
  if (isRefusal(decided)) throw new Problem(decided.refused, { said: decided.said });
  return decided;
}
