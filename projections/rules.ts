import type { RuleWhen } from '../events/facts/rules.ts';
import { tagsMax } from '../events/facts/order.ts';
import type { Kind, RecordingFact } from '../events/facts/recording.ts';
import { foldWord, wordsOf } from '../src/shared/folded-words.ts';
import { localTime } from '../src/shared/time.ts';
import { foldName } from './library.ts';
import type { Personal, Rule } from './personal.ts';
import { orderOf } from './recording/order.ts';
import { draft, published } from './recording/reading.ts';
import { type ReadFact, type Recording, factAt, requestsIn } from './recording/recording.ts';

/** What rules are asked about; what is not known yet is null or empty, and fits no condition. */
export type RuleTraits = {
  kind: Kind;
  source: RuleSource;
  device: string | null;
  fileName: string | null;
  language: string | null;
  /** RFC 3339. */
  startedAt: string;
  title: string | null;
  speakers: readonly string[];
  /** The texts of all passages. */
  passages: readonly string[];
};
type RuleSource = NonNullable<RuleWhen['source']>;

/** Whether all conditions hold. Pure. */
export function fits(when: RuleWhen, traits: RuleTraits): boolean {
  const given = Object.values(when).filter((value) => value !== undefined);
  return given.length > 0 && fitsBeginning(when, traits) && fitsWords(when, traits);
}

function fitsBeginning(when: RuleWhen, traits: RuleTraits): boolean {
  const { kind, source, device, file_name, language, weekdays, from, to } = when;
  const { weekday, time } = clockOf(traits.startedAt);
  return (
    (kind === undefined || kind === traits.kind) &&
    (source === undefined || source === traits.source) &&
    (device === undefined || isLike(traits.device, device)) &&
    (file_name === undefined || isLike(traits.fileName, file_name)) &&
    (language === undefined || language === traits.language) &&
    (weekdays === undefined || weekdays.includes(weekday)) &&
    (from === undefined || to === undefined || isBetween(time, from, to))
  );
}

function fitsWords({ title, speaker, said }: RuleWhen, traits: RuleTraits): boolean {
  return (
    (title === undefined || hasWords(traits.title ?? '', foldedIn(title))) &&
    (speaker === undefined ||
      traits.speakers.some((name) => foldName(name) === foldName(speaker))) &&
    (said === undefined || isSaid(traits.passages, foldedIn(said)))
  );
}

const isSaid = (passages: readonly string[], words: readonly string[]): boolean =>
  passages.some((text) => hasWords(text, words));

function hasWords(text: string, words: readonly string[]): boolean {
  if (words.length === 0) return false;
  const there = new Set(foldedIn(text));
  return words.every((word) => there.has(word));
}

const foldedIn = (text: string): string[] =>
  [...wordsOf(text)].map(({ word }) => foldWord(word)).filter((word) => word !== '');

/** `*` stands for anything. */
function isLike(name: string | null, pattern: string): boolean {
  if (name === null) return false;
  const text = foldName(name);
  const [first = '', ...rest] = foldName(pattern).split('*');
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

/** From a time on, and before another one; over midnight where that is not the later one. */
const isBetween = (time: string, from: string, to: string): boolean =>
  from < to ? time >= from && time < to : time >= from || time < to;

/** By the clock where it was begun, as far as that is known; else by the server's. */
function clockOf(startedAt: string): { weekday: number; time: string } {
  const local = startedAt.endsWith('Z') ? localTime(new Date(startedAt)) : startedAt;
  const day = new Date(`${local.slice(0, 10)}T00:00:00Z`).getUTCDay();
  return { weekday: day === 0 ? 7 : day, time: local.slice(11, 16) };
}

/** What rules are asked with. */
export type Ordering = Pick<Personal, 'folders' | 'tags' | 'rules'> & {
  /** Whether there is such a template, for the user to choose. */
  hasTemplate: (id: string) => boolean;
};

/** The rules that fit, in their order; those that are switched off do not. */
const fitting = ({ rules }: Pick<Personal, 'rules'>, traits: RuleTraits): Rule[] =>
  [...rules.values()].filter(({ enabled, when }) => enabled && fits(when, traits));

/** The first that fits decides on the folder, and on the template; tags come together. Of what was deleted since nothing is left. */
function outcomeOf(rules: readonly Rule[], { folders, tags, hasTemplate }: Ordering) {
  const [filing] = rules.flatMap(({ id, then: { folder } }) =>
    folder !== undefined && folders.has(folder) ? [{ folder, rule: id }] : [],
  );
  const tagging = rules.flatMap(({ id, then }) =>
    (then.tags ?? []).filter((tag) => tags.has(tag)).map((tag) => ({ tag, rule: id })),
  );
  const [templating] = rules.flatMap(({ id, then: { template } }) =>
    template !== undefined && hasTemplate(template) ? [{ template, rule: id }] : [],
  );
  return { folder: filing, tagging, template: templating };
}

/** Whether a folder has a template: where a person chose the folder, no rule chooses another. */
const hasItsTemplate = (id: string | null | undefined, { folders, hasTemplate }: Ordering) =>
  hasTemplate(folders.get(id ?? '')?.template ?? '');

type Tagging = ReturnType<typeof outcomeOf>['tagging'];

/** The fact of tags that rules add to those that are there, none of which was taken away by a person. */
function taggedBy(there: readonly string[], removed: ReadonlySet<string>, tagging: Tagging) {
  const tags = [...there];
  const rules = new Set<string>();
  for (const { tag, rule } of tagging) {
    if (tags.length >= tagsMax || tags.includes(tag) || removed.has(tag)) continue;
    tags.push(tag);
    rules.add(rule);
  }
  return rules.size === 0
    ? []
    : [{ type: 'tags.changed' as const, data: { tags, rules: [...rules] } }];
}

/** What is known of a recording when it begins. */
export type Known = Pick<RuleTraits, 'source' | 'device' | 'fileName' | 'startedAt' | 'title'>;
/** What a person gave with it. What is left out is as its folder or a rule has it. */
export type ChosenAtStart = {
  kind?: Kind | undefined;
  /** Where nothing else says it; `solo` where nobody says that either. */
  usualKind?: Kind | undefined;
  /** ISO 639-1 code; null: as heard. */
  language?: string | null | undefined;
  /** Id of one of the owner's folders. */
  folder?: string | null | undefined;
};

/**
 * With what a recording begins: what was given, else what the folder says that was chosen, else what rules say. The facts
 * go into the append of its first one. Pure.
 * @param known null: no rule is asked, as of what goes on into another recording
 */
export function begunBy(
  given: ChosenAtStart,
  personal: Ordering,
  known: Known | null,
): { kind: Kind; language: string | null; facts: RecordingFact[] } {
  const { usualKind = 'solo' } = given;
  const chosen = personal.folders.get(given.folder ?? '');
  const said = {
    kind: given.kind ?? chosen?.kind ?? undefined,
    language: given.language === undefined ? (chosen?.language ?? undefined) : given.language,
  };
  const traitsWith = ({
    kind = usualKind,
    language = null,
  }: Pick<ChosenAtStart, 'kind' | 'language'>) =>
    known && { ...known, kind, language, speakers: [], passages: [] };
  const first = traitsWith(said);
  const rules = first ? fitting(personal, first) : [];
  const begun = {
    kind: said.kind ?? rules.find(({ then }) => then.kind)?.then.kind ?? usualKind,
    language:
      said.language === undefined
        ? (rules.find(({ then }) => then.language)?.then.language ?? null)
        : said.language,
  };
  // As what it is from now on, so that the same rules say the same of it later.
  const traits = traitsWith(begun);
  const rulesNow = traits ? fitting(personal, traits) : [];
  const { folder, tagging, template } = outcomeOf(rulesNow, personal);
  const filed = given.folder ? { folder: given.folder } : folder;
  return {
    ...begun,
    facts: [
      ...(filed ? [{ type: 'recording.filed' as const, data: filed }] : []),
      ...taggedBy([], new Set(), tagging),
      ...(template && !hasItsTemplate(given.folder, personal)
        ? [{ type: 'template.chosen' as const, data: template }]
        : []),
    ],
  };
}

/**
 * The facts that rules lead to on all that is known of a recording. What a person has chosen stays: the folder, also none,
 * the template, and tags that were taken away. Pure.
 */
export function rulesApplied(
  recording: Recording,
  personal: Ordering,
): (RecordingFact & { type: 'recording.filed' | 'tags.changed' | 'template.chosen' })[] {
  const traits = traitsOf(recording);
  if (traits === null) return [];
  const { folder, tagging, template } = outcomeOf(fitting(personal, traits), personal);
  const order = orderOf(recording);
  const { hasChosenFolder, removed } = choicesIn(recording);
  const isTemplated =
    template !== undefined &&
    !isTemplateChosen(recording, personal) &&
    template.template !== order.template;
  const isFiled = folder !== undefined && !hasChosenFolder && folder.folder !== order.folder;
  return [
    ...(isFiled ? [{ type: 'recording.filed' as const, data: folder }] : []),
    ...taggedBy(order.tags, removed, tagging),
    ...(isTemplated ? [{ type: 'template.chosen' as const, data: template }] : []),
  ];
}

/** Whether a person chose what its summaries look like: by itself, or by a folder that says it. Pure. */
export function isTemplateChosen(recording: Recording, personal: Ordering): boolean {
  const { hasChosenFolder, hasChosenTemplate } = choicesIn(recording);
  return (
    hasChosenTemplate || (hasChosenFolder && hasItsTemplate(orderOf(recording).folder, personal))
  );
}

/** Whether rules fit a recording, as far as that is known. Pure. */
export function isFitting(recording: Recording, personal: Pick<Personal, 'rules'>): boolean {
  const traits = traitsOf(recording);
  return traits !== null && fitting(personal, traits).length > 0;
}

/** Whether rules are asked about a recording before it has documents: of one that was made of others they are not. */
export const isForRules = ({ facts }: Recording): boolean =>
  originOf(facts[0]) !== null && !facts.some(({ type }) => type === 'documents.saved');

function originOf(first: Recording['facts'][number] | undefined) {
  if (first?.type === 'recording.started' && first.data.continues === undefined) {
    const { device } = first.data;
    const source: RuleSource = device === null ? 'browser' : 'device';
    return { source, device };
  }
  if (first?.type === 'audio.imported' && first.data.parts === undefined)
    return { source: 'upload' as const, device: null };
  return null;
}

/** Null: it was made of others. */
function traitsOf(recording: Recording): RuleTraits | null {
  const origin = originOf(factAt(recording, 1, 'recording.started') ?? recording.facts[0]);
  if (origin === null || recording.startedAt === null) return null;
  const { kind, language, title, filename, speakers, blocks } =
    published(recording) ?? draft(recording);
  return {
    ...origin,
    kind,
    language,
    title,
    fileName: filename,
    startedAt: recording.startedAt,
    speakers: speakers.flatMap(({ name }) => name ?? []),
    passages: blocks.map(({ text }) => text),
  };
}

/** What its present owner has chosen, which is no rule's any more. Pure. */
export function choicesIn(recording: Pick<Recording, 'facts'>): {
  hasChosenFolder: boolean;
  hasChosenTemplate: boolean;
  removed: ReadonlySet<string>;
} {
  let hasChosenFolder = false;
  let hasChosenTemplate = false;
  let tags: readonly string[] = [];
  let removed = new Set<string>();
  const asked: ReadonlySet<ReadFact> = new Set(requestsIn(recording));
  for (const fact of recording.facts) {
    if (fact.type === 'recording.handed_over') {
      [hasChosenFolder, hasChosenTemplate] = [false, false];
      [tags, removed] = [[], new Set()];
    } else if (fact.type === 'recording.filed') {
      if (fact.data.rule === undefined) hasChosenFolder = true;
    } else if (fact.type === 'template.chosen') {
      if (fact.data.rule === undefined) hasChosenTemplate = true;
    } else if (fact.type === 'reprocessing.requested') {
      if (fact.data.template !== undefined && asked.has(fact)) hasChosenTemplate = true;
    } else if (fact.type === 'tags.changed') {
      const after = fact.data.tags;
      if (fact.data.rules === undefined)
        for (const tag of tags) if (!after.includes(tag)) removed.add(tag);
      for (const tag of after) removed.delete(tag);
      tags = after;
    }
  }
  return { hasChosenFolder, hasChosenTemplate, removed };
}
