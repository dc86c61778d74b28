/** Groups, with which people share: an administrator makes them and says who is in them. */
import { type Answered, answer, api } from '../../client/api.ts';

export type Group = Answered<'listGroups'>['groups'][number];

/** All of them, the names of all who can be in one, and what the sign-on provider is called. @throws {ApiError} */
export async function readGroups(): Promise<{
  groups: Group[];
  people: string[];
  provider: string | null;
}> {
  const [{ groups }, { users }, { title: provider }] = await Promise.all([
    answer(api.GET('/groups')),
    answer(api.GET('/users')),
    answer(api.GET('/login/oidc')),
  ]);
  const people = users.filter((one) => !one.built_in).map(({ username }) => username);
  return { groups, people: people.toSorted((a, b) => a.localeCompare(b)), provider };
}

/** @throws {ApiError} 409: there is one of that name */
export const createGroup = async (name: string): Promise<Group> =>
  await answer(api.POST('/groups', { body: { name } }));

/** @throws {ApiError} 409: there is one of that name */
export const changeGroup = async (
  group: string,
  body: { name: string; claim?: string | null },
): Promise<Group> =>
  await answer(api.PATCH('/groups/{group}', { params: { path: { group } }, body }));

/** @throws {ApiError} */
export const deleteGroup = async (group: string): Promise<void> =>
  void (await answer(api.DELETE('/groups/{group}', { params: { path: { group } } })));

/** @throws {ApiError} */
export const addMember = async (group: string, name: string): Promise<Group> =>
  await answer(api.PUT('/groups/{group}/members/{name}', { params: { path: { group, name } } }));

/** @throws {ApiError} */
export const removeMember = async (group: string, name: string): Promise<Group> =>
  await answer(api.DELETE('/groups/{group}/members/{name}', { params: { path: { group, name } } }));
