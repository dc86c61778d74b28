import * as a from './setting.ts';

/** Settings of sharing with people and by links. */
export const sharingSettings = {
  'sharing.users': a.yesOrNo(true, {
    title: { en: 'Share with people', de: 'Mit Personen teilen' },
    hint: {
      en: 'People can share notes and folders with other people and groups on this server. If this is off, access that was given before does not count.',
      de: 'Alle können Notizen und Ordner mit anderen Personen und Gruppen auf diesem Server teilen. Ist die Einstellung ausgeschaltet, gilt auch früher gegebener Zugriff nicht.',
    },
  }),
  'sharing.directory': a.yesOrNo(true, {
    title: { en: 'List of people', de: 'Liste der Personen' },
    hint: {
      en: 'Shows everyone the names of all people and groups when they share. If this is off, they enter the exact user name and see only their own groups.',
      de: 'Zeigt allen beim Teilen die Namen aller Personen und Gruppen. Ist die Einstellung ausgeschaltet, geben alle den genauen Benutzernamen ein und sehen nur die eigenen Gruppen.',
    },
  }),
  'sharing.links': a.yesOrNo(true, {
    title: { en: 'Links', de: 'Links' },
    hint: {
      en: 'People can share a note by a link that opens without an account. If this is off, links that exist don’t open.',
      de: 'Alle können eine Notiz über einen Link teilen, der sich ohne Konto öffnen lässt. Ist die Einstellung ausgeschaltet, öffnen sich auch bestehende Links nicht.',
    },
  }),
  'sharing.link_days_max': a.number(a.whole(1, 36_500).nullable(), null, {
    title: { en: 'Longest validity of links', de: 'Längste Gültigkeit von Links' },
    hint: {
      en: 'In days: the longest that a new link may be valid. If empty, a link may be valid without an end.',
      de: 'In Tagen: so lange darf ein neuer Link höchstens gültig sein. Ohne Angabe darf ein Link unbegrenzt gültig sein.',
    },
  }),
} as const;
