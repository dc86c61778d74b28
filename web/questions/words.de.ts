import type { Translation } from '../words/i18n.ts';
import type { English } from './words.ts';

export default {
  heading: 'Fragen',
  askNote: 'Zu dieser Notiz fragen',
  askNoteHint: 'Zu dieser Notiz fragen…',
  ask: 'Fragen',
  askAgain: 'Erneut fragen',
  readingNote: 'Das Transkript wird gelesen…',
  lines: { one: 'Antwort mit {count} Zeile.', many: 'Antwort mit {count} Zeilen.' },
  whatDidIMiss: 'Was habe ich verpasst?',
  whatYouMissed: 'Was Sie verpasst haben',
  recent: 'Letzte 5 Minuten',
  left: 'Seit {time}, als Sie weggegangen sind',
  all: 'Von Anfang an',
  nothingSaid: 'Seitdem wurde nichts gesagt.',
  noneProved: 'Das Sprachmodell hat keine Antwort gegeben, die im Transkript zu finden ist.',
  notFound: 'In dieser Notiz wird nichts dazu gesagt.',
  nearest: 'Ähnlichste Stellen',
  goTo: 'Zu {time} springen',
  notAll: 'Es wurde nicht alles gelesen, weil das Transkript für das Sprachmodell zu lang ist.',
  notKept: 'Antworten werden nicht gespeichert.',
  keep: 'Als Randnotizen übernehmen',
  kept: { one: '{count} Randnotiz hinzugefügt.', many: '{count} Randnotizen hinzugefügt.' },
  quoted: '„{quote}“',
  notAnswered: 'Die Frage konnte nicht beantwortet werden.',
} satisfies Translation<English>;
