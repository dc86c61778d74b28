import type { Translation } from '../../words/i18n.ts';
import type { English } from './words.ts';

export default {
  forYou: 'Eine Notiz für Sie',
  opens: 'Die Notiz wird geöffnet…',
  passwordHint: 'Wer Ihnen den Link geschickt hat, kennt das Passwort.',
  wrong: 'Falsches Passwort. Nach 10 Versuchen gibt es einige Minuten Pause.',
  over: 'Dieser Link ist nicht mehr gültig.',
  overHint:
    'Der Link ist abgelaufen, wurde gelöscht oder ist unvollständig. Bitten Sie die Person, die den Link geschickt hat, um einen neuen.',
  busy: 'Zu viele lesen gerade mit.',
  busyHint: {
    one: 'Der Link ist auf {count} Gerät geöffnet. Versuchen Sie es in einigen Minuten erneut.',
    many: 'Der Link ist auf {count} Geräten geöffnet. Versuchen Sie es in einigen Minuten erneut.',
  },
  notReady: 'Die Notiz ist noch nicht fertig.',
  notReadyHint:
    'Gerade wird aufgenommen. Die Notiz erscheint hier nach dem Ende; diese Seite kann offen bleiben.',
  inWork:
    'Die Notiz wird gerade geschrieben und erscheint hier, sobald sie fertig ist; diese Seite kann offen bleiben.',
  deleted: 'Die Aufnahme wurde gelöscht.',
  deletedHint:
    'Was Sie hier gelesen haben, ist nicht mehr verfügbar, und diese Seite hat nichts davon behalten.',
  sharedBy: 'Geteilt von {name}',
  sharedByUntil: 'Geteilt von {name}, bis {date}',
  untitled: 'Notiz ohne Titel',
  saveText: 'Text speichern',
  noAccount: 'Diese Seite braucht kein Konto und behält nichts von der Notiz auf diesem Gerät.',
  lightOrDark: 'Hell oder dunkel',
  live: 'Live',
  paused: 'Pausiert',
  whatIsSaid: 'Was gerade gesagt wird',
  nothingYet: 'Noch wurde nichts gesagt.',
  smaller: 'A− kleinerer Text',
  smallerSign: 'A−',
  largerSign: 'A+',
  larger: 'A+ größerer Text',
  readAloud: 'Für Screenreader vorlesen, während gesprochen wird',
  backToLive: 'Zurück zu live',
  away: 'Keine Verbindung. Der Text geht von selbst weiter; was inzwischen gesagt wird, folgt nach.',
  ended: 'Die Aufnahme ist beendet.',
  endedHint:
    'Zusammenfassung und Namen der Sprecher erscheinen hier, sobald sie fertig sind; Sie müssen nicht neu laden.',
  noSound: 'Das Audio lässt sich gerade nicht abspielen.',
} satisfies Translation<English>;
