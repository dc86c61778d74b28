/** With whom a note or a folder is shared, and what they may do. */
import { type Answered, answer, api } from '../client/api.ts';

export type Grant = Answered<'readFolderAccess'>['grants'][number] & {
  /** By the folder that it is in. */
  by_folder?: boolean;
};
export type Role = Grant['role'];
export type Directory = Answered<'directory'>;

/** What is shared: a note or a folder, by id. */
export type Shared = { kind: 'note' | 'folder'; id: string };
export type Given = ({ user: string } | { group: string }) & { role: Role; audio: boolean };

/** @throws {ApiError} */
export const readAccess = async ({ kind, id }: Shared): Promise<Grant[]> =>
  kind === 'note'
    ? (await answer(api.GET('/recordings/{id}/access', { params: { path: { id } } }))).grants
    : (await answer(api.GET('/folders/{folder}/access', { params: { path: { folder: id } } })))
        .grants;

/** Also changes what somebody may do. @throws {ApiError} */
export const giveAccess = async ({ kind, id }: Shared, body: Given): Promise<Grant[]> =>
  kind === 'note'
    ? (await answer(api.PUT('/recordings/{id}/access', { params: { path: { id } }, body }))).grants
    : (
        await answer(
          api.PUT('/folders/{folder}/access', { params: { path: { folder: id } }, body }),
        )
      ).grants;

/** @throws {ApiError} */
export async function withdrawAccess({ kind, id }: Shared, to: string): Promise<void> {
  if (kind === 'note')
    await answer(api.DELETE('/recordings/{id}/access/{to}', { params: { path: { id, to } } }));
  else
    await answer(
      api.DELETE('/folders/{folder}/access/{to}', { params: { path: { folder: id, to } } }),
    );
}

/** Whom one can share with; where there is no list they are named exactly. @throws {ApiError} */
export const readDirectory = async (): Promise<Directory> => await answer(api.GET('/directory'));

/** How a group is chosen: its name, and of one that is called as a person, what it is besides. @param word “group” */
export const groupChoice = (name: string, { users }: Directory, word: string): string =>
  users.some((user) => user.name.toLowerCase() === name.toLowerCase()) ? `${name} (${word})` : name;

/** Who is meant by what was typed. A name that is not listed may be a user’s all the same. @param word “group” */
export function meant(
  typed: string,
  directory: Directory,
  word: string,
): { user: string } | { group: string } {
  const { users, groups } = directory;
  const wanted = typed.trim();
  const is = ({ name }: { name: string }) => name.toLowerCase() === wanted.toLowerCase();
  const user = users.find(is);
  if (user !== undefined) return { user: user.id };
  const group = groups.find(({ name }) => is({ name: groupChoice(name, directory, word) }));
  return group === undefined ? { user: wanted } : { group: group.id };
}

/** Who has it, as a body names them. */
export const grantee = ({ to }: Pick<Grant, 'to'>): { user: string } | { group: string } =>
  to.startsWith('g-') ? { group: to.slice(2) } : { user: to.slice(2) };
