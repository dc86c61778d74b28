import { asSpoken, type TemplateUsed } from '../../events/facts/templates.ts';
import { houseId } from '../../events/facts/personal.ts';
import type { Kind } from '../../events/facts/recording.ts';
import type { Personal, Template } from '../../projections/personal.ts';
import { choicesIn } from '../../projections/rules.ts';
import { orderOf } from '../../projections/recording/order.ts';
import { type Recording, requestsIn } from '../../projections/recording/recording.ts';
import type { Pattern } from '../language/summary-pattern.ts';
import type { Language } from '../words/params.ts';
import { builtInTemplate, generalTemplate, templateOfKind } from './built-in-templates.ts';

/** The template that holds for a summary, and what it wants. */
export type TemplateHeld = {
  used: TemplateUsed;
  /** Somebody chose it, for this recording or its folder. */
  isChosen: boolean;
  /** Null: the language of the talk. */
  language: string | null;
  length: 'shorter' | 'longer' | undefined;
  /** Undefined: it wants nothing besides. */
  pattern: Pattern | undefined;
};

/** What may be chosen for recordings of a user, besides the templates that everybody has. */
export type Choosable = {
  own: Personal;
  house: Pick<Personal, 'templates'>;
};

/** @throws {EventStoreError} */
export const choosableBy = async (
  order: { of(userId: string): Promise<Personal> },
  owner: string,
): Promise<Choosable> => ({ own: await order.of(owner), house: await order.of(houseId) });

/**
 * What a run was asked to take, also one before it; else what a rule chose; else what the recording's folder has, or before
 * that where a person chose the folder; else that of its kind. One that is there no more, or is another user's, is passed
 * over.
 */
export function templateHeld(
  recording: Recording,
  kind: Kind,
  choosable: Choosable,
  language: Language,
): TemplateHeld {
  const asked = requestsIn(recording).findLast(({ data }) => data.template !== undefined);
  const { folder, template: byRule } = orderOf(recording);
  const byFolder = choosable.own.folders.get(folder ?? '')?.template;
  // Asked for by the folder or kind again, no rule has a say any more.
  const others = choicesIn(recording).hasChosenFolder ? [byFolder, byRule] : [byRule, byFolder];
  const chosen = asked ? [asked.data.template, byFolder] : others;
  for (const id of chosen) {
    const found = id == null ? undefined : templateOf(id, choosable, language);
    if (found) return held(found, true);
  }
  const usual = templateOfKind[kind];
  return held({ ...builtInTemplate(usual, language)!, of: builtIn }, false);
}

/** In place of a user's id: whose templates are that everybody has. */
export const builtIn = 'built-in';

/** A template by its id: of this user, of the house, or one that everybody has. */
export function templateOf(
  id: string,
  { own: { userId, templates }, house }: Choosable,
  language: Language,
): (Template & { of: string }) | undefined {
  const own = templates.get(id);
  if (own) return { ...own, of: userId };
  const ofHouse = house.templates.get(id);
  if (ofHouse) return { ...ofHouse, of: houseId };
  const everybodys = builtInTemplate(id, language);
  return everybodys && { ...everybodys, of: builtIn };
}

function held({ of, ...template }: Template & { of: string }, isChosen: boolean): TemplateHeld {
  const { id, revision, language } = template;
  return {
    used: { id, revision, of },
    isChosen,
    language: language === asSpoken ? null : language,
    length: lengths[template.length],
    pattern: id === generalTemplate ? undefined : patternOf(template, of !== builtIn),
  };
}

/**
 * What a template says to a language model. Its lines have to be proved only in the language of the talk: in another one
 * words of both do not meet.
 * @param isOwn people wrote it: it may ask for what was not said
 */
export const patternOf = (
  { sections, instructions, language }: Pick<Template, 'sections' | 'instructions' | 'language'>,
  isOwn: boolean,
): Pattern => ({ sections, instructions, provedOnly: isOwn && language === asSpoken });

/** As people ask for a summary that is made again. */
export const lengths = { short: 'shorter', medium: undefined, long: 'longer' } as const;
