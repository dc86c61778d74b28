import type { Translation } from '../words/i18n.ts';
import type { English } from './words.ts';

export default {
  protect: 'Vor dem Löschen schützen…',
  protectTitle: 'Vor dem Löschen schützen',
  until: 'Bis',
  untilLifted: 'bis ich es aufhebe',
  untilDay: 'bis {day}',
  chosenDay: 'bis zu einem Tag…',
  day: 'Tag',
  reason: 'Grund (freiwillig)',
  protectMeans:
    'Bis dahin kann niemand die Notiz löschen, und keine Aufbewahrungsfrist gilt für sie. Auch Administratoren können schützen und den Schutz entfernen.',
  doProtect: 'Schützen',
  cancel: 'Abbrechen',
  notProtected: 'Die Notiz konnte nicht geschützt werden.',
  protectedNow: 'Vor dem Löschen geschützt',
  protectedUntil: 'geschützt bis {day}',
  protectedAlways: 'geschützt',
  removeProtection: 'Schutz entfernen',
  protectionRemoved: 'Schutz entfernt',
  notRemoved: 'Der Schutz konnte nicht entfernt werden.',
  by: 'von {name}',
  byYou: 'von Ihnen',
  quoted: '„{text}“',
} satisfies Translation<English>;
