import * as z from 'zod';
import type { ListedModel } from '../../speech/catalogue/list-models.ts';
import { ModelError } from '../../speech/catalogue/model-error.ts';
import { modelSchema } from '../openapi/model-answers.ts';
import { notFound } from '../problems.ts';
import { type Language, languageWanted, textIn } from '../readers-language.ts';
import type { AddRoutes } from '../services.ts';
import type { Operation } from '../openapi/describe-operation.ts';

/** Speech models of this machine: what there is, what could be, and what is on its way. For administrators. */
export const modelRoutes: AddRoutes = (router, { models }) => {
  router.get('/models', async (ctx) => {
    const language = languageWanted(ctx);
    const list = await (await models.store()).list();
    ctx.body = { ...list, models: list.models.map((model) => modelIn(language, model)) };
  });
  router.post('/models/:id/install', async (ctx) => {
    const { id } = ctx.params as { id: string };
    await (await models.store()).install(id).catch(unknownModel);
    ctx.body = { id };
    ctx.status = 202;
  });
  router.post('/models/:id/cancel', async (ctx) => {
    await (await models.store()).cancel((ctx.params as { id: string }).id);
    ctx.status = 204;
  });
  router.delete('/models/:id', async (ctx) => {
    const { id } = ctx.params as { id: string };
    await (await models.store()).remove(id).catch(unknownModel);
    ctx.status = 204;
  });
};

function modelIn(language: Language, model: ListedModel): ListedModel {
  const said = (text: string | null) => text && textIn(language, text);
  return {
    ...model,
    about: said(model.about),
    recommended: said(model.recommended),
    used_for: model.used_for.map((use) => textIn(language, use)),
    error: said(model.error),
  };
}

function unknownModel(error: unknown): never {
  throw error instanceof ModelError ? notFound(error.message) : error;
}

/** Speech models of this machine. */
export const modelOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/models',
    id: 'listModels',
    tag: 'Host',
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
    problems: [],
  },
  {
    method: 'post',
    path: '/models/{id}/install',
    id: 'installModel',
    tag: 'Host',
    summary: 'Begins to download a model and what it needs beside it',
    description:
      'Progress: `GET /models` and `model` frames. What arrived is kept after a failure: asked again, it goes on from there.',
    answers: { 202: { description: 'It is on its way.', json: z.object({ id: z.string() }) } },
    problems: ['not-found', 'busy'],
  },
  {
    method: 'post',
    path: '/models/{id}/cancel',
    id: 'cancelModel',
    tag: 'Host',
    summary: 'Ends an installation and removes what arrived',
    answers: { 204: { description: 'Nothing of it is on its way.' } },
    problems: [],
  },
  {
    method: 'delete',
    path: '/models/{id}',
    id: 'removeModel',
    tag: 'Host',
    summary: 'Deletes an installed model',
    description: '`used_for` of `GET /models` says what that ends.',
    answers: { 204: { description: 'It is gone.' } },
    problems: ['not-found'],
  },
];
