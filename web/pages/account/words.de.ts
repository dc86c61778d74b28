import type { Translation } from '../../words/i18n.ts';
import type { English } from './words.ts';

export default {
  title: 'Konto',
  loggedInAs: 'Angemeldet als {name}.',
  isAdministrator: 'Sie haben Administratorrechte.',
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
  voices: 'Bekannte Stimmen',
  voicesHint: 'Damit werden Namen vorgeschlagen. Sie können jede Stimme umbenennen oder löschen.',
  toVoices: 'Stimmen verwalten',
  passwordHint: 'Sie werden überall sonst abgemeldet. Eine laufende Aufnahme geht weiter.',
  currentPassword: 'Aktuelles Passwort',
  changePassword: 'Passwort ändern',
  passwordChanged: 'Passwort geändert. Sie wurden überall sonst abgemeldet.',
  passwordKept: 'Ihr Passwort wurde nicht geändert.',
  notesFolderHint:
    'Jede Notiz wird beim Speichern in diesen Ordner auf dem Server kopiert. Notizen, die Sie dort geändert haben, bleiben erhalten.',
  notesFolderNone: 'Sie haben keinen Notizordner. Ihr Administrator kann einen einrichten.',
  notesFolderRemove: 'Nicht mehr kopieren',
  notesFolderSaved: 'Notizordner gespeichert. Ihre Notizen werden kopiert.',
  notesFolderRemoved: 'Es wird nicht mehr kopiert. Die Kopien im Ordner bleiben erhalten.',
  notesFolderFault: 'In diesen Ordner kann zurzeit nichts kopiert werden.',
  ownData: 'Ihre Daten',
  ownDataHint:
    'Eine Zip-Datei mit allem, was Sie haben: alle Notizen mit Audio, Ordner, Schlagwörter, Regeln, Vorlagen, Fristen und Ihr Konto. Andere Programme können die Dateien lesen.',
  ownDataAsk: 'Alles herunterladen',
  ownDataBegun: 'Der Download hat begonnen.',
  twoStep: 'Anmeldung in zwei Schritten',
  twoStepHint: 'Nach dem Passwort geben Sie einen Code aus einer App auf Ihrem Telefon ein.',
  twoStepSince: 'seit {day} · noch {left} von 10 Wiederherstellungscodes',
  twoStepOff: 'Die Anmeldung in zwei Schritten ist aus.',
  renewAsk: 'Neue Wiederherstellungscodes…',
  renew: 'Neue Codes anlegen',
  renewMeans: 'Sie erhalten zehn neue Wiederherstellungscodes. Die alten gelten dann nicht mehr.',
  setUp: 'Einrichten…',
  switchOffAsk: 'Ausschalten…',
  switchOff: 'Ausschalten',
  sessions: 'Wo Sie angemeldet sind',
  sessionsHint:
    'Wenn Sie eine Sitzung nicht kennen, melden Sie sie ab, und ändern Sie Ihr Passwort.',
  logInProgram: 'Programm anmelden…',
  logInProgramHint:
    'Für mitschrift record auf einem anderen Computer, auch wenn Sie hier kein Passwort haben.',
  codeForProgram: 'Code für ein Programm',
  codeOnce:
    'Der Code wird nur dieses eine Mal angezeigt und gilt einmal, bis {time}. Wer den Code hat, kann sich als Sie anmelden.',
  codeCommand: 'Geben Sie auf dem anderen Computer diesen Befehl ein und dann den Code:',
  copyCode: 'Code kopieren',
  otherProgram: 'Anderes Programm',
  thisOne: 'hier',
  since: 'seit {time}',
  lastUsed: 'zuletzt verwendet {time}',
  ended: 'Sitzung abgemeldet.',
  forget: 'Dieser Browser',
  forgetHint:
    'Auf einem Computer, den auch andere nutzen, können Sie sich hier abmelden und löschen, was dieser Browser aufbewahrt: noch nicht gespeichertes Audio, Entwürfe, Namen unfertiger Uploads und Einstellungen dieser Seiten.',
  forgetLater: 'Dieser Browser nimmt auf. Beenden Sie zuerst die Aufnahme.',
  forgetAsk: 'Daten in diesem Browser löschen…',
  forgetTitle: 'Daten in diesem Browser löschen?',
  forgetUnsaved:
    'Audio in diesem Browser ({time}) ist noch nicht auf dem Server gespeichert. Es geht verloren.',
  forgetUnknown:
    'Mitschrift kann nicht prüfen, ob dieser Browser noch Audio aufbewahrt, das nicht auf dem Server gespeichert ist. Dieses Audio ginge verloren.',
  forgetText:
    'Sie werden abgemeldet, und alles, was Mitschrift in diesem Browser aufbewahrt, wird gelöscht. Ihre Notizen auf dem Server bleiben erhalten.',
  forgetNow: 'Abmelden und löschen',
  signOn: 'Single Sign-on',
  signOnHint:
    'Melden Sie sich mit Ihrem Konto bei {provider} an. Ihre Notizen und Ihr Name hier bleiben gleich.',
  notLinked: 'nicht verbunden',
  isLinked: 'verbunden',
  linkedAs: 'als {name}',
  linkAsk: 'Konto bei {provider} verbinden…',
  unlinkAsk: 'Verbindung trennen…',
  unlink: 'Verbindung trennen',
  unlinked: 'Verbindung getrennt.',
  onlyProvider:
    'Sie haben hier kein Passwort. Um die Verbindung zu trennen, bitten Sie einen Administrator um einen Link, mit dem Sie eines wählen.',
  onlySignOn:
    'Passwörter sind hier für Ihr Konto ausgeschaltet: Ohne die Verbindung könnten Sie sich nicht mehr anmelden.',
} satisfies Translation<English>;
