import { computed } from 'nanostores';
import { languageNames } from '../../components/spoken-languages.ts';
import { order } from '../../order/order.ts';
import type { RuleParts } from '../../order/rules.ts';
import { templateById, templates } from '../../order/templates.ts';
import { format, locale } from '../../words/i18n.ts';
import { words } from './words.ts';

/** A rule as a sentence, in the language of the page. */
export const ruleSentence = computed(
  [words, order, templates, locale],
  ($words, $order, $templates, $locale) => {
    const nameOf = languageNames($locale);
    const and = (parts: readonly string[]) =>
      new Intl.ListFormat($locale, { type: 'conjunction' }).format(parts);
    return ({ when, then }: RuleParts): string => {
      const conditions = [
        when.title !== undefined ? $words.whenTitle({ words: when.title }) : [],
        when.said !== undefined ? $words.whenSaid({ words: when.said }) : [],
        when.speaker !== undefined ? $words.whenSpeaker({ name: when.speaker }) : [],
        when.file_name !== undefined ? $words.whenFile({ name: when.file_name }) : [],
        when.device !== undefined ? $words.whenDevice({ name: when.device }) : [],
        when.source !== undefined ? $words[`whenSource_${when.source}`] : [],
        when.kind !== undefined ? $words[`whenKind_${when.kind}`] : [],
        when.language !== undefined ? $words.whenLanguage({ language: nameOf(when.language) }) : [],
        when.weekdays !== undefined
          ? $words.whenDay({ days: and(when.weekdays.map(dayName)) })
          : [],
        when.from !== undefined && when.to !== undefined
          ? $words.whenTime({ from: when.from, to: when.to })
          : [],
      ].flat();
      const folder = $order?.folders.find(({ id }) => id === then.folder)?.name;
      const tags = ($order?.tags ?? []).filter(({ id }) => then.tags?.includes(id));
      const actions = [
        then.folder !== undefined
          ? $words.thenFolder({ name: folder ?? $words.deletedFolder })
          : [],
        tags.length > 0 ? $words.thenTags({ names: and(tags.map(({ name }) => name)) }) : [],
        then.template === undefined
          ? []
          : $words.thenTemplate({
              name:
                ($templates && templateById($templates, then.template)?.name) ??
                $words.deletedTemplate,
            }),
        then.kind !== undefined ? $words[`thenKind_${then.kind}`] : [],
        then.language !== undefined ? $words.thenLanguage({ language: nameOf(then.language) }) : [],
      ].flat();
      return $words.sentence({ when: and(conditions), then: and(actions) });
    };
  },
);

/** @param day 1: Monday */
export const dayName = (day: number): string =>
  format.get().time(new Date(2024, 0, day, 12), { weekday: 'long' });
