import { mount } from 'svelte';
import { followSession } from '../client/feed.ts';
import { audioHeld } from '../client/microphone/browser-recording.ts';
import { session } from '../client/session.ts';
import { locale, prepareWords } from '../words/i18n.ts';
import App from './App.svelte';
import { keepFrame } from './offline.ts';
import { followKeys } from './keys.ts';
import { followTitle } from './page-title.ts';
import { followTheme } from './theme.ts';

followTheme();
locale.subscribe((code) => {
  document.documentElement.lang = code;
});
followSession();
// Another person: nothing of the one before stays in this page. What they recorded here waits for their login.
let person = session.get()?.username;
session.listen((current) => {
  if (current === null) return;
  // Where to go is said behind the login.
  if (person !== undefined && person !== current.username) setTimeout(() => location.reload());
  person = current.username;
});
// What this browser recorded and the service lacks goes out on whatever page, as soon as its owner is here.
session.subscribe((current) => {
  if (current === null || audioHeld.get() === undefined) return;
  void import('../client/microphone/microphone.ts').then(({ takeUp }) => takeUp());
});
// Away from the service a language may not be on this device yet: then it is English.
await prepareWords(['app', 'components']).catch(() => undefined);
followKeys();
followTitle();
// In a task of its own: what came until here was long enough for a slow phone.
await new Promise((resolve) => setTimeout(resolve));
mount(App, { target: document.getElementById('app')! });
keepFrame();
