/** Links to a note, for people without an account here. */
import { type Answered, type Sent, answer, api } from '../client/api.ts';

export type Opened = Answered<'readAccess'>;
export type Link = Opened['links'][number];
export type Seen = Opened['seen'][number];
export type NewLink = Sent<'createLink'>;
export type Created = Answered<'createLink'>;

/** @throws {ApiError} */
export const readLinks = async (id: string): Promise<Opened> =>
  await answer(api.GET('/recordings/{id}/access', { params: { path: { id } } }));

/** Its address is in this answer only. @throws {ApiError} */
export const createLink = async (id: string, body: NewLink): Promise<Created> =>
  await answer(api.POST('/recordings/{id}/links', { params: { path: { id } }, body }));

/** @throws {ApiError} */
export async function deleteLink(id: string, link: string): Promise<void> {
  await answer(api.DELETE('/recordings/{id}/links/{link}', { params: { path: { id, link } } }));
}

/** When a link ends that is chosen to: on a day, at its end where one is. @returns null: never */
export function endOf(chosen: string, date: string, now = new Date()): string | null {
  if (chosen === 'never') return null;
  if (chosen === 'date') return new Date(`${date}T23:59:59`).toISOString();
  return daysFrom(now, Number(chosen)).toISOString();
}

export const daysFrom = (now: Date, days: number): Date =>
  new Date(now.getTime() + days * 86_400_000);
