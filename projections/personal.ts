import { personOf, type PersonalFact, type TagColour } from '../events/facts/personal.ts';
import { userSubject } from '../events/facts/catalogue.ts';
import type { StoredFact } from '../events/facts/envelope.ts';
import type { Aggregate, Decision, Refusal } from '../events/command-handler.ts';
import type { Sentence } from '../src/words/params.ts';
import { problemOf } from '../src/words/problems.ts';
import { foldName } from './library.ts';

export type Folder = { readonly id: string; readonly name: string };
export type Tag = { readonly id: string; readonly name: string; readonly colour: TagColour };

/** What one user has set in order, as the `personal-<user id>` stream says. */
export type Personal = {
  readonly userId: string;
  /** By id, in the order in which they were made. */
  readonly folders: ReadonlyMap<string, Folder>;
  readonly tags: ReadonlyMap<string, Tag>;
  /** Ids of folders that were deleted: what was put into one at that very moment is in none. */
  readonly deletedFolders: ReadonlySet<string>;
};

/** Folders, and tags, that a user may have. */
export const namedMax = 500;
/** Characters of a name. */
export const orderNameMax = 80;

/** Its code is the type of problem that HTTP answers. */
export type PersonalRefusal = Refusal<'name-taken' | 'too-many-names' | 'not-found'>;
export type DecidePersonal = (personal: Personal) => Decision<PersonalFact, PersonalRefusal>;

/** How such a stream folds. */
export const personalAggregate: Aggregate<Personal, PersonalFact> = {
  initial: (stream) => ({
    userId: personOf(stream) ?? '',
    folders: new Map(),
    tags: new Map(),
    deletedFolders: new Set(),
  }),
  evolve: after,
  accept: ({ userId }, _version, facts, metadata) =>
    facts.map((fact) => ({ ...fact, ...metadata, subject: userSubject(userId) })),
};

export const createFolder =
  ({ id, name }: Folder): DecidePersonal =>
  ({ folders }) =>
    fault(folders, { name, what: 'folders' }) ?? [
      { type: 'folder.created', data: { folder: id }, content: { name } },
    ];

export const renameFolder =
  ({ id, name }: Folder): DecidePersonal =>
  ({ folders }) => {
    const there = folders.get(id);
    if (!there) return unknown;
    if (there.name === name) return [];
    return (
      fault(folders, { id, name }) ?? [
        { type: 'folder.renamed', data: { folder: id }, content: { name } },
      ]
    );
  };

export const deleteFolder =
  (id: string): DecidePersonal =>
  ({ folders }) =>
    folders.has(id) ? [{ type: 'folder.deleted', data: { folder: id } }] : unknown;

export const createTag =
  ({ id, name, colour }: Tag): DecidePersonal =>
  ({ tags }) =>
    fault(tags, { name, what: 'tags' }) ?? [
      { type: 'tag.created', data: { tag: id, colour }, content: { name } },
    ];

/** Another name or colour; what is left out stays. */
export const changeTag =
  (
    id: string,
    wanted: { name?: string | undefined; colour?: TagColour | undefined },
  ): DecidePersonal =>
  ({ tags }) => {
    const there = tags.get(id);
    if (!there) return unknown;
    const { name = there.name, colour = there.colour } = wanted;
    if (name === there.name && colour === there.colour) return [];
    return (
      fault(tags, { id, name }) ?? [
        { type: 'tag.renamed', data: { tag: id, colour }, content: { name } },
      ]
    );
  };

export const deleteTag =
  (id: string): DecidePersonal =>
  ({ tags }) =>
    tags.has(id) ? [{ type: 'tag.deleted', data: { tag: id } }] : unknown;

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

const refuse = (refused: PersonalRefusal['refused'], said: Sentence): PersonalRefusal => ({
  refused,
  said,
});
const unknown = refuse('not-found', problemOf('not-found'));

/** Why a name cannot be given; undefined: it can. `what`: of which one more is to be made. */
function fault(
  there: ReadonlyMap<string, Folder>,
  { id, name, what }: { id?: string; name: string; what?: 'folders' | 'tags' },
): PersonalRefusal | undefined {
  if (what !== undefined && there.size >= namedMax)
    return refuse('too-many-names', problemOf('too-many-names', { count: namedMax, what }));
  const same = [...there.values()].find(
    (one) => one.id !== id && foldName(one.name) === foldName(name),
  );
  return same && refuse('name-taken', problemOf('name-taken', { name: same.name }));
}

function after(personal: Personal, fact: StoredFact<PersonalFact>): Personal {
  const { folders, tags, deletedFolders } = personal;
  switch (fact.type) {
    case 'folder.created':
    case 'folder.renamed': {
      const { folder: id } = fact.data;
      return { ...personal, folders: having(folders, { id, name: nameIn(fact, id) }) };
    }
    case 'folder.deleted': {
      const { folder: id } = fact.data;
      return {
        ...personal,
        folders: without(folders, id),
        deletedFolders: new Set(deletedFolders).add(id),
      };
    }
    case 'tag.created':
    case 'tag.renamed': {
      const { tag: id, colour } = fact.data;
      return { ...personal, tags: having(tags, { id, name: nameIn(fact, id), colour }) };
    }
    case 'tag.deleted':
      return { ...personal, tags: without(tags, fact.data.tag) };
    default:
      return personal;
  }
}

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
