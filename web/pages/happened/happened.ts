/** What happened to users, rights, shares and settings, logins and backups, for administrators. */
import { type Answered, answer, api, fetchAsUser } from '../../client/api.ts';
import { saveFile } from '../../client/save-file.ts';

type Page = Answered<'whatHappened'>;
export type Happened = Page['happened'][number];
export type Kind = Happened['kind'];

export const kinds: readonly Kind[] = [
  'logins',
  'users',
  'rights',
  'groups',
  'shares',
  'erasures',
  'settings',
  'backups',
];

/** What is shown; an empty text: all. Days are `2026-11-28`, in the time zone of the browser. */
export type Filter = { kind: Kind | ''; user: string; from: string; to: string };
export const noFilter: Filter = { kind: '', user: '', from: '', to: '' };

/** A page of it. @throws {ApiError} */
export const readHappened = (filter: Filter, cursor?: string): Promise<Page> =>
  answer(
    api.GET('/happened', {
      params: { query: { ...queryOf(filter), ...(cursor === undefined ? {} : { cursor }) } },
    }),
  );

/** Saves all that a filter shows as a file. @throws {ApiError} */
export async function saveHappened(filter: Filter, format: 'csv' | 'json'): Promise<void> {
  const query = { ...queryOf(filter), format };
  const blob: unknown = await answer(
    api.GET('/happened/export', { params: { query }, parseAs: 'blob', fetch: fetchAsUser }),
  );
  saveFile(blob, `mitschrift-happened.${format}`);
}

/** Names of those who can be asked for. @throws {ApiError} */
export const readNames = async (): Promise<string[]> =>
  (await answer(api.GET('/users'))).users.map(({ username }) => username);

const queryOf = ({ kind, user, from, to }: Filter) => ({
  ...(kind === '' ? {} : { kind }),
  ...(user === '' ? {} : { user }),
  ...(from === '' ? {} : { from: new Date(`${from}T00:00:00`).toISOString() }),
  ...(to === '' ? {} : { to: new Date(`${to}T23:59:59.999`).toISOString() }),
});
