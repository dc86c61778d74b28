import { mount } from 'svelte';
import { followSession } from '../client/feed.ts';
import {
  audioHeld,
  browserRecording,
  isListening,
} from '../client/microphone/browser-recording.ts';
import { person, session } from '../client/session.ts';
import { followUnsent } from '../client/unsent-sidenotes.ts';
import { tellOfRecordings } from '../recording-bar/told.ts';
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
followUnsent();
// Another person: nothing of the one before stays in this page. What they recorded here waits for their login; what they
// still record goes on, with its control in sight, until it is stopped.
let isForeign = false;
// Where to go is said behind the login.
const leaveFormer = () => void setTimeout(() => location.reload());
person.listen((_, before) => {
  isForeign ||= before !== undefined;
  if (isForeign && !isListening(browserRecording.get())) leaveFormer();
});
// One that is just being ended is put down first.
browserRecording.listen((recording) => {
  if (isForeign && (recording === null || recording.state === 'held')) leaveFormer();
});
// What this browser recorded and the service lacks goes out on whatever page, as soon as its owner is here.
session.subscribe((current) => {
  if (current === null || audioHeld.get() === undefined) return;
  // What cannot be opened or loaded now stays, and is looked for by the next page.
  import('../client/microphone/microphone.ts')
    .then(({ takeUp }) => takeUp())
    .catch((error: unknown) => console.warn(error));
});
// Away from the service a language may not be on this device yet: then it is English.
await prepareWords(['app', 'components', 'order', 'recording-bar']).catch(() => undefined);
followKeys();
tellOfRecordings();
followTitle();
// In a task of its own: what came until here was long enough for a slow phone.
await new Promise((resolve) => setTimeout(resolve));
mount(App, { target: document.getElementById('app')! });
keepFrame();
