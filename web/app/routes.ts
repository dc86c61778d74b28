/** Addresses of the pages (http.md, "Who may call"), and the parts each is made of, loaded when opened. */
import { createRouter } from '@nanostores/router';
import type { Component } from 'svelte';

export const router = createRouter({
  home: '/',
  login: '/login',
  setup: '/setup',
  recording: '/notes/:id',
  speakers: '/speakers',
  settings: '/settings',
  account: '/account',
  statechart: '/debug',
});

export type PageName =
  | 'home'
  | 'login'
  | 'setup'
  | 'recording'
  | 'speakers'
  | 'settings'
  | 'account'
  | 'statechart';

/** Each page's component. What its address names it reads from `router`. */
export const pages: Record<PageName, () => Promise<{ default: Component }>> = {
  home: () => import('../pages/home/HomePage.svelte'),
  login: () => import('../pages/login/LoginPage.svelte'),
  setup: () => import('../pages/setup/SetupPage.svelte'),
  recording: () => import('../pages/recording/RecordingPage.svelte'),
  speakers: () => import('../pages/speakers/SpeakersPage.svelte'),
  settings: () => import('../pages/settings/SettingsPage.svelte'),
  account: () => import('../pages/account/AccountPage.svelte'),
  statechart: () => import('../pages/statechart/StatechartPage.svelte'),
};

/** Pages without the frame. */
export const isDoor = (page: PageName): boolean => page === 'login' || page === 'setup';

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
