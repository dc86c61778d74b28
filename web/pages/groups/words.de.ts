import type { Translation } from '../../words/i18n.ts';
import type { English } from './words.ts';

export default {
  intro:
    'Alle können mit einer Gruppe teilen. Wer dazukommt, sieht auch, was vorher mit ihr geteilt wurde; wer geht, nicht mehr.',
  newGroup: 'Neue Gruppe',
  created: 'Gruppe {name} angelegt',
  notCreated: 'Die Gruppe konnte nicht angelegt werden.',
  none: 'Noch keine Gruppen.',
  people: { one: '{count} Person', many: '{count} Personen' },
  noMembers: 'noch niemand',
  claim: 'Gruppe beim Anbieter (optional)',
  claimAt: 'Gruppe bei {provider} (optional)',
  claimHint: 'Steht hier ein Name, folgen die Mitglieder bei jeder Anmeldung dem Anbieter.',
  follows: 'folgt {claim}',
  saved: 'Gruppe {name} gespeichert',
  notSaved: 'Die Gruppe konnte nicht gespeichert werden.',
  members: 'Mitglieder',
  removeMember: '{name} entfernen',
  memberRemoved: '{name} entfernt',
  memberAdded: '{name} hinzugefügt',
  addPerson: 'Person hinzufügen',
  choose: 'Auswählen…',
  add: 'Hinzufügen',
  everybodyIn: 'Alle sind in dieser Gruppe.',
  deleteGroup: 'Gruppe löschen…',
  deleteTitle: 'Die Gruppe {name} löschen?',
  deleteMeans:
    'Die Mitglieder sehen nicht mehr, was mit der Gruppe geteilt wurde. Konten und Notizen bleiben erhalten.',
  deleteNow: 'Gruppe löschen',
} satisfies Translation<English>;
