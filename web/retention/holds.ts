/** Protection of a note from deletion: what is said of it, and how it is placed and lifted. */
import { computed } from 'nanostores';
import { type Schema, answer, api } from '../client/api.ts';
import { dates } from '../words/i18n.ts';
import { words } from './words.ts';

export type Hold = NonNullable<Schema<'Recording'>['hold']>;

/** A list may have been read before the protection was over. */
export const isProtected = (hold: Hold | null): hold is Hold =>
  hold !== null && (hold.until === null || Date.parse(hold.until) > Date.now());

/** “protected until 1 March 2027” */
export const protectedText = computed(
  [words, dates],
  (said, { longDay }) =>
    ({ until }: Pick<Hold, 'until'>) =>
      until === null ? said.protectedAlways : said.protectedUntil({ day: longDay(until) }),
);

/** The last moment of a day (`2027-03-01`) where the person is. */
export const endOf = (day: string): string => new Date(`${day}T23:59:59`).toISOString();

/** @param until a day, or null: until it is lifted */
export async function protect(id: string, until: string | null, reason: string): Promise<void> {
  const hold = {
    until: until === null ? null : endOf(until),
    ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
  };
  await answer(api.PATCH('/recordings/{id}', { params: { path: { id } }, body: { hold } }));
}

export async function lift(id: string): Promise<void> {
  const params = { path: { id } };
  await answer(api.PATCH('/recordings/{id}', { params, body: { hold: null } }));
}
