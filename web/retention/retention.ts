/** How long audio and notes are kept: what is set, what goes soon, what waits for a yes. */
import { computed } from 'nanostores';
import { type Answered, answer, api } from '../client/api.ts';
import { openReading } from '../client/reading.ts';
import { order } from '../order/order.ts';
import { words } from './words.ts';

export type Retention = Answered<'getRetention'>;
export type Preview = Answered<'previewRetention'>;
export type PreviewItem = Preview['items'][number];
export type Removed = Answered<'listForgotten'>['removed'][number];
/** Days, null for ever, undefined as the next one has it. */
export type Period = number | null | undefined;
export type Terms = { audio_days?: number | null; notes_days?: number | null };

/** Those of them that are said. */
export const termsOf = ({
  audio_days,
  notes_days,
}: { [Field in keyof Terms]?: Period } = {}): Terms => ({
  ...(audio_days === undefined ? {} : { audio_days }),
  ...(notes_days === undefined ? {} : { notes_days }),
});

/** @param period undefined: none is said any more */
export const withTerm = (terms: Terms, field: keyof Terms, period: Period): Terms =>
  termsOf({ ...terms, [field]: period });

/** Read again whenever somebody begins to look. */
export const {
  value: retention,
  problem: notRead,
  read: readRetention,
} = openReading(
  () => answer(api.GET('/retention')),
  (again) => {
    addEventListener('focus', again);
    return () => removeEventListener('focus', again);
  },
);

/** What goes within so many days. @throws {ApiError} */
export const readPreview = async (days: number): Promise<Preview> =>
  await answer(api.GET('/retention/preview', { params: { query: { days } } }));

/** @throws {ApiError} */
export async function setOwn(terms: Terms): Promise<void> {
  await answer(api.PUT('/retention', { body: terms }));
  await readRetention();
}

/** @param terms null: the folder has none of its own any more. @throws {ApiError} */
export async function setOfFolder(folder: string, terms: Terms | null): Promise<void> {
  const params = { path: { folder } };
  await answer(api.PATCH('/folders/{folder}', { params, body: { retention: terms } }));
  await readRetention();
}

/** @throws {ApiError} */
export async function confirm(before: string): Promise<void> {
  await answer(api.POST('/retention/confirm', { body: { before } }));
  await readRetention();
}

/** “after 90 days”, “never” */
export const periodText = computed(
  words,
  (said) => (period: number | null) => (period === null ? said.never : said.afterDays(period)),
);

/** By whose period something goes: “Interviews, after 90 days” */
export const because = computed(
  [words, periodText, order],
  (said, textOf, known) =>
    ({ rule, days, folder }: Pick<Removed, 'rule' | 'days' | 'folder'>): string => {
      const period = textOf(days);
      if (rule === 'user') return said.byMe({ period });
      if (rule === 'server') return said.byServer({ period });
      const name = known?.folders.find(({ id }) => id === folder)?.name ?? said.deletedFolder;
      return said.byFolder({ folder: name, period });
    },
);
