import {
  type Grant,
  type Grantee,
  grantsMax,
  withGrant,
  withoutGrant,
} from '../events/facts/access.ts';
import type { RuleThen, RuleWhen } from '../events/facts/rules.ts';
import { type TemplateContent, asSpoken } from '../events/facts/templates.ts';
import { detail } from '../src/words/details.ts';
import { houseId, personOf, type PersonalFact, type TagColour } from '../events/facts/personal.ts';
import { type KnownWord, wordsAfter } from './known-words.ts';
import type { Kind } from '../events/facts/recording.ts';
import { type RetentionTerms, isSameTerms } from '../events/facts/retention.ts';
import { userSubject } from '../events/facts/catalogue.ts';
import type { StoredFact } from '../events/facts/envelope.ts';
import { type Aggregate, type Decision, type Refusal, refuse } from '../events/command-handler.ts';
import { problemOf } from '../src/words/problems.ts';
import { foldName } from './library.ts';

export type Named = { readonly id: string; readonly name: string };
export type Folder = Named & {
  /** What a recording that begins in it is, where nobody says otherwise; null: it says nothing. */
  readonly kind: Kind | null;
  readonly language: string | null;
  /** Id of what its summaries look like; null: as their kind has it. */
  readonly template: string | null;
  /** How long what is in it is kept, and when that was said last; null: as the rest. */
  readonly retention: RetentionTerms | null;
  readonly retentionAt: string | null;
  /** With whom what is in it is shared. */
  readonly access: readonly Grant[];
};
export type Tag = Named & { readonly colour: TagColour };

/** Puts new recordings in order: where all of `when` holds, what `then` says. */
export type Rule = {
  readonly id: string;
  readonly enabled: boolean;
  readonly when: RuleWhen;
  readonly then: RuleThen;
};

/** What a summary looks like; each change is a revision. */
export type Template = TemplateContent & { readonly id: string; readonly revision: number };

/** What one user has set in order, as the `personal-<user id>` stream says. */
export type Personal = {
  readonly userId: string;
  /** How long their notes are kept; `at`: when that was said. */
  readonly retention: { readonly terms: RetentionTerms; readonly at: string | null };
  /** What is due before that moment may go. */
  readonly confirmedBefore: string | null;
  /** By id, in the order in which they were made. */
  readonly folders: ReadonlyMap<string, Folder>;
  readonly tags: ReadonlyMap<string, Tag>;
  /** In their order. */
  readonly rules: ReadonlyMap<string, Rule>;
  readonly templates: ReadonlyMap<string, Template>;
  /** That saved last is the last. */
  readonly words: ReadonlyMap<string, KnownWord>;
  /** Ids of folders that were deleted: what was put into one at that very moment is in none. */
  readonly deletedFolders: ReadonlySet<string>;
};

/** Folders, and tags, that a user may have. */
export const namedMax = 500;
/** Rules that a user may have. */
export const rulesMax = 100;
/** Characters of a name. */
export const orderNameMax = 80;

/** Its code is the type of problem that HTTP answers. */
export type PersonalRefusal = Refusal<
  'name-taken' | 'too-many-names' | 'not-found' | 'changed-meanwhile'
>;
export type DecidePersonal = (personal: Personal) => Decision<PersonalFact, PersonalRefusal>;

/** How such a stream folds. */
export const personalAggregate: Aggregate<Personal, PersonalFact> = {
  initial: (stream) => ({
    userId: personOf(stream) ?? '',
    retention: { terms: {}, at: null },
    confirmedBefore: null,
    folders: new Map(),
    tags: new Map(),
    rules: new Map(),
    templates: new Map(),
    words: new Map(),
    deletedFolders: new Set(),
  }),
  evolve: after,
  accept: ({ userId }, _version, facts, metadata) =>
    facts.map((fact) => ({
      ...fact,
      ...metadata,
      subject: userId === houseId ? houseId : userSubject(userId),
    })),
};

export const createFolder =
  ({
    id,
    name,
    kind = null,
    language = null,
    template = null,
    retention = null,
  }: Named & Partial<Folder>): DecidePersonal =>
  ({ folders }) =>
    nameFault(folders, { name, what: 'folders' }) ?? [
      { type: 'folder.created', data: { folder: id }, content: { name } },
      ...(kind === null && language === null && template === null && retention === null
        ? []
        : [
            {
              type: 'folder.configured' as const,
              data: { folder: id, kind, language, template, retention },
            },
          ]),
    ];

/** Another name, or what begins in it is; what is left out stays. */
export const changeFolder =
  (id: string, wanted: Changes<Omit<Folder, 'id' | 'access' | 'retentionAt'>>): DecidePersonal =>
  ({ folders }) => {
    const there = folders.get(id);
    if (!there) return unknownInOrder;
    const {
      name = there.name,
      kind = there.kind,
      language = there.language,
      template = there.template,
      retention = there.retention,
    } = wanted;
    const refused = name === there.name ? undefined : nameFault(folders, { id, name });
    if (refused) return refused;
    const facts: PersonalFact[] = [];
    if (name !== there.name)
      facts.push({ type: 'folder.renamed', data: { folder: id }, content: { name } });
    const isKept = isSameTerms(retention, there.retention);
    const { kind: k, language: l, template: t } = there;
    if (kind !== k || language !== l || template !== t || !isKept) {
      const data = { folder: id, kind, language, template, ...(isKept ? {} : { retention }) };
      facts.push({ type: 'folder.configured', data });
    }
    return facts;
  };

type Changes<T> = { readonly [K in keyof T]?: T[K] | undefined };

const deletions = {
  folders: (folder) => ({ type: 'folder.deleted', data: { folder } }),
  tags: (tag) => ({ type: 'tag.deleted', data: { tag } }),
  rules: (rule) => ({ type: 'rule.deleted', data: { rule } }),
  templates: (template) => ({ type: 'template.deleted', data: { template } }),
  words: (word) => ({ type: 'word.deleted', data: { word } }),
} satisfies Partial<Record<keyof Personal, (id: string) => PersonalFact>>;

/** What it made, or was used for, stays. */
export const deleteInOrder =
  (what: keyof typeof deletions, id: string): DecidePersonal =>
  (personal) =>
    personal[what].has(id) ? [deletions[what](id)] : unknownInOrder;

/** Shares what is in a folder, or changes what somebody may do with it. */
export const shareFolder =
  (id: string, grant: Grant): DecidePersonal =>
  ({ folders }) => {
    const there = folders.get(id);
    if (!there) return unknownInOrder;
    const before = there.access.find(({ to }) => to === grant.to);
    if (before?.role === grant.role && before.audio === grant.audio) return [];
    if (!before && there.access.length >= grantsMax) return tooManyNames('grants', grantsMax);
    return [{ type: 'folder.shared', data: { folder: id, ...grant } }];
  };

export const unshareFolder =
  (id: string, to: Grantee): DecidePersonal =>
  ({ folders }) => {
    const there = folders.get(id);
    if (!there) return unknownInOrder;
    return there.access.some((one) => one.to === to)
      ? [{ type: 'folder.unshared', data: { folder: id, to } }]
      : [];
  };

export const createTag =
  ({ id, name, colour }: Tag): DecidePersonal =>
  ({ tags }) =>
    nameFault(tags, { name, what: 'tags' }) ?? [
      { type: 'tag.created', data: { tag: id, colour }, content: { name } },
    ];

/** Another name or colour; what is left out stays. */
export const changeTag =
  (id: string, wanted: Changes<Omit<Tag, 'id'>>): DecidePersonal =>
  ({ tags }) => {
    const there = tags.get(id);
    if (!there) return unknownInOrder;
    const { name = there.name, colour = there.colour } = wanted;
    if (name === there.name && colour === there.colour) return [];
    return (
      nameFault(tags, { id, name }) ?? [
        { type: 'tag.renamed', data: { tag: id, colour }, content: { name } },
      ]
    );
  };

/** A new rule is the last one. */
export const createRule =
  (rule: Rule): DecidePersonal =>
  ({ rules }) =>
    rules.size >= rulesMax ? tooManyNames('rules', rulesMax) : [saved(rule)];

/** What is left out stays. */
export const changeRule =
  (id: string, wanted: Changes<Omit<Rule, 'id'>>): DecidePersonal =>
  ({ rules }) => {
    const there = rules.get(id);
    if (!there) return unknownInOrder;
    const { enabled = there.enabled, when = there.when, then = there.then } = wanted;
    const after = { id, enabled, when, then };
    const isSame = JSON.stringify(after) === JSON.stringify(there);
    return isSame ? [] : [saved(after)];
  };

/** @param ids all of them, each once */
export const orderRules =
  (ids: readonly string[]): DecidePersonal =>
  ({ rules }) => {
    const isAll = ids.length === rules.size && new Set(ids).size === ids.length;
    if (!isAll || !ids.every((id) => rules.has(id)))
      return refuse('changed-meanwhile', detail('other-rules'));
    const isSame = [...rules.keys()].every((id, at) => id === ids[at]);
    return isSame ? [] : [{ type: 'rules.ordered', data: { rules: [...ids] } }];
  };

const saved = ({ id, enabled, when, then }: Rule): PersonalFact => ({
  type: 'rule.saved',
  data: { rule: id, enabled },
  content: { when, then },
});

/** What documents say of where a recording is: names of what is still there, tags by name. */
export function namesOf(
  { folder, tags }: { folder: string | null; tags: readonly string[] },
  personal: Personal,
): { folder?: string; tags?: string[] } {
  const filed = folder === null ? undefined : personal.folders.get(folder);
  const names = tags.flatMap((tag) => personal.tags.get(tag)?.name ?? []);
  return {
    ...(filed ? { folder: filed.name } : {}),
    ...(names.length > 0 ? { tags: names.toSorted() } : {}),
  };
}

export const unknownInOrder = refuse('not-found', problemOf('not-found'));

export const tooManyNames = (
  what: 'folders' | 'tags' | 'rules' | 'grants' | 'templates' | 'words',
  count: number,
): PersonalRefusal => refuse('too-many-names', problemOf('too-many-names', { count, what }));

/** Why a name cannot be given; undefined: it can. `what`: of which one more is to be made. */
export function nameFault(
  there: ReadonlyMap<string, Named>,
  { id, name, what }: { id?: string; name: string; what?: 'folders' | 'tags' },
): PersonalRefusal | undefined {
  if (what !== undefined && there.size >= namedMax) return tooManyNames(what, namedMax);
  const same = [...there.values()].find(
    (one) => one.id !== id && foldName(one.name) === foldName(name),
  );
  return same && refuse('name-taken', problemOf('name-taken', { name: same.name }));
}

function after(personal: Personal, fact: StoredFact<PersonalFact>): Personal {
  const { folders, tags, rules, templates, words, deletedFolders } = personal;
  switch (fact.type) {
    case 'folder.created':
    case 'folder.renamed': {
      const { folder: id } = fact.data;
      const folder = { ...(folders.get(id) ?? newFolder), id, name: nameIn(fact, id) };
      return { ...personal, folders: having(folders, folder) };
    }
    case 'folder.configured': {
      const { folder: id, kind, language, template = null } = fact.data;
      const there = folders.get(id);
      if (!there) return personal;
      const { retention } = fact.data;
      const kept = retention === undefined ? {} : { retention, retentionAt: fact.at };
      const now = { ...there, kind, language, template, ...kept };
      return { ...personal, folders: having(folders, now) };
    }
    case 'folder.shared':
    case 'folder.unshared': {
      const there = folders.get(fact.data.folder);
      if (!there) return personal;
      const access =
        fact.type === 'folder.shared'
          ? withGrant(there.access, fact.data)
          : withoutGrant(there.access, fact.data.to);
      return { ...personal, folders: having(folders, { ...there, access }) };
    }
    case 'folder.deleted':
      return {
        ...personal,
        folders: without(folders, fact.data.folder),
        words: wordsAfter(words, fact),
        deletedFolders: new Set(deletedFolders).add(fact.data.folder),
      };
    case 'tag.created':
    case 'tag.renamed': {
      const { tag: id, colour } = fact.data;
      return { ...personal, tags: having(tags, { id, name: nameIn(fact, id), colour }) };
    }
    case 'tag.deleted':
      return { ...personal, tags: without(tags, fact.data.tag) };
    case 'rule.saved': {
      const { rule: id, enabled } = fact.data;
      // One that cannot be read, since its key is away, does nothing.
      const { when, then } = fact.content ?? { when: {}, then: {} };
      return { ...personal, rules: having(rules, { id, enabled, when, then }) };
    }
    case 'rule.deleted':
      return { ...personal, rules: without(rules, fact.data.rule) };
    case 'rules.ordered': {
      const ordered = fact.data.rules.flatMap((id) => rules.get(id) ?? []);
      return { ...personal, rules: new Map(ordered.map((rule) => [rule.id, rule])) };
    }
    case 'retention.set':
      return { ...personal, retention: { terms: fact.data, at: fact.at } };
    case 'retention.confirmed':
      return { ...personal, confirmedBefore: fact.data.before };
    case 'template.saved':
      return { ...personal, templates: having(templates, templateIn(fact)) };
    case 'template.deleted':
      return { ...personal, templates: without(templates, fact.data.template) };
    case 'word.saved':
    case 'word.deleted':
      return { ...personal, words: wordsAfter(words, fact) };
    default:
      return personal;
  }
}

/** One that cannot be read, since its key is away, asks for nothing. */
const templateIn = ({
  data: { template: id, revision },
  content,
}: StoredFact<Extract<PersonalFact, { type: 'template.saved' }>>): Template => ({
  ...(content ?? {
    name: id,
    sections: [],
    instructions: '',
    language: asSpoken,
    length: 'medium',
  }),
  id,
  revision,
});

const newFolder = {
  kind: null,
  language: null,
  template: null,
  retention: null,
  retentionAt: null,
  access: [],
} as const;

/** What cannot be read, since its key is away, is called by its id. */
const nameIn = ({ content }: { content?: { name: string } | undefined }, id: string): string =>
  content?.name ?? id;

const having = <T extends { id: string }>(there: ReadonlyMap<string, T>, one: T) =>
  new Map(there).set(one.id, one);

function without<T>(there: ReadonlyMap<string, T>, id: string): ReadonlyMap<string, T> {
  const left = new Map(there);
  left.delete(id);
  return left;
}
