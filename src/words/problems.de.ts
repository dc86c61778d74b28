import type { Words } from './sentences.ts';
import type { problems } from './problems.ts';

export const problemsInGerman = {
  'malformed-body': {
    title: 'Inhalt der Anfrage nicht lesbar',
    detail:
      'Die gesendeten Daten sind unvollständig oder in einem unbekannten Format. Versuchen Sie es erneut.',
  },
  'malformed-request': {
    title: 'Anfrage nicht lesbar',
    detail: 'Die Adresse oder ein Header der Anfrage ist ungültig.',
  },
  'not-authenticated': {
    title: 'Nicht angemeldet',
    detail:
      'Sie sind nicht angemeldet, oder Ihre Sitzung ist abgelaufen. Melden Sie sich an und versuchen Sie es erneut.',
  },
  'wrong-credentials': {
    title: 'Anmeldung fehlgeschlagen',
    detail: 'Benutzername oder Passwort ist falsch.',
  },
  'user-disabled': {
    title: 'Konto deaktiviert',
    detail:
      'Dieses Konto ist deaktiviert. Bitten Sie einen Administrator, es wieder zu aktivieren.',
  },
  'not-admin': {
    title: 'Nur für Administratoren',
    detail: 'Dafür sind Adminrechte nötig. Wenden Sie sich an einen Administrator dieses Servers.',
  },
  'outside-space': {
    title: 'Pfad nicht erlaubt',
    detail: 'Dieser Pfad ist nicht erlaubt: {reason}.',
    choices: {
      reason: {
        outside: 'Er muss zu einer Datei in Ihrem eigenen Ordner führen',
        'too-many-folders': 'Er hat zu viele Ordner',
        link: 'Er führt über einen symbolischen Link',
        'not-a-file': 'Er führt nicht zu einer Datei',
        'reserved-name': 'Ein Name darin ist reserviert',
      },
    },
  },
  'setup-code-required': {
    title: 'Einrichtungscode erforderlich',
    detail:
      'Öffnen Sie Mitschrift über den Einrichtungslink: Er enthält den Code. `mitschrift setup-link` gibt den Link auf dem Server aus; der Code steht auch im Log des Servers und in der Datei `setup-code` im Datenverzeichnis.',
  },
  'cross-origin': {
    title: 'Anfrage von einer anderen Website',
    detail:
      'Nur die eigenen Seiten von Mitschrift dürfen diese Anfrage senden. Öffnen Sie Mitschrift unter der eigenen Adresse und versuchen Sie es erneut.',
  },
  'not-found': {
    title: 'Nicht gefunden',
    detail: 'Unter dieser Adresse gibt es nichts, oder es gehört einer anderen Person.',
  },
  'method-not-allowed': { title: 'Methode nicht erlaubt', detail: 'Hier erlaubt: {methods}.' },
  'too-slow': {
    title: 'Verbindung zu langsam',
    detail:
      'Die Daten kamen zu langsam an und wurden nicht angenommen. Prüfen Sie die Verbindung und senden Sie sie erneut.',
  },
  'not-accepted': {
    title: 'Derzeit nicht möglich',
    detail: 'Der aktuelle Zustand der Aufnahme lässt das nicht zu. Es wurde nichts geändert.',
  },
  'already-set-up': {
    title: 'Mitschrift ist bereits eingerichtet',
    detail: 'Es gibt bereits einen Administrator. Melden Sie sich an.',
  },
  'username-taken': {
    title: 'Benutzername vergeben',
    detail: 'Der Benutzername {name} ist bereits vergeben. Wählen Sie einen anderen.',
  },
  'last-administrator': {
    title: 'Letzter Administrator',
    detail:
      'Das ist der letzte Administrator, der sich anmelden kann. Geben Sie zuerst einer anderen Person Adminrechte.',
  },
  'own-account': {
    title: 'Für das eigene Konto nicht möglich',
    detail:
      'Sie können Ihr eigenes Konto nicht deaktivieren. Bitten Sie einen anderen Administrator darum.',
  },
  'administrator-first': {
    title: 'Zuerst ist ein Administrator nötig',
    detail: 'Der erste Benutzer muss Administrator sein. Legen Sie zuerst einen Administrator an.',
  },
  'built-in-user': {
    title: 'Eingebauter Benutzer',
    detail: 'Der Benutzer {name} ist eingebaut und kann nicht geändert werden.',
  },
  overridden: {
    title: 'Durch Umgebungsvariable festgelegt',
    detail:
      '{keys} wird durch Umgebungsvariablen des Servers festgelegt und kann hier nicht geändert werden. Es wurde nichts gespeichert. Ändern Sie die Variablen und starten Sie den Server neu.',
  },
  'device-unavailable': {
    title: 'Gerät nicht verfügbar',
    detail:
      'Vom Gerät kann gerade nicht aufgenommen werden. Wählen Sie ein anderes Gerät oder versuchen Sie es erneut.',
  },
  'not-recording': {
    title: 'Keine laufende Aufnahme',
    detail: 'Derzeit läuft keine Ihrer Aufnahmen.',
  },
  'already-recording': {
    title: 'Aufnahme läuft bereits',
    detail: 'Eine Ihrer Aufnahmen läuft bereits. Beenden Sie sie zuerst.',
  },
  'several-waiting': {
    title: 'Mehrere Aufnahmen ohne Namen',
    detail: 'Mehrere Aufnahmen warten auf Sprechernamen. Wählen Sie eine mit `recording_id`.',
  },
  'nobody-waiting': {
    title: 'Keine Aufnahme ohne Namen',
    detail: 'Keine Ihrer Aufnahmen wartet auf Sprechernamen.',
  },
  'no-language-model': {
    title: 'Kein Sprachmodell eingerichtet',
    detail:
      'Es wurde nichts gestartet, da kein Sprachmodell eingerichtet ist. Neu transkribieren können Sie die Aufnahme auch ohne.',
    admin: 'Geben Sie in den Einstellungen einen Sprachmodell-Server an (`llm.base_url`).',
  },
  'backup-running': {
    title: 'Sicherung läuft',
    detail:
      'Es wird bereits eine Sicherung erstellt. Starten Sie die nächste, wenn sie fertig ist.',
  },
  'key-used-differently': {
    title: 'Idempotency-Key bereits verwendet',
    detail:
      'Dieser Idempotency-Key wurde für eine andere Anfrage verwendet. Verwenden Sie einen neuen.',
  },
  'wrong-offset': {
    title: 'Upload an anderer Stelle',
    detail: 'Fragen Sie mit HEAD ab, wie viel hochgeladen ist, und fahren Sie dort fort.',
  },
  'upload-over': {
    title: 'Upload abgelaufen',
    detail:
      'Ein Upload muss innerhalb von 24 Stunden fertig sein. Laden Sie die Datei erneut hoch.',
  },
  'tus-version': {
    title: 'Andere Version des Upload-Protokolls',
    detail: 'Senden Sie `Tus-Resumable: 1.0.0`.',
  },
  'changed-meanwhile': {
    title: 'Inzwischen geändert',
    detail:
      'Das wurde inzwischen geändert; Ihre Änderung wurde nicht gespeichert. Laden Sie die Seite neu und nehmen Sie die Änderung noch einmal vor.',
  },
  'too-large': { title: 'Zu groß', detail: 'Die gesendeten Daten sind größer als erlaubt.' },
  'unsupported-media': {
    title: 'Dateityp nicht unterstützt',
    detail: 'Dateien dieses Typs werden nicht angenommen.',
  },
  'range-not-satisfiable': {
    title: 'Außerhalb der Datei',
    detail: 'Das Audio umfasst {size}; der angeforderte Bereich beginnt hinter dem Ende.',
  },
  'host-not-allowed': {
    title: 'Hostname nicht zugelassen',
    detail:
      'Unter diesem Hostnamen nimmt Mitschrift keine Anfragen an. Ein Administrator kann ihn in den Einstellungen hinzufügen (Hostnamen, `server.allowed_hosts`).',
  },
  invalid: { title: 'Bitte prüfen Sie Ihre Angaben', detail: 'Einige Angaben sind nicht gültig.' },
  'upgrade-required': {
    title: 'Nur über WebSocket',
    detail: 'Verbinden Sie sich über einen WebSocket.',
  },
  'https-required': {
    title: 'https erforderlich',
    detail: 'Mitschrift verwendet hier https. Öffnen Sie {address}',
  },
  'too-many-attempts': {
    title: 'Zu viele Versuche',
    detail:
      'Zu viele fehlgeschlagene Versuche. Warten Sie {wait} und versuchen Sie es dann erneut.',
  },
  'too-many-connections': {
    title: 'Zu viele Verbindungen',
    detail:
      'Sie haben {count} offene Verbindungen, mehr sind nicht erlaubt. Schließen Sie andere Tabs oder Fenster von Mitschrift.',
  },
  internal: {
    title: 'Unerwarteter Fehler',
    detail:
      'Auf dem Server ist ein unerwarteter Fehler aufgetreten. Versuchen Sie es erneut; tritt er wieder auf, nennen Sie einem Administrator die Nummer {request}.',
    admin: 'Einzelheiten stehen unter dieser Nummer im Log.',
  },
  'outcome-unknown': {
    title: 'Unklar, ob gespeichert',
    detail:
      'Der Server konnte nicht bestätigen, ob Ihre Änderung gespeichert wurde. Laden Sie die Seite neu und prüfen Sie das, bevor Sie es erneut versuchen.',
  },
  starting: {
    title: 'Server startet',
    detail:
      'Der Server startet und lädt noch seine Daten. Es wurde nichts geändert. Versuchen Sie es gleich noch einmal.',
  },
  busy: {
    title: 'Server ist ausgelastet',
    detail: 'Der Server ist gerade ausgelastet. Versuchen Sie es gleich noch einmal.',
  },
  'views-behind': {
    title: 'Gespeichert, aber noch nicht sichtbar',
    detail:
      'Ihre Änderung wurde gespeichert und erscheint in Kürze. Sie brauchen sie nicht zu wiederholen.',
  },
  'view-stopped': {
    title: 'Änderungen nicht möglich',
    detail:
      'Mitschrift kann seine Listen derzeit nicht aktualisieren und nimmt deshalb keine Änderungen an. Bereits Gespeichertes geht nicht verloren. Informieren Sie einen Administrator.',
    admin: 'Warum die Projektion {list} angehalten hat, steht im Log.',
  },
  'log-damaged': {
    title: 'Gespeicherte Daten beschädigt',
    detail:
      'Ein Teil der gespeicherten Daten ist beschädigt; deshalb kann nichts Neues gespeichert werden. Informieren Sie einen Administrator.',
    admin:
      '`mitschrift verify` listet auf, was beschädigt ist. Stellen Sie eine Sicherung wieder her.',
  },
  unreadable: {
    title: 'Schlüssel fehlt',
    detail:
      'Das lässt sich nicht lesen oder ändern, da der Schlüssel fehlt oder beschädigt ist. Informieren Sie einen Administrator, oder löschen Sie es.',
    admin: 'Legen Sie den Schlüssel aus einer Sicherung zurück und starten Sie den Server neu.',
  },
  'log-newer': {
    title: 'Daten einer neueren Version',
    detail: 'Die Daten stammen von einer neueren Version von Mitschrift. Es wurde nichts geändert.',
    admin: 'Starten Sie diese oder eine neuere Version.',
  },
  stopping: {
    title: 'Server wird beendet',
    detail: 'Der Server wird gerade beendet. Versuchen Sie es erneut, wenn er wieder läuft.',
  },
  'disk-full': {
    title: 'Festplatte des Servers voll',
    detail:
      'Die Festplatte des Servers ist voll; deshalb kann nichts Neues gespeichert werden. Vorhandenes lässt sich weiter lesen und löschen. Informieren Sie einen Administrator, oder löschen Sie Aufnahmen.',
    admin: 'Geben Sie Speicherplatz frei.',
  },
  'log-unavailable': {
    title: 'Gespeicherte Daten nicht erreichbar',
    detail:
      'Der Server kann derzeit nicht auf seine gespeicherten Daten zugreifen. Bereits Gespeichertes geht nicht verloren. Versuchen Sie es gleich noch einmal.',
    admin: 'Das Ereignislog oder seine Datenbank wird neu geöffnet; den Grund nennt das Log.',
  },
  'files-unavailable': {
    title: 'Dateien nicht erreichbar',
    detail:
      'Der Server kann seine Dateien derzeit nicht erreichen. Bereits Gespeichertes geht nicht verloren. Versuchen Sie es gleich noch einmal.',
  },
  unavailable: {
    title: 'Auf diesem Server nicht verfügbar',
    detail: 'Dem Server fehlt etwas, das dafür nötig ist. Wenden Sie sich an einen Administrator.',
  },
  'decoder-stalled': {
    title: 'Audio nicht rechtzeitig gelesen',
    detail:
      'Das Lesen der Datei dauerte zu lange. Versuchen Sie es später noch einmal. Klappt es wieder nicht, wandeln Sie die Datei in WAV um.',
  },
  'space-limit': {
    title: 'Speicherlimit erreicht',
    detail:
      'Das Speicherlimit ist erreicht; deshalb wird nichts Neues angenommen. Löschen Sie Aufnahmen, oder bitten Sie einen Administrator, das Limit zu erhöhen.',
  },
} satisfies Words<typeof problems>;
