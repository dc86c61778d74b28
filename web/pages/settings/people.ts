/** Users of the service, and what an administrator does with them. */
import { type Answered, ApiError, answer, api } from '../../client/api.ts';

export type Person = Answered<'listUsers'>['users'][number];

export type OpenLink = Answered<'listInvitations'>['invitations'][number];
export type GivenLink = Answered<'invite'>;

/** Recordings of an account that nobody has any more, or never had. */
export type Left = Pick<Person, 'user_id' | 'recordings' | 'bytes'>;

/** What removed people left. @throws {ApiError} */
export const leftBy = async (): Promise<readonly Left[]> => (await answer(api.GET('/users'))).left;

/** What is shown of a recording that nobody has: when, of what kind and how long. */
export type LeftRecording = Answered<'listRecordings'>['recordings'][number];

/** All recordings of one owner, newest first. @throws {ApiError} */
export async function recordingsLeft(from: string): Promise<LeftRecording[]> {
  const found: LeftRecording[] = [];
  let cursor: string | undefined;
  do {
    const query = { owner: from, limit: 200, ...(cursor !== undefined && { cursor }) };
    const page = await answer(api.GET('/recordings', { params: { query } }));
    found.push(...page.recordings);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return found;
}

/** @throws {ApiError} */
export const giveTo =
  (owner: string) =>
  async (id: string): Promise<void> =>
    void (await answer(
      api.PATCH('/recordings/{id}', { params: { path: { id } }, body: { owner } }),
    ));

/** Audio, notes and versions, for good. @throws {ApiError} */
export const erase = async (id: string): Promise<void> =>
  void (await answer(api.DELETE('/recordings/{id}', { params: { path: { id } } })));

/**
 * Does the same to all recordings of one owner, one after the other: what was done stays so when another one fails.
 * @returns to how many it was, and why not to others
 * @throws {ApiError} before anything was done
 */
export async function withAllLeft(
  from: string,
  act: (id: string) => Promise<void>,
): Promise<{ done: number; failure: ApiError | null }> {
  let done = 0;
  let failure: ApiError | null = null;
  for (const { recording_id: id } of await recordingsLeft(from)) {
    try {
      await act(id);
      done += 1;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      failure = error;
    }
  }
  return { done, failure };
}

type Changes = { is_admin?: boolean; disabled?: boolean };

/** Switches two-step login off, for who lost the phone. @throws {ApiError} */
export const resetTwoStep = (name: string): Promise<void> =>
  // The client's types know no field that is null only.
  changePerson(name, { totp: null } as Changes);

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
