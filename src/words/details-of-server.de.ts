import type { Words } from './sentences.ts';
import type { detailsOfServer } from './details-of-server.ts';

export const detailsOfServerInGerman = {
  'node-only-works':
    'Dieser Knoten verarbeitet Aufnahmen und beantwortet nur /health und /metrics. Fragen Sie einen Knoten mit der Rolle serve oder all.',
  'web-app-missing': 'Auf diesem Server fehlt die Web-App. Führen Sie `npm run build` aus.',
  'certificate-unusable':
    'Mitschrift ist hier für https eingerichtet, aber das Zertifikat ist nicht verwendbar. Informieren Sie einen Administrator: `mitschrift doctor` auf dem Server nennt den Grund.',
  'notes-folder-not-set': {
    detail:
      'Sie haben auf diesem Server keinen Notizordner (Vault). Bitten Sie einen Administrator um einen.',
    admin:
      'Wählen Sie einen in Ihrem Konto. Läuft Mitschrift auf nur einem Server, lässt sich auch einer für alle festlegen (Notizordner, `notes.vault`).',
  },
  'notes-folder-chosen-there':
    'Der Ordner liegt auf dem Server. Wählen Sie ihn an diesem Computer aus, oder bitten Sie einen Administrator darum.',
  'notes-folder-missing': {
    detail:
      'Der Notizordner (Vault) existiert nicht oder lässt sich nicht öffnen. Informieren Sie einen Administrator.',
    admin: 'Einstellung: Notizordner (`notes.vault`).',
  },
  'notes-folder-empty': {
    detail:
      'Der Notizordner (Vault) ist nicht mehr derselbe und ist leer: Vielleicht ist sein Datenträger nicht eingehängt. Informieren Sie einen Administrator.',
    admin: 'Wenn es ein neuer Ordner ist, legen Sie eine beliebige Datei hinein.',
  },
  'notes-folder-not-writable': {
    detail:
      'Mitschrift darf nicht in den Notizordner (Vault) schreiben. Informieren Sie einen Administrator.',
    admin: 'Einstellung: Notizordner (`notes.vault`).',
  },
  'notes-folder-occupied':
    'Im Notizordner hat ein Ordner oder eine andere Datei den Namen des Dokuments. Benennen Sie sie um und versuchen Sie es erneut.',
  'no-desktop-session': {
    detail:
      'Dokumente lassen sich auf dem Server nicht öffnen, da er ohne Desktop läuft. Laden Sie sie stattdessen herunter.',
    admin:
      'Weder DISPLAY noch WAYLAND_DISPLAY ist gesetzt. Wo es einen Desktop gibt: `systemctl --user import-environment DISPLAY WAYLAND_DISPLAY`, dann Mitschrift neu starten.',
  },
  'no-program-to-open': {
    detail: 'Kein Programm auf dem Server konnte das Dokument öffnen.',
    admin: '{reasons}.',
  },
  'program-not-installed': '{program} ist nicht installiert',
  'program-failed': '{program} ist fehlgeschlagen ({how})',
  'backup-in-data-directory':
    'darf nicht im Datenverzeichnis liegen: Die Sicherung ginge mit ihm verloren',
  'backup-folder-in-use': 'enthält etwas anderes ({file}): Wählen Sie einen leeren Ordner',
  'backup-of-other-data':
    'enthält eine Sicherung anderer Daten ({log}): Wählen Sie einen anderen Ordner',
  'backup-ahead':
    'enthält neuere Ereignisse als diese Daten, die seitdem wiederhergestellt wurden: Wählen Sie einen anderen Ordner',
  'backup-marker-unreadable':
    'ist beschädigt oder wurde von einer neueren Version von Mitschrift erstellt',
  'backup-folder-not-writable':
    'lässt sich nicht anlegen oder beschreiben ({cause}): Wählen Sie einen anderen Ordner',
  'backup-folder-silent':
    'antwortet nicht, wie ein Netzwerkordner, dessen Server offline ist: Prüfen Sie ihn, oder wählen Sie einen anderen Ordner',
  'backup-folder': '{folder} {fault}.',
  'backup-failed': 'Die Sicherung ist fehlgeschlagen: {cause}',
  'backup-by-database':
    'Die Daten liegen in der Datenbank {database}: Sichern Sie diese mit pg_basebackup, danach {files} mit Audio, Dokumenten und Schlüsseln.',
  'model-not-in-catalogue': 'Das Modell {model} gibt es nicht. Verfügbar: {known}.',
  'model-not-installed': 'Das Modell {model} ist nicht installiert.',
  'own-export-running':
    'Ihre Daten werden bereits heruntergeladen. Warten Sie, bis dieser Download fertig ist, oder brechen Sie ihn ab.',
  'own-export-unfinished':
    'Die Aufnahme läuft noch. Audio und Dokumente sind nicht in dieser Datei.',
  'own-export-no-audio': 'Die Audiodatei fehlt auf dem Server.',
  'own-export-damaged-audio':
    'Die Audiodatei ist beschädigt. Was davon lesbar war, ist in dieser Datei.',
  'own-export-unreadable':
    'Die Aufnahme ist auf dem Server nicht lesbar. Informieren Sie einen Administrator.',
  'not-admitted-group': {
    detail:
      'Der Anmeldeanbieter kennt Sie, aber hier können sich nur Mitglieder einer bestimmten Gruppe anmelden. Wenden Sie sich an einen Administrator. Es wurde kein Konto angelegt.',
    admin: 'Einstellung: Nur Mitglieder von (`oidc.user_group`).',
  },
  'not-admitted-setup':
    'Dieser Server hat noch keinen Administrator. Den ersten legt mit dem Einrichtungslink an, wer ihn eingerichtet hat (`mitschrift setup-link`).',
  'not-admitted-unknown':
    'Der Anmeldeanbieter kennt Sie, aber Sie haben hier kein Konto. Bitten Sie einen Administrator darum. Es wurde kein Konto angelegt.',
  'not-admitted-linked':
    'Dieses Konto beim Anmeldeanbieter ist hier mit einer anderen Person verbunden. Es wurde nichts geändert.',
  'not-admitted-denied':
    'Der Anmeldeanbieter hat Sie nicht angemeldet. Es wurde kein Konto angelegt.',
  'provider-answers-wrong':
    'Die Antwort des Anmeldeanbieters ist nicht brauchbar. Informieren Sie einen Administrator: Systemstatus und Log sagen mehr. Melden Sie sich bis dahin mit einem Passwort an, wenn Sie hier eines haben.',
  'provider-answers':
    'Der Anmeldeanbieter hat „{fault}“ geantwortet. Prüfen Sie Client-ID, Client-Geheimnis und Scopes.',
  'login-code-over':
    'Dieser Code ist falsch, wurde verwendet oder ist abgelaufen. Erstellen Sie im Konto unter „Wo Sie angemeldet sind“ einen neuen.',
  'password-link-useless': {
    detail:
      'Passwörter sind für diese Person abgeschaltet; sie meldet sich mit Single Sign-on an. Es wurde kein Link erstellt.',
    admin:
      'Einstellung: Anmeldung mit Passwort (`auth.local_login`). Für Administratoren erstellt `mitschrift users password-link` auf dem Server immer einen.',
  },
  'no-password-yet':
    'Ohne die Verbindung könnten Sie sich nicht mehr anmelden: Ihr Konto hat kein Passwort. Bitten Sie einen Administrator um einen Link, mit dem Sie eines wählen.',
  'password-opens-nothing':
    'Ohne die Verbindung könnten Sie sich nicht mehr anmelden: Passwörter sind hier für Ihr Konto ausgeschaltet.',
} satisfies Words<typeof detailsOfServer>;
