/** Templates of summaries of who is logged in, and those that everybody has. Read again whenever somebody begins to look. */
import { atom, onMount } from 'nanostores';
import { ApiError, answer, api } from '../client/api.ts';
import type { operations } from '../client/interface.d.ts';
import { locale } from '../words/i18n.ts';

export type Templates =
  operations['listTemplates']['responses'][200]['content']['application/json'];
export type Template = Templates['templates'][number];
export type TemplateBody = Omit<Template, 'id' | 'revision'>;
export type Section = Template['sections'][number];
export type Tried = operations['tryTemplate']['responses'][200]['content']['application/json'];

/** Null before they were read. */
export const templates = atom<Templates | null>(null);

onMount(templates, () => {
  // Names of those that everybody has are in the language of the page.
  const stop = locale.subscribe(() => void readTemplates());
  return stop;
});

/** Without an answer what was known stays. */
export async function readTemplates(): Promise<void> {
  try {
    templates.set(await answer(api.GET('/templates')));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
}

/** @param id null: a new one @throws {ApiError} */
export async function saveTemplate(id: string | null, body: TemplateBody): Promise<void> {
  if (id === null) await answer(api.POST('/templates', { body }));
  else await answer(api.PUT('/templates/{template}', { params: { path: { template: id } }, body }));
  await readTemplates();
}

/** @throws {ApiError} */
export async function deleteTemplate(id: string): Promise<void> {
  await answer(api.DELETE('/templates/{template}', { params: { path: { template: id } } }));
  await readTemplates();
}

/** @throws {ApiError} */
export const tryTemplate = async (
  template: TemplateBody,
  recording: string,
  signal: AbortSignal,
): Promise<Tried> =>
  await answer(api.POST('/templates/try', { body: { template, recording_id: recording }, signal }));
