/** Each page's component, loaded when the page is opened. What its address names it reads from `router`. */
import type { Component } from 'svelte';
import type { PageName } from './routes.ts';

export const pages: Record<PageName, () => Promise<{ default: Component }>> = {
  home: () => import('../pages/home/HomePage.svelte'),
  search: () => import('../pages/search/SearchPage.svelte'),
  login: () => import('../pages/login/LoginPage.svelte'),
  setup: () => import('../pages/setup/SetupPage.svelte'),
  recording: () => import('../pages/recording/RecordingPage.svelte'),
  speakers: () => import('../pages/speakers/SpeakersPage.svelte'),
  organise: () => import('../pages/organise/OrganisePage.svelte'),
  settings: () => import('../pages/settings/SettingsPage.svelte'),
  account: () => import('../pages/account/AccountPage.svelte'),
  link: () => import('../pages/link/LinkPage.svelte'),
  statechart: () => import('../pages/statechart/StatechartPage.svelte'),
};

/** Folders whose words a page has, besides its own. */
export const wordsBeside: Partial<Record<PageName, readonly string[]>> = {
  account: ['two-step'],
  home: ['search', 'sharing', 'retention'],
  link: ['recording', 'sharing'],
  login: ['two-step'],
  organise: ['sharing', 'spelling', 'retention'],
  recording: ['questions', 'sharing', 'spelling', 'retention'],
  search: ['home', 'questions', 'sharing', 'retention'],
};
