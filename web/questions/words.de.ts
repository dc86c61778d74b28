import type { Translation } from '../words/i18n.ts';
import type { English } from './words.ts';

export default {
  heading: 'Fragen',
  askNote: 'Zu dieser Notiz fragen',
  askNoteHint: 'Zu dieser Notiz fragen…',
  ask: 'Fragen',
  askAgain: 'Erneut fragen',
  readingNote: 'Das Transkript wird gelesen…',
  cancel: 'Abbrechen',
  close: 'Schließen',
  lines: { one: 'Antwort mit {count} Zeile.', many: 'Antwort mit {count} Zeilen.' },
  notFound: 'In dieser Notiz wird nichts dazu gesagt.',
  nearest: 'Ähnlichste Stellen',
  playFrom: 'Ab {time} abspielen',
  pauseAt: 'Bei {time} pausieren',
  goTo: 'Zu {time} springen',
  notAll: 'Es wurde nicht alles gelesen, weil das Transkript für das Sprachmodell zu lang ist.',
  notKept: 'Antworten werden nicht gespeichert.',
  keep: 'Als Randnotizen übernehmen',
  kept: { one: '{count} Randnotiz hinzugefügt.', many: '{count} Randnotizen hinzugefügt.' },
  quoted: '„{quote}“',
  copy: 'Kopieren',
  copied: 'Kopiert.',
  notAnswered: 'Die Frage konnte nicht beantwortet werden.',
} satisfies Translation<English>;
