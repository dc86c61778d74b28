/** Users of the service, and what an administrator does with them. */
import { ApiError, answer, api } from '../../client/api.ts';
import type { paths } from '../../client/interface.d.ts';

type Answer = paths['/users']['get']['responses'][200]['content']['application/json'];
export type Person = Answer['users'][number];

type Invitations =
  paths['/users/invitations']['get']['responses'][200]['content']['application/json'];
export type OpenLink = Invitations['invitations'][number];
export type GivenLink =
  paths['/users/invitations']['post']['responses'][201]['content']['application/json'];

/** Recordings of an account that nobody has any more, or never had. */
export type Left = Pick<Person, 'user_id' | 'recordings' | 'bytes'>;

/** What removed people left. @throws {ApiError} */
export const leftBy = async (): Promise<readonly Left[]> => (await answer(api.GET('/users'))).left;

/**
 * Hands all recordings of one owner over, one after the other: what was handed over stays so when another one fails.
 * @returns how many were, and why others were not
 * @throws {ApiError} before anything was handed over
 */
export async function handOver(
  from: string,
  to: string,
): Promise<{ done: number; failure: ApiError | null }> {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const query = { owner: from, limit: 200, ...(cursor !== undefined && { cursor }) };
    const page = await answer(api.GET('/recordings', { params: { query } }));
    ids.push(...page.recordings.map(({ recording_id }) => recording_id));
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  let done = 0;
  let failure: ApiError | null = null;
  for (const id of ids) {
    try {
      const params = { path: { id } };
      await answer(api.PATCH('/recordings/{id}', { params, body: { owner: to } }));
      done += 1;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      failure = error;
    }
  }
  return { done, failure };
}

type Changes = { is_admin?: boolean; disabled?: boolean };

/** @throws {ApiError} */
export const changePerson = async (name: string, changes: Changes): Promise<void> =>
  void (await answer(api.PATCH('/users/{name}', { params: { path: { name } }, body: changes })));

/** Null: no folder. @throws {ApiError} */
export const setNotesFolder = async (name: string, folder: string | null): Promise<void> =>
  void (await answer(
    api.PUT('/users/{name}/vault', { params: { path: { name } }, body: { folder } }),
  ));

/** @throws {ApiError} */
export const invite = (wanted: {
  note: string;
  days: number;
  is_admin: boolean;
}): Promise<GivenLink> => answer(api.POST('/users/invitations', { body: wanted }));

/** @throws {ApiError} */
export const linkForPassword = (name: string): Promise<GivenLink> =>
  answer(api.POST('/users/{name}/password-link', { params: { path: { name } }, body: {} }));

/** @throws {ApiError} */
export const withdraw = async (invitation: string): Promise<void> =>
  void (await answer(
    api.DELETE('/users/invitations/{invitation}', { params: { path: { invitation } } }),
  ));

/** @throws {ApiError} */
export const removePerson = async (name: string): Promise<void> =>
  void (await answer(api.DELETE('/users/{name}', { params: { path: { name } } })));
