import type { problemsOfRequests } from './problems-of-requests.ts';
import type { Words } from './sentences.ts';

export const problemsOfRequestsInGerman = {
  'malformed-body': {
    title: 'Inhalt der Anfrage nicht lesbar',
    detail:
      'Die gesendeten Daten sind unvollständig oder in einem unbekannten Format. Versuchen Sie es erneut.',
  },
  'malformed-request': {
    title: 'Anfrage nicht lesbar',
    detail: 'Die Adresse oder ein Header der Anfrage ist ungültig.',
  },
  'not-admin': {
    title: 'Nur für Administratoren',
    detail: 'Dafür sind Adminrechte nötig. Wenden Sie sich an einen Administrator dieses Servers.',
  },
  'not-a-recorder': {
    title: 'Aufnehmen hier nicht erlaubt',
    detail:
      'Sie dürfen mit den Geräten dieses Servers nicht aufnehmen. Verwenden Sie das Mikrofon Ihres eigenen Geräts.',
    admin: 'Einstellung: Wer hier aufnehmen darf (`audio.recorders`).',
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
        'forbidden-name': 'Ein Name darin ist nicht erlaubt',
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
  'unknown-user': {
    title: 'Unbekannter Name',
    detail: 'Es gibt keine Person und keine Gruppe mit diesem Namen. Prüfen Sie den Namen.',
  },
  'not-yours': {
    title: 'Nur für die Person, der die Notiz gehört',
    detail: 'Diese Notiz gehört {owner}. Es wurde nichts geändert. Wenden Sie sich an {owner}.',
  },
  'on-hold': {
    title: 'Vor dem Löschen geschützt',
    detail:
      'Diese Notiz ist vor dem Löschen geschützt. Es wurde nichts gelöscht. Entfernen Sie zuerst den Schutz.',
  },
  'sharing-off': {
    title: 'Teilen ist ausgeschaltet',
    detail:
      'Auf diesem Server ist das Teilen ausgeschaltet. Wenden Sie sich an einen Administrator.',
  },
  'links-off': {
    title: 'Links sind ausgeschaltet',
    detail: 'Auf diesem Server sind Links ausgeschaltet. Wenden Sie sich an einen Administrator.',
  },
  'password-required': {
    title: 'Passwort erforderlich',
    detail: 'Dieser Link hat ein Passwort. Wer ihn geschickt hat, kennt es.',
  },
  'link-over': {
    title: 'Link nicht mehr gültig',
    detail:
      'Dieser Link ist nicht mehr gültig. Bitten Sie die Person, die ihn geschickt hat, um einen neuen.',
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
      'Sie können Ihr eigenes Konto nicht sperren. Bitten Sie einen anderen Administrator darum.',
  },
  'administrator-first': {
    title: 'Zuerst ist ein Administrator nötig',
    detail: 'Der erste Benutzer muss Administrator sein. Legen Sie zuerst einen Administrator an.',
  },
  'built-in-user': {
    title: 'Vordefinierter Benutzer',
    detail: 'Der Benutzer {name} ist vordefiniert und kann nicht geändert werden.',
  },
  'too-many-links': {
    title: 'Zu viele offene Einladungen und Links',
    detail:
      'Es sind zu viele Einladungen und Passwort-Links offen. Ziehen Sie zuerst einige davon zurück.',
  },
  'name-taken': {
    title: 'Name vergeben',
    detail: 'Der Name „{name}“ ist bereits vergeben. Wählen Sie einen anderen.',
  },
  'too-many-names': {
    title: 'Zu viele',
    detail: 'Es kann höchstens {count} {what} geben. Löschen Sie zuerst einige davon.',
    choices: {
      what: {
        folders: 'Ordner',
        tags: 'Schlagwörter',
        rules: 'Regeln',
        templates: 'Vorlagen',
        words: 'Wörter',
        groups: 'Gruppen',
        members: 'Mitglieder einer Gruppe',
        grants: 'Personen und Gruppen für eine Notiz oder einen Ordner',
        links: 'Links zu einer Notiz',
      },
    },
  },
  overridden: {
    title: 'Durch Umgebungsvariable festgelegt',
    detail:
      'Umgebungsvariablen des Servers legen {keys} fest; das kann hier nicht geändert werden. Es wurde nichts gespeichert. Ändern Sie die Variablen und starten Sie den Server neu.',
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
  'no-embeddings': {
    title: 'Kein Embedding-Server eingerichtet',
    detail:
      'Notizen können nicht nach ihrer Bedeutung gefunden werden, weil kein Embedding-Server eingerichtet ist.',
    admin: 'Geben Sie in den Einstellungen einen Embedding-Server an (`embeddings.base_url`).',
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
      'Unter diesem Hostnamen[ ({host})] nimmt Mitschrift keine Anfragen an. Starten Sie es mit MITSCHRIFT_SERVER_ALLOWED_HOSTS[={host}], oder ein Administrator fügt den Namen in den Einstellungen hinzu (Hostnamen, `server.allowed_hosts`).',
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
  'too-many-questions': {
    title: 'Zu viele Fragen',
    detail:
      'Sie haben zu viele Fragen gleichzeitig oder innerhalb einer Stunde gestellt. Warten Sie {wait} und fragen Sie dann erneut.',
  },
  'too-many-connections': {
    title: 'Zu viele Verbindungen',
    detail:
      'Sie haben {count} offene Verbindungen, mehr sind nicht erlaubt. Schließen Sie andere Tabs oder Fenster von Mitschrift.',
  },
} satisfies Words<typeof problemsOfRequests>;
