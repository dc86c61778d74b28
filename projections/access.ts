import type { Grant, Grantee } from '../events/facts/access.ts';
import type { LoggedFact } from '../events/facts/catalogue.ts';
import { personOf } from '../events/facts/personal.ts';
import { startingWith } from './list-page.ts';
import { recordingOf } from '../events/facts/recording.ts';
import type { Projection, ProjectionStorage, Rows } from './runner/projection.ts';

const accessName = 'access';

/** A folder of somebody else in a search, which is not taken for one of the reader's. */
export const folderOfOthers = (owner: string, folder: string | null): string =>
  `${owner}/${folder}`;

/** What a folder that is shared gives: whose it is, and what one may do with what is in it. */
export type SharedFolder = { owner: string; folder: string } & Pick<Grant, 'role' | 'audio'>;

/**
 * What is shared, as far as recordings do not say it. Rows, without any words:
 * - `f/<grantee>/<folder>` what a folder gives
 * - `o/<folder>` with whom it is shared, so that its deletion finds what it ends
 * - `k/<SHA-256 of a link's token>` which link it is; `r/<recording>` the hashes of its links, for the same
 */
export const access: Projection = {
  name: accessName,
  version: 2,
  interests: new Set<LoggedFact['type']>([
    'folder.shared',
    'folder.unshared',
    'folder.deleted',
    'link.created',
    'link.revoked',
    'recording.handed_over',
    'recording.discarded',
    'recording.erased',
  ]),
  keys(fact) {
    if (isOfFolder(fact)) return [granteesKey(fact.data.folder)];
    const recording = recordingOf(fact.stream);
    return recording === undefined ? [] : [linksKey(recording)];
  },
  apply(rows, fact) {
    if (isOfFolder(fact)) applyToFolder(rows, fact);
    else applyToLinks(rows, fact);
  },
};

function applyToFolder(rows: Rows, fact: OfFolder): void {
  const owner = personOf(fact.stream);
  if (owner === undefined) return;
  const { folder } = fact.data;
  const before = rows.get<Grantee[]>(granteesKey(folder)) ?? [];
  const ended = fact.type === 'folder.deleted' ? before : [fact.data.to];
  for (const to of ended) rows.delete(folderKey(to, folder));
  const left = before.filter((to) => !ended.includes(to));
  if (fact.type === 'folder.shared') {
    const { to, role, audio } = fact.data;
    rows.set(folderKey(to, folder), { owner, folder, role, audio } satisfies SharedFolder);
    left.push(to);
  }
  if (left.length > 0) rows.set(granteesKey(folder), left);
  else rows.delete(granteesKey(folder));
}

function applyToLinks(rows: Rows, fact: LoggedFact): void {
  const recording = recordingOf(fact.stream);
  if (recording === undefined) return;
  const before = rows.get<LinkOfToken[]>(linksKey(recording)) ?? [];
  if (fact.type === 'link.created') {
    const { sha256, link } = fact.data;
    rows.set(tokenKey(sha256), { recording, link } satisfies SharedLink);
    rows.set(linksKey(recording), [...before, { sha256, link }]);
    return;
  }
  const isEnded = ({ link }: LinkOfToken) =>
    fact.type !== 'link.revoked' || fact.data.link === link;
  for (const one of before) if (isEnded(one)) rows.delete(tokenKey(one.sha256));
  const left = before.filter((one) => !isEnded(one));
  if (left.length > 0) rows.set(linksKey(recording), left);
  else if (before.length > 0) rows.delete(linksKey(recording));
}

/** Which link a token is of, by its SHA-256; whether it is open the recording says. */
export const linkOfToken = async (
  storage: ProjectionStorage,
  sha256: string,
): Promise<SharedLink | undefined> => await storage.get<SharedLink>(accessName, tokenKey(sha256));

export type SharedLink = { recording: string; link: string };
type LinkOfToken = { sha256: string; link: string };

/** What one folder gives to any of these. */
export async function folderGrants(
  storage: ProjectionStorage,
  folder: string,
  grantees: readonly Grantee[],
): Promise<SharedFolder[]> {
  const keys = grantees.map((to) => folderKey(to, folder));
  const rows = await storage.getMany<SharedFolder>(accessName, keys);
  return rows.filter((row) => row !== undefined);
}

/** The folders that are shared with any of these; of one that several have, each. At most `limit`. */
export async function foldersShared(
  storage: ProjectionStorage,
  grantees: readonly Grantee[],
  limit: number,
): Promise<SharedFolder[]> {
  const found: SharedFolder[] = [];
  for (const to of grantees) {
    const rows = storage.range(accessName, { ...startingWith(`f/${to}/`), limit });
    for await (const [, row] of rows) found.push(row as SharedFolder);
    if (found.length >= limit) break;
  }
  return found.slice(0, limit);
}

/** With whom a folder is shared. */
export const granteesOfFolder = async (
  storage: ProjectionStorage,
  folder: string,
): Promise<readonly Grantee[]> =>
  (await storage.get<Grantee[]>(accessName, granteesKey(folder))) ?? [];

type OfFolder = Extract<
  LoggedFact,
  { type: 'folder.shared' | 'folder.unshared' | 'folder.deleted' }
>;
const isOfFolder = (fact: LoggedFact): fact is OfFolder =>
  fact.type === 'folder.shared' ||
  fact.type === 'folder.unshared' ||
  fact.type === 'folder.deleted';

const folderKey = (to: Grantee, folder: string): string => `f/${to}/${folder}`;
const granteesKey = (folder: string): string => `o/${folder}`;
const tokenKey = (sha256: string): string => `k/${sha256}`;
const linksKey = (recording: string): string => `r/${recording}`;
