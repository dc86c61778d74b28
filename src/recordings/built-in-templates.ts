import type { Kind } from '../../events/facts/recording.ts';
import { type TemplateSection, asSpoken } from '../../events/facts/templates.ts';
import type { Template } from '../../projections/personal.ts';
import type { Language } from '../words/params.ts';
import { english } from '../words/built-in-templates.ts';
import { german } from '../words/built-in-templates.de.ts';

/** The one that is what summaries are without a template: its sections are the kinds of lines. */
export const generalTemplate = 'general';

type Part = [about: keyof typeof english.sections, kind: TemplateSection['kind']];

/** What belongs below which heading, by template. */
const parts = {
  general: [
    ['decisions', 'decision'],
    ['tasks', 'task'],
    ['open', 'open'],
    ['points', 'point'],
  ],
  meeting: [
    ['topics', 'point'],
    ['decisions', 'decision'],
    ['tasks', 'task'],
    ['open', 'open'],
  ],
  'one-on-one': [
    ['since-last', 'point'],
    ['feedback', 'point'],
    ['agreements', 'decision'],
    ['tasks', 'task'],
    ['next-time', 'open'],
  ],
  interview: [
    ['person', 'point'],
    ['answers', 'point'],
    ['quotable', 'point'],
    ['open', 'open'],
  ],
  lecture: [
    ['thesis', 'point'],
    ['main-ideas', 'point'],
    ['examples', 'point'],
    ['terms', 'point'],
    ['open', 'open'],
  ],
  diary: [
    ['day', 'point'],
    ['thoughts', 'point'],
    ['plans', 'task'],
  ],
  dictation: [
    ['dictated', 'point'],
    ['tasks', 'task'],
  ],
  'medical-visit': [
    ['complaints', 'point'],
    ['findings', 'point'],
    ['diagnosis', 'point'],
    ['treatment', 'decision'],
    ['steps', 'task'],
    ['open', 'open'],
  ],
} as const satisfies Record<string, readonly Part[]>;

export type BuiltInTemplate = keyof typeof parts;

/** The template of a recording of a kind for which nobody chose one. */
export const templateOfKind: Readonly<Record<Kind, BuiltInTemplate>> = {
  meeting: 'meeting',
  solo: 'general',
};

const catalogues = { en: english, de: german };

/** The templates that everybody has, in a language of the interface. */
export const builtInTemplates = (language: Language): Template[] =>
  Object.keys(parts).flatMap((id) => builtInTemplate(id, language) ?? []);

/** One of these; undefined for another id. */
export function builtInTemplate(id: string, language: Language): Template | undefined {
  if (!Object.hasOwn(parts, id)) return undefined;
  const known = id as BuiltInTemplate;
  const { names, sections } = catalogues[language];
  return {
    id,
    revision: 1,
    name: names[known],
    sections: parts[known].map(([about, kind]) => ({ ...sections[about], kind })),
    instructions: '',
    language: asSpoken,
    length: 'medium',
  };
}
