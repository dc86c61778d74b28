/** Users of the service, and what an administrator does with them. */
import { answer, api } from '../../client/api.ts';
import type { paths } from '../../client/interface.d.ts';

type Answer = paths['/users']['get']['responses'][200]['content']['application/json'];
export type Person = Answer['users'][number];

type Changes = { is_admin?: boolean; disabled?: boolean; password?: string };

/** @throws {ApiError} */
export const changePerson = async (name: string, changes: Changes): Promise<void> =>
  void (await answer(api.PATCH('/users/{name}', { params: { path: { name } }, body: changes })));

/** @throws {ApiError} */
export const addPerson = async (username: string, password: string): Promise<void> =>
  void (await answer(api.POST('/users', { body: { username, password, is_admin: false } })));

/** @throws {ApiError} */
export const removePerson = async (name: string): Promise<void> =>
  void (await answer(api.DELETE('/users/{name}', { params: { path: { name } } })));
