import { mount } from 'svelte';
import { followSession } from '../client/feed.ts';
import { locale, prepareWords } from '../words/i18n.ts';
import App from './App.svelte';
import { followTheme } from './theme.ts';

followTheme();
locale.subscribe((code) => {
  document.documentElement.lang = code;
});
followSession();
await prepareWords(['app', 'components']);
mount(App, { target: document.getElementById('app')! });
