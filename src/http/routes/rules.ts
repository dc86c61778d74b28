import * as z from 'zod';
import { tagsMax } from '../../../events/facts/order.ts';
import { kindSchema } from '../../../events/facts/recording.ts';
import { ruleSources, ruleThen, ruleWhen } from '../../../events/facts/rules.ts';
import { libraryOf } from '../../../projections/library.ts';
import {
  type Personal,
  type Rule,
  changeRule,
  createRule,
  deleteInOrder,
  orderRules,
  rulesMax,
} from '../../../projections/personal.ts';
import {
  type Ordering,
  isFitting,
  isTemplateChosen,
  rulesApplied,
} from '../../../projections/rules.ts';
import { orderingOf } from '../../recordings/ordering.ts';
import { personNameMax } from '../../shared/people-limits.ts';
import { fieldFault } from '../../words/field-faults.ts';
import { wrong } from '../../shared/in-words.ts';
import { languageSchema, orderIdSchema, templateIdSchema } from '../body.ts';
import { limits } from '../limits.ts';
import * as answers from '../openapi/order-answers.ts';
import { orderedTogether } from '../ordered-together.ts';
import { changedIn, made } from '../made.ts';
import { invalid, notFound } from '../problems.ts';
import { routesOf } from '../route.ts';
import type { HttpServices } from '../services.ts';
import { idsUpTo, refusals } from '../several.ts';

const text = (most: number) => z.string().trim().min(1, wrong('field-empty')).max(most).normalize();
const spoken = languageSchema
  .refine((code) => code !== null, wrong('not-a-language'))
  .transform((code) => code ?? '');
const time = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, wrong('not-a-clock-time'));
const textMax = 200;

const whenSchema = z
  .strictObject({
    kind: kindSchema.optional(),
    source: z.enum(ruleSources).optional(),
    device: text(textMax).optional().describe('name of the server’s device; `*`: anything'),
    file_name: text(textMax).optional().describe('`*`: anything'),
    language: spoken.optional(),
    weekdays: z.array(z.int().min(1).max(7)).min(1).max(7).optional().describe('1: Monday'),
    from: time.optional().describe('begun then or later, and before `to`, by the clock'),
    to: time.optional().describe('over midnight where it is not later than `from`'),
    title: text(textMax).optional().describe('it has all of these words'),
    speaker: text(personNameMax).optional().describe('name of somebody who speaks'),
    said: text(textMax).optional().describe('one passage has all of these words'),
  })
  .refine((when) => isAnything(when), { error: wrong('rule-without-condition') })
  .refine(({ from, to }) => (from === undefined) === (to === undefined), {
    path: ['to'],
    error: wrong('rule-times'),
  });

const thenSchema = z
  .strictObject({
    folder: orderIdSchema.optional().describe('id of a folder'),
    tags: z.array(orderIdSchema).max(tagsMax).optional().describe('ids of tags that it gets'),
    kind: kindSchema.optional().describe('where none is given; known at its beginning only'),
    language: spoken.optional().describe('the same'),
    template: templateIdSchema
      .optional()
      .describe('of its summaries, where no person chose one; not by a rule about the title'),
  })
  .refine(({ tags = [], ...others }) => tags.length > 0 || isAnything(others), {
    error: wrong('rule-without-action'),
  });

const isAnything = (given: object): boolean =>
  Object.values(given).some((value) => value !== undefined);

const parts = { when: whenSchema, then: thenSchema };
const ruleAnswer = z.object({
  id: z.string(),
  enabled: z.boolean(),
  when: ruleWhen,
  then: ruleThen.describe(
    'ids of folders, tags and templates may be of some that were deleted: they do nothing',
  ),
});
const allRules = z.object({ rules: z.array(ruleAnswer).describe('in their order') });

const route = routesOf({ tag: 'Order' });

/** Rules of the caller. */
export const ruleRoutes = [
  route('get', '/rules', {
    id: 'listRules',
    summary: 'The caller’s rules, which put new recordings in order',
    description:
      'They are asked when a recording begins, and when its words are known, before its first documents are written. The ' +
      'first that fits decides on the folder, and on the template; tags come together. What a person has chosen stays.',
    answers: { 200: { description: 'All of them.', json: allRules } },
    run: async ({ caller }, { order }) => ({ rules: rulesOf(await order.of(caller.userId)) }),
  }),
  route('post', '/rules', {
    id: 'createRule',
    summary: `Makes a rule, the last of at most ${rulesMax}`,
    body: { json: z.strictObject({ ...parts, enabled: z.boolean().default(true) }) },
    answers: { 201: { description: 'The rule.', json: ruleAnswer } },
    problems: ['too-many-names'],
    command: true,
    async run({ body, onBehalf }, services) {
      const { order } = services;
      assertMeaningful(body, await orderingOf(order, onBehalf.by));
      const id = await made(services, onBehalf.by, onBehalf, (one) =>
        createRule({ id: one, ...body }),
      );
      return (await order.of(onBehalf.by)).rules.get(id);
    },
  }),
  route('put', '/rules/order', {
    id: 'orderRules',
    summary: 'Puts the rules in another order',
    body: { json: z.strictObject({ rules: z.array(orderIdSchema).max(rulesMax) }) },
    answers: { 200: { description: 'All of them.', json: allRules } },
    problems: ['changed-meanwhile'],
    command: true,
    async run({ body, onBehalf }, { order }) {
      await changedIn({ order }, onBehalf.by, onBehalf, orderRules(body.rules));
      return { rules: rulesOf(await order.of(onBehalf.by)) };
    },
  }),
  route('patch', '/rules/{rule}', {
    id: 'changeRule',
    summary: 'Changes a rule; what is left out stays',
    body: {
      json: z.strictObject({
        when: whenSchema.optional(),
        then: thenSchema.optional(),
        enabled: z.boolean().optional(),
      }),
    },
    answers: { 200: { description: 'The rule as it is now.', json: ruleAnswer } },
    command: true,
    async run({ params: { rule: id }, body, onBehalf }, { order }) {
      const ordering = await orderingOf(order, onBehalf.by);
      const there = ordering.rules.get(id);
      const isOther = body.when !== undefined || body.then !== undefined;
      if (there && isOther)
        assertMeaningful(
          { when: body.when ?? there.when, then: body.then ?? there.then },
          body.then === undefined ? null : ordering,
        );
      await changedIn({ order }, onBehalf.by, onBehalf, changeRule(id, body));
      return (await order.of(onBehalf.by)).rules.get(id);
    },
  }),
  route('delete', '/rules/{rule}', {
    id: 'deleteRule',
    summary: 'Deletes a rule; what it has done stays',
    answers: { 204: { description: 'It is gone.' } },
    command: true,
    async run({ params: { rule: id }, onBehalf }, { order }) {
      await changedIn({ order }, onBehalf.by, onBehalf, deleteInOrder('rules', id));
    },
  }),
  route('post', '/rules/try', {
    id: 'tryRule',
    summary: 'What a rule would do to the newest recordings; nothing is changed',
    body: {
      json: z.strictObject({
        rule: z.strictObject(parts),
        limit: z.int().min(1).max(limits.triedMax).default(limits.triedMax),
      }),
    },
    answers: { 200: { description: 'Those that it fits.', json: answers.ruleTried } },
    async run({ body: { rule, limit }, caller: { userId: owner } }, services) {
      const ordering = await orderingOf(services.order, owner);
      assertMeaningful(rule, ordering);
      return await tried(
        services,
        owner,
        only({ id: 'tried', enabled: true, ...rule }, ordering),
        limit,
      );
    },
  }),
  route('post', '/rules/apply', {
    id: 'applyRule',
    summary: 'Applies a rule to several recordings, also one that is switched off',
    description:
      'One after the other, and what a person has chosen stays. `before` undoes it, sent to `POST /recordings/bulk`. A ' +
      'repetition goes on where it stopped, and says `before` as it was the first time.',
    body: {
      json: z.strictObject({
        rule: orderIdSchema,
        recording_ids: idsUpTo(limits.changedTogetherMax),
      }),
    },
    answers: { 200: { description: 'Done.', json: answers.changedTogether(refusals) } },
    problems: ['not-found', 'not-accepted'],
    command: true,
    async run({ ctx, body: { rule: id, recording_ids: ids }, caller, onBehalf }, services) {
      const ordering = await orderingOf(services.order, caller.userId);
      const rule = ordering.rules.get(id);
      if (!rule) throw notFound();
      const applied = only({ ...rule, enabled: true }, ordering);
      const { done, refused } = await orderedTogether(
        services,
        { ctx, caller, onBehalf },
        ids,
        (_id, { owner }) => {
          if (owner !== caller.userId) throw notFound();
          return (recording) => rulesApplied(recording, applied);
        },
      );
      const changed = done.flatMap(({ isOther, ...one }) => (isOther ? [one] : []));
      return { changed, refused };
    },
  }),
];

const rulesOf = ({ rules }: Personal): Rule[] => [...rules.values()];

/** A user's folders, tags and templates with one rule. */
const only = (rule: Rule, ordering: Ordering): Ordering => ({
  ...ordering,
  rules: new Map([[rule.id, rule]]),
});

/** @param ordering null: folder, tags and template were looked at before @throws {Problem} 422 naming what is none of the owner's, or comes too late */
function assertMeaningful(
  { when, then }: Pick<Rule, 'when' | 'then'>,
  ordering: Ordering | null,
): void {
  const { folder, tags = [], kind, language, template } = then;
  const isLate = [when.title, when.speaker, when.said].some((one) => one !== undefined);
  const late = Object.entries({ kind, language }).flatMap(([name, value]) =>
    isLate && value !== undefined
      ? [{ path: `then.${name}`, fault: fieldFault('rule-too-late') }]
      : [],
  );
  const faults = [
    ...late,
    ...(template !== undefined && when.title !== undefined
      ? [{ path: 'then.template', fault: fieldFault('rule-title-too-late') }]
      : []),
    ...(ordering && folder !== undefined && !ordering.folders.has(folder)
      ? [{ path: 'then.folder', fault: fieldFault('not-your-folder') }]
      : []),
    ...(ordering && tags.some((tag) => !ordering.tags.has(tag))
      ? [{ path: 'then.tags', fault: fieldFault('not-your-tag') }]
      : []),
    ...(ordering && template !== undefined && !ordering.hasTemplate(template)
      ? [{ path: 'then.template', fault: fieldFault('not-your-template') }]
      : []),
  ];
  if (faults.length > 0) throw invalid(faults);
}

async function tried(
  services: HttpServices,
  owner: string,
  ordering: Ordering,
  limit: number,
): Promise<z.output<typeof answers.ruleTried>> {
  const { rows } = await libraryOf(services.storage, owner, { limit });
  const fitting: z.output<typeof answers.ruleTried>['fitting'] = [];
  for (const { recordingId, title, source, startedAt, ...row } of rows) {
    const { recording } = await services.recordingService.read(recordingId);
    if (!isFitting(recording, ordering)) continue;
    const facts = rulesApplied(recording, ordering);
    const filed = facts.find(({ type }) => type === 'recording.filed')?.data;
    const tagged = facts.find(({ type }) => type === 'tags.changed')?.data;
    const templated = facts.find(({ type }) => type === 'template.chosen')?.data;
    const { folder: wanted = null, template } = [...ordering.rules.values()][0]?.then ?? {};
    fitting.push({
      recording_id: recordingId,
      title: title ?? source,
      created_at: startedAt,
      folder: filed && 'folder' in filed ? filed.folder : null,
      add_tags:
        tagged && 'tags' in tagged ? tagged.tags.filter((tag) => !row.tags.includes(tag)) : [],
      folder_chosen: wanted !== null && row.folder !== wanted && filed === undefined,
      template: templated && 'template' in templated ? templated.template : null,
      template_chosen: template !== undefined && isTemplateChosen(recording, ordering),
    });
  }
  return { looked_at: rows.length, fitting };
}
