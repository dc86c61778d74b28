/** Which notes the library shows and the search looks through: the address of the page says it. */
import { localDay } from '../../../components/local-time.ts';

export type Filter = {
  kind: 'solo' | 'meeting' | null;
  speaker: string | null;
  /** Days as `2026-11-22`, in the browser's time zone; both are in. */
  from: string | null;
  to: string | null;
  /** Id of a folder; `none`: in no folder. */
  folder: string | null;
  /** Ids of tags, separated by commas: what has all of them. */
  tag: string | null;
  /** Those that others share, instead of one’s own; the search finds both. */
  shared: 'with-me' | null;
};

export const everything: Filter = {
  kind: null,
  speaker: null,
  from: null,
  to: null,
  folder: null,
  tag: null,
  shared: null,
};

export const isEverything = (filter: Filter): boolean =>
  Object.values(filter).every((value) => value === null);

/** What the query of the page's address says; of what is no filter nothing. */
export function filterIn(query: Record<string, string>): Filter {
  const { kind, speaker, from, to, folder, tag, shared } = query;
  return {
    kind: kind === 'solo' || kind === 'meeting' ? kind : null,
    speaker: speaker || null,
    from: dayIn(from),
    to: dayIn(to),
    folder: /^\w{1,64}$/.test(folder ?? '') ? folder! : null,
    tag: tag !== undefined && idList.test(tag) ? tag : null,
    shared: shared === 'with-me' ? shared : null,
  };
}

/** As many as a note can have. */
const idList = /^\w{1,64}(?:,\w{1,64}){0,31}$/;

/** The tags that a filter wants, and the filter that wants these. */
export const tagIdsIn = ({ tag }: Filter): string[] => tag?.split(',') ?? [];
export const withTags = (filter: Filter, ids: readonly string[]): Filter => ({
  ...filter,
  tag: ids.length === 0 ? null : ids.join(','),
});

/** Whether what is put there is what a filter wants. */
export const fitsOrder = (
  filter: Filter,
  { folder, tags }: { folder: string | null; tags: readonly string[] },
): boolean =>
  (filter.folder === null || filter.folder === (folder ?? 'none')) &&
  tagIdsIn(filter).every((one) => tags.includes(one));

/** Browsers take years of six digits, of which dates are none. */
export const lastDay = '9999-12-31';

/** A day as it is typed, or in an address; null: it is none. */
export const dayIn = (text: string | undefined): string | null =>
  text !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text))
    ? text
    : null;

export type Order = 'best' | 'newest';

/** By what notes are found: their words, and what is meant where that can be found. */
export type Mode = 'both' | 'words';

/** How what is found is looked for and shown. */
export type Seeking = { order: Order; mode: Mode };
export const usualSeeking: Seeking = { order: 'best', mode: 'both' };

/** The address of the library that shows what fits. */
export const homeAddress = (filter: Filter): string => withQuery('/', paramsOf(filter));

/** The address of what is found. @param question empty: nothing is sought yet */
export function searchAddress(
  question: string,
  filter: Filter,
  { order, mode }: Seeking = usualSeeking,
): string {
  const query = new URLSearchParams();
  if (question !== '') query.set('q', question);
  for (const [name, value] of paramsOf({ ...filter, shared: null })) query.set(name, value);
  if (question !== '' && order !== usualSeeking.order) query.set('order', order);
  if (question !== '' && mode !== usualSeeking.mode) query.set('mode', mode);
  return withQuery('/search', query);
}

/** The address of what is answered. */
export function askAddress(question: string, filter: Filter): string {
  const query = new URLSearchParams({ ask: question });
  for (const [name, value] of paramsOf({ ...filter, shared: null })) query.set(name, value);
  return withQuery('/search', query);
}

function paramsOf(filter: Filter): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filter)) if (value !== null) query.set(name, value);
  return query;
}

const withQuery = (path: string, query: URLSearchParams): string =>
  query.size === 0 ? path : `${path}?${query}`;

/** What narrows `GET /transcripts`, and `GET /search`. Its times are in UTC; `to` is the end of that day. */
export function queryOf({ kind, speaker, from, to, folder, tag }: Filter) {
  return {
    ...(folder !== null && { folder }),
    ...(tag !== null && { tag }),
    ...(kind !== null && { kind }),
    ...(speaker !== null && { speaker }),
    ...(from !== null && { from: new Date(`${from}T00:00:00`).toISOString() }),
    ...(to !== null && { to: new Date(`${to}T23:59:59.999`).toISOString() }),
  };
}

/** Spans that need no calendar. */
export const spans = {
  anyDate: () => ({ from: null, to: null }),
  lastWeek: (now: Date) => ({ from: dayBefore(now, 6), to: null }),
  lastMonth: (now: Date) => ({ from: dayBefore(now, 29), to: null }),
  thisYear: (now: Date) => ({ from: `${now.getFullYear()}-01-01`, to: null }),
};

const dayBefore = (now: Date, days: number): string =>
  localDay(new Date(now.getFullYear(), now.getMonth(), now.getDate() - days));

/** What can be chosen of `kind`, each with its word. */
export const kindChoices = [
  [null, 'all'],
  ['meeting', 'meetings'],
  ['solo', 'solos'],
] as const;
