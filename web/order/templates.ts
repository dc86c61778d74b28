/** Templates of summaries: of who is logged in, of the house, and built-in ones. Read again whenever somebody begins to look. */
import { atom, onMount } from 'nanostores';
import { type Answered, ApiError, type Problem, answer, api } from '../client/api.ts';
import { connection } from '../client/feed.ts';
import { locale } from '../words/i18n.ts';

export type Templates = Answered<'listTemplates'>;
export type Template = Templates['templates'][number];
/** One's own, or those of everybody, which administrators change. */
export type Whose = 'mine' | 'house';
export type TemplateBody = Omit<Template, 'id' | 'revision'>;
export type Section = Template['sections'][number];
export type Tried = Answered<'tryTemplate'>;

/** Null before they were read. */
export const templates = atom<Templates | null>(null);
/** Why they could not be read. */
export const templatesProblem = atom<Problem | null>(null);

onMount(templates, () => {
  // Names of those that everybody has are in the language of the page.
  const stopLocale = locale.subscribe(() => void readTemplates());
  // What could not be read while the service was away.
  const stop = connection.listen(({ state }) => {
    if (state === 'open' && templates.get() === null) void readTemplates();
  });
  return () => (stopLocale(), stop());
});

/** Without an answer what was known stays. */
export async function readTemplates(): Promise<void> {
  try {
    templates.set(await answer(api.GET('/templates')));
    templatesProblem.set(null);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    templatesProblem.set(error.problem);
  }
}

/** @param id null: a new one @throws {ApiError} */
export async function saveTemplate(
  of: Whose,
  id: string | null,
  body: TemplateBody,
): Promise<void> {
  const query = { of };
  if (id === null) await answer(api.POST('/templates', { params: { query }, body }));
  else {
    const params = { path: { template: id }, query };
    await answer(api.PUT('/templates/{template}', { params, body }));
  }
  await readTemplates();
}

/** @throws {ApiError} */
export async function deleteTemplate(of: Whose, id: string): Promise<void> {
  const params = { path: { template: id }, query: { of } };
  await answer(api.DELETE('/templates/{template}', { params }));
  await readTemplates();
}

/** One that can be chosen; undefined: it was deleted. */
export const templateById = (all: Templates, id: string): Template | undefined =>
  [...all.templates, ...all.house, ...all.built_in].find((one) => one.id === id);

/** @throws {ApiError} */
export const tryTemplate = async (
  template: TemplateBody,
  recording: string,
  signal: AbortSignal,
): Promise<Tried> =>
  await answer(api.POST('/templates/try', { body: { template, recording_id: recording }, signal }));
