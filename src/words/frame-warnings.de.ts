import type { Words } from './sentences.ts';
import type { frameWarnings } from './frame-warnings.ts';

export const frameWarningsInGerman = {
  'message-not-json': 'Die Nachricht ist kein gültiges JSON.',
  'message-not-understood': 'Die Nachricht ist ungültig: {faults}.',
  'samples-not-whole': 'Eine binäre Nachricht muss aus ganzen Abtastwerten von zwei Byte bestehen.',
  'too-many-messages': 'Zu viele Nachrichten warten; diese wurde ignoriert.',
  'start-first': 'Senden Sie zuerst audio.start und warten Sie auf audio.ready.',
} satisfies Words<typeof frameWarnings>;
