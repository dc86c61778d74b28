import { mount } from 'svelte';
import { followSession } from '../client/feed.ts';
import { locale, prepareWords } from '../words/i18n.ts';
import App from './App.svelte';
import { keepFrame } from './offline.ts';
import { followTheme } from './theme.ts';

followTheme();
locale.subscribe((code) => {
  document.documentElement.lang = code;
});
followSession();
// Away from the service a language may not be on this device yet: then it is English.
await prepareWords(['app', 'components']).catch(() => undefined);
mount(App, { target: document.getElementById('app')! });
keepFrame();
