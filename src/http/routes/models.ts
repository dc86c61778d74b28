import * as z from 'zod';
import type { ListedModel } from '../../speech/catalogue/list-models.ts';
import { ModelError } from '../../speech/catalogue/model-error.ts';
import { modelSchema } from '../openapi/model-answers.ts';
import { notFound } from '../problems.ts';
import { languageWanted } from '../readers-language.ts';
import type { Language } from '../../words/params.ts';
import { routesOf } from '../route.ts';
import type { Sentence } from '../../words/params.ts';
import { say } from '../../words/say.ts';

const route = routesOf({ tag: 'Host', access: 'admin', needs: [] });

/** Speech models of this machine: what there is, what could be, and what is on its way. */
export const modelRoutes = [
  route('get', '/models', {
    id: 'listModels',
    summary: 'Speech models: installed ones, those of the catalogue, and what is on its way',
    answers: {
      200: {
        description: 'The models, and what of the house’s own entries cannot be used.',
        json: z.object({
          models: z.array(modelSchema),
          broken: z.array(z.object({ file: z.string(), problem: z.string() })),
        }),
      },
    },
    async run({ ctx }, { models }) {
      const language = languageWanted(ctx);
      const list = await (await models.store()).list();
      return { ...list, models: list.models.map((model) => modelIn(language, model)) };
    },
  }),
  route('post', '/models/{id}/install', {
    id: 'installModel',
    summary: 'Begins to download a model and what it needs beside it',
    description:
      'Progress: `GET /models` and `model` frames. What arrived is kept after a failure: asked again, it goes on from there.',
    answers: { 202: { description: 'It is on its way.', json: z.object({ id: z.string() }) } },
    problems: ['busy'],
    async run({ params: { id } }, { models }) {
      await (await models.store()).install(id).catch(unknownModel);
      return { id };
    },
  }),
  route('post', '/models/{id}/cancel', {
    id: 'cancelModel',
    summary: 'Ends an installation and removes what arrived',
    answers: { 204: { description: 'Nothing of it is on its way.' } },
    run: async ({ params }, { models }) => await (await models.store()).cancel(params.id),
  }),
  route('delete', '/models/{id}', {
    id: 'removeModel',
    summary: 'Deletes an installed model',
    description: '`used_for` of `GET /models` says what that ends.',
    answers: { 204: { description: 'It is gone.' } },
    run: async ({ params }, { models }) =>
      await (await models.store()).remove(params.id).catch(unknownModel),
  }),
];

function modelIn(language: Language, model: ListedModel) {
  const said = (sentence: Sentence) => say(sentence, language)?.detail ?? sentence.code;
  return {
    ...model,
    about: typeof model.about === 'string' ? model.about : model.about && said(model.about),
    recommended: model.recommended && said(model.recommended),
    used_for: model.used_for.map(said),
    error: model.error && said(model.error),
  };
}

function unknownModel(error: unknown): never {
  throw error instanceof ModelError ? notFound(error.said) : error;
}
