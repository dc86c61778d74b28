/** Addresses of the pages (http.md, "Who may call"). */
import { createRouter } from '@nanostores/router';

const addresses = {
  home: '/',
  search: '/search',
  login: '/login',
  setup: '/setup',
  recording: '/notes/:id',
  speakers: '/speakers',
  organise: '/organise',
  settings: '/settings',
  account: '/account',
  link: '/s',
  statechart: '/debug',
} as const;

export const router = createRouter(addresses);

export type PageName = keyof typeof addresses;

/** Pages without the frame. */
export const isDoor = (page: PageName): boolean =>
  page === 'login' || page === 'setup' || page === 'link';

/** Pages that a stranger may open; the statechart shows an opened trace without a login. */
export const isPublic = (page: PageName): boolean => isDoor(page) || page === 'statechart';

/**
 * What `aria-current` says of a link of the navigation: this very page, or the part of the app that it is in.
 * @param shown the page that is shown
 */
export function currentIn(
  shown: PageName | undefined,
  link: PageName,
): 'page' | 'true' | undefined {
  if (shown === link) return 'page';
  return shown === 'recording' && link === 'home' ? 'true' : undefined;
}
