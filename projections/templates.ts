import { refuse } from '../events/command-handler.ts';
import type { TemplateContent } from '../events/facts/templates.ts';
import { problemOf } from '../src/words/problems.ts';
import { type DecidePersonal, nameFault, tooManyNames, unknownInOrder } from './personal.ts';

/** Templates that a user may have, and the house. */
export const templatesMax = 100;
/** What one may have: sections, and characters of what is in it. */
export const templateLimits = {
  sectionsMax: 12,
  titleMax: 80,
  aboutMax: 300,
  instructionsMax: 2000,
} as const;

export const createTemplate =
  (id: string, content: TemplateContent): DecidePersonal =>
  ({ templates }) =>
    templates.size >= templatesMax
      ? tooManyNames('templates', templatesMax)
      : (nameFault(templates, { name: content.name }) ?? [saved(id, 1, content)]);

/** Another revision; the same again is none. @param seen revisions, one of which it must still be; undefined: any */
export const changeTemplate =
  (id: string, content: TemplateContent, seen?: readonly string[]): DecidePersonal =>
  ({ templates }) => {
    const there = templates.get(id);
    if (!there) return unknownInOrder;
    const { id: _id, revision, ...before } = there;
    const isSame = JSON.stringify(inOrder(before)) === JSON.stringify(inOrder(content));
    if (isSame) return [];
    if (seen?.includes(String(revision)) === false) return changedMeanwhile;
    return nameFault(templates, { id, name: content.name }) ?? [saved(id, revision + 1, content)];
  };

const changedMeanwhile = refuse('changed-meanwhile', problemOf('changed-meanwhile'));

const saved = (id: string, revision: number, content: TemplateContent) => ({
  type: 'template.saved' as const,
  data: { template: id, revision },
  content,
});

const inOrder = ({ name, sections, instructions, language, length }: TemplateContent) => [
  name,
  sections.map(({ title, about, kind }) => [title, about, kind]),
  instructions,
  language,
  length,
];
