import { params } from '@nanostores/i18n';
import { i18n } from '../words/i18n.ts';

const english = {
  // Protection of one note.
  protect: 'Protect from deletion…',
  protectTitle: 'Protect from deletion',
  until: 'Until',
  untilLifted: 'until I lift it',
  untilDay: params('until {day}'),
  chosenDay: 'until a day…',
  day: 'Day',
  reason: 'Reason (optional)',
  protectMeans:
    'Until then nobody can delete this note and no retention period applies to it. Administrators can do this too, and lift it.',
  doProtect: 'Protect',
  cancel: 'Cancel',
  notProtected: 'The note could not be protected.',
  protectedNow: 'Protected from deletion',
  protectedUntil: params('protected until {day}'),
  protectedAlways: 'protected',
  removeProtection: 'Remove protection',
  protectionRemoved: 'Protection removed',
  notRemoved: 'The protection could not be removed.',
  by: params('by {name}'),
  byYou: 'by you',
  quoted: params('“{text}”'),
};

export type English = typeof english;
export const words = i18n('retention', english);
