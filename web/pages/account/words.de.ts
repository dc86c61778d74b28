import type { Translation } from '../../words/i18n.ts';
import type { English } from './words.ts';

export default {
  title: 'Konto',
  loggedInAs: 'Angemeldet als {name}.',
  isAdministrator: 'Sie haben Administratorrechte.',
  language: 'Sprache',
  languageHint:
    'Sprache der Bedienoberfläche. Transkript, Zusammenfassung und Titel einer Notiz sind in der gesprochenen Sprache; Überschriften und Beschriftungen in der Sprache, die ein Administrator für Dokumente festlegt.',
  asBrowser: 'Wie der Browser',
  appearance: 'Darstellung',
  inThisBrowser: 'Wird nur in diesem Browser gespeichert.',
  asSystem: 'Wie das System',
  light: 'Hell',
  dark: 'Dunkel',
  keys: 'Tastenkürzel mit einer Taste',
  keysHint:
    'Zum Beispiel startet R eine Aufnahme, G und dann N öffnet Ihre Notizen, und ? zeigt alle Tastenkombinationen. Während Sie in ein Feld tippen, sind sie nicht aktiv. Schalten Sie sie aus, wenn Sie Spracheingabe oder ein anderes Programm zum Tippen verwenden.',
  on: 'Ein',
  off: 'Aus',
  voices: 'Bekannte Stimmen',
  voicesHint: 'Damit werden Namen vorgeschlagen. Sie können jede Stimme umbenennen oder löschen.',
  toVoices: 'Stimmen verwalten',
  password: 'Passwort',
  passwordHint: 'Sie werden überall sonst abgemeldet. Eine laufende Aufnahme geht weiter.',
  currentPassword: 'Aktuelles Passwort',
  changePassword: 'Passwort ändern',
  passwordChanged: 'Passwort geändert. Sie wurden überall sonst abgemeldet.',
  passwordKept: 'Ihr Passwort wurde nicht geändert.',
  notesFolder: 'Notizordner',
  notesFolderHint:
    'Jede Notiz wird beim Speichern in diesen Ordner auf dem Server kopiert. Notizen, die Sie dort geändert haben, bleiben erhalten.',
  notesFolderNone: 'Sie haben keinen Notizordner. Ihr Administrator kann einen einrichten.',
  notesFolderSave: 'Speichern',
  notesFolderRemove: 'Nicht mehr kopieren',
  notesFolderSaved: 'Notizordner gespeichert. Ihre Notizen werden kopiert.',
  notesFolderRemoved: 'Es wird nicht mehr kopiert. Die Kopien im Ordner bleiben erhalten.',
  notesFolderFault: 'In diesen Ordner kann zurzeit nichts kopiert werden.',
  ownData: 'Ihre Daten',
  ownDataHint:
    'Eine Zip-Datei mit allem, was Sie haben: alle Notizen mit Audio, Ordner, Schlagwörter, Regeln und Ihr Konto. Andere Programme können die Dateien lesen.',
  ownDataAsk: 'Alles herunterladen',
  ownDataBegun: 'Der Download hat begonnen.',
  sessions: 'Wo Sie angemeldet sind',
  sessionsHint:
    'Wenn Sie eine Sitzung nicht kennen, melden Sie sie ab, und ändern Sie Ihr Passwort.',
  otherProgram: 'Anderes Programm',
  thisOne: 'hier',
  since: 'seit {time}',
  lastUsed: 'zuletzt verwendet {time}',
  end: 'Abmelden',
  ended: 'Sitzung abgemeldet.',
  forget: 'Dieser Browser',
  forgetHint:
    'Auf einem Computer, den auch andere nutzen, können Sie sich hier abmelden und löschen, was dieser Browser aufbewahrt: noch nicht gespeichertes Audio, Entwürfe, Namen unfertiger Uploads und Einstellungen dieser Seiten.',
  forgetLater: 'Dieser Browser nimmt auf. Beenden Sie zuerst die Aufnahme.',
  forgetAsk: 'Daten in diesem Browser löschen…',
  forgetTitle: 'Daten in diesem Browser löschen?',
  forgetUnsaved:
    'Audio in diesem Browser ({time}) ist noch nicht auf dem Server gespeichert. Es geht verloren.',
  forgetText:
    'Sie werden abgemeldet, und alles, was Mitschrift in diesem Browser aufbewahrt, wird gelöscht. Ihre Notizen auf dem Server bleiben erhalten.',
  forgetNow: 'Abmelden und löschen',
  cancel: 'Abbrechen',
} satisfies Translation<English>;
