/** Each page's component, loaded when the page is opened. What its address names it reads from `router`. */
import type { Component } from 'svelte';
import type { PageName } from './routes.ts';

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
