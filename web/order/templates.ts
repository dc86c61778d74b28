/** Templates of summaries: of who is logged in, of the house, and built-in ones. Read again whenever somebody begins to look. */
import { type Answered, answer, api } from '../client/api.ts';
import { openReading } from '../client/reading.ts';
import { locale } from '../words/i18n.ts';

export type Templates = Answered<'listTemplates'>;
export type Template = Templates['templates'][number];
/** One's own, or those of everybody, which administrators change. */
export type Whose = 'mine' | 'house';
export type TemplateBody = Omit<Template, 'id' | 'revision'>;
export type Section = Template['sections'][number];
export type Tried = Answered<'tryTemplate'>;

/** The built-in ones are called as the language of the page calls them. */
export const {
  value: templates,
  problem: templatesProblem,
  read: readTemplates,
} = openReading(
  () => answer(api.GET('/templates')),
  (again) => locale.listen(again),
);

/** @param there which one, as it was seen; null: a new one @throws {ApiError} */
export async function saveTemplate(
  of: Whose,
  there: Pick<Template, 'id' | 'revision'> | null,
  body: TemplateBody,
): Promise<void> {
  const query = { of };
  if (there === null) await answer(api.POST('/templates', { params: { query }, body }));
  else {
    const header = { 'If-Match': `"${there.revision}"` };
    const params = { path: { template: there.id }, query, header };
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
