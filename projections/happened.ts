import type { LoggedFact } from '../events/facts/catalogue.ts';
import { personOf } from '../events/facts/personal.ts';
import { recordingOf } from '../events/facts/recording.ts';
import { type ReadEntries, entriesInAll, entriesOf, timeKey } from './list-page.ts';
import type { Projection, ProjectionStorage } from './runner/projection.ts';

/** What administrators are shown, by what it is about. */
export const happenedKinds = [
  'users',
  'rights',
  'groups',
  'shares',
  'erasures',
  'settings',
] as const;
export type HappenedKind = (typeof happenedKinds)[number];

/** The facts that are shown. All others are of what people say and make, and none of an administrator's business. */
const kindOf: Readonly<Partial<Record<LoggedFact['type'], HappenedKind>>> = {
  'user.registered': 'users',
  'user.deleted': 'users',
  'user.disabled': 'users',
  'user.enabled': 'users',
  'user.invited': 'users',
  'user.invitation_withdrawn': 'users',
  'user.password_changed': 'users',
  'user.password_link_made': 'users',
  'user.password_link_withdrawn': 'users',
  'user.totp_enabled': 'users',
  'user.totp_disabled': 'users',
  'user.recovery_code_used': 'users',
  'user.identity_linked': 'users',
  'user.identity_unlinked': 'users',
  'user.vault_set': 'users',
  'user.admin_granted': 'rights',
  'user.admin_revoked': 'rights',
  'group.created': 'groups',
  'group.renamed': 'groups',
  'group.member_added': 'groups',
  'group.member_removed': 'groups',
  'group.deleted': 'groups',
  'access.granted': 'shares',
  'access.withdrawn': 'shares',
  'folder.shared': 'shares',
  'folder.unshared': 'shares',
  'link.created': 'shares',
  'link.revoked': 'shares',
  'recording.handed_over': 'shares',
  'recording.erased': 'erasures',
  'recording.discarded': 'erasures',
  'config.key_set': 'settings',
  'config.secret_set': 'settings',
  'config.key_reset': 'settings',
};

/** One thing that happened: ids and codes, not a word that a person said or wrote. */
export type Happened = {
  position: number;
  at: string;
  kind: HappenedKind;
  type: string;
  /** Id of the user who did it, `guest`, or `system`. */
  by: string;
  /** Ids of what it was done to; absent: it was not about one. */
  user?: string;
  group?: string;
  recording?: string;
  folder?: string;
  link?: string;
  /** Name of the setting, never its value. */
  setting?: string;
  role?: string;
  audio?: boolean;
  admin?: boolean;
};

/**
 * What happened to users, rights, shares and settings, and what was erased. Rows without words, newest last:
 * `a/<at>/<position>` what it was; `k/<kind>/…`, `u/<user id>/…` lists by kind, and by who did it or to whom it was done.
 */
export const happened: Projection = {
  name: 'happened',
  version: 1,
  interests: new Set(Object.keys(kindOf) as LoggedFact['type'][]),
  keys: () => [],
  apply(rows, fact) {
    const kind = kindOf[fact.type];
    // Nobody did this: the hash of a password is renewed at a login.
    const isRehash = fact.type === 'user.password_changed' && fact.data.reason === 'rehashed';
    if (kind === undefined || isRehash) return;
    const { position, at, type, by } = fact;
    const place = timeKey(at, String(position).padStart(16, '0'));
    const what = subjectsOf(fact);
    rows.set(`a/${place}`, { position, at, kind, type, by, ...what } satisfies Happened);
    rows.set(`k/${kind}/${place}`, 1);
    const users = [by, what.user, personOf(fact.stream)].filter((one) => one !== undefined);
    for (const user of new Set(users)) rows.set(`u/${user}/${place}`, 1);
  },
};

/** Fields that are named, so that none gets in that a later release adds. */
function subjectsOf(fact: LoggedFact): Partial<Happened> {
  const recording = recordingOf(fact.stream);
  const named: Partial<Happened> = recording === undefined ? {} : { recording };
  switch (fact.type) {
    case 'user.registered':
    case 'user.invited':
      return { user: fact.data.user_id, admin: fact.data.is_admin };
    case 'group.created':
    case 'group.renamed':
    case 'group.deleted':
      return { group: fact.data.group_id };
    case 'group.member_added':
    case 'group.member_removed':
      return { group: fact.data.group_id, user: fact.data.user_id };
    case 'access.granted':
    case 'folder.shared': {
      const { role, audio } = fact.data;
      return { ...named, ...folderIn(fact.data), ...grantee(fact.data.to), role, audio };
    }
    case 'access.withdrawn':
    case 'folder.unshared':
      return { ...named, ...folderIn(fact.data), ...grantee(fact.data.to) };
    case 'link.created':
      return { ...named, link: fact.data.link, audio: fact.data.audio };
    case 'link.revoked':
      return { ...named, link: fact.data.link };
    case 'recording.handed_over':
      return { ...named, user: fact.data.owner };
    case 'config.key_set':
    case 'config.secret_set':
    case 'config.key_reset':
      return { setting: fact.data.key };
    default:
      return 'user_id' in fact.data ? { user: fact.data.user_id } : named;
  }
}

const folderIn = (data: object): Partial<Happened> =>
  'folder' in data && typeof data.folder === 'string' ? { folder: data.folder } : {};

const grantee = (to: string): Partial<Happened> =>
  to.startsWith('g-') ? { group: to.slice(2) } : { user: to.slice(2) };

/** What is looked for; left out: all. */
export type HappenedFilter = {
  kind?: string | undefined;
  /** Id of the user who did it, or to whom it was done. */
  user?: string | undefined;
};

/** The places of what happened; a page of them costs the same however long the log is. */
export function happenedPlaces(
  storage: ProjectionStorage,
  { kind, user }: HappenedFilter,
): ReadEntries {
  const lists: ReadEntries[] = [
    ...(user === undefined ? [] : [entriesOf(storage, happened.name, `u/${user}/`)]),
    ...(kind === undefined ? [] : [entriesOf(storage, happened.name, `k/${kind}/`)]),
  ];
  const [first = entriesOf(storage, happened.name, 'a/'), ...others] = lists;
  return entriesInAll([first, ...others]);
}

/** What happened at these places; undefined where none of these facts is. */
export const happenedAt = (
  storage: ProjectionStorage,
  places: readonly string[],
): Promise<(Happened | undefined)[]> =>
  storage.getMany<Happened>(
    happened.name,
    places.map((place) => `a/${place}`),
  );
