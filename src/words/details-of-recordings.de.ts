import type { Words } from './sentences.ts';
import type { detailsOfRecordings } from './details-of-recordings.ts';

export const detailsOfRecordingsInGerman = {
  'recording-not-found': 'Diese Aufnahme gibt es nicht, oder sie gehört einer anderen Person.',
  'recording-not-yet': 'Zu diesem Zeitpunkt gab es die Aufnahme noch nicht.',
  'version-not-found': 'Diese Version gibt es nicht.',
  'sidenote-not-found': 'Diese Randnotiz gibt es nicht.',
  'line-not-found': 'Diese Zeile der Zusammenfassung gibt es nicht.',
  'summary-changed':
    'Die Zusammenfassung hat sich inzwischen geändert; Ihre Änderungen wurden nicht gespeichert. Laden Sie die Seite neu und nehmen Sie sie noch einmal vor.',
  'no-new-summary': 'Es wartet keine neue Zusammenfassung auf eine Entscheidung.',
  'transcript-not-ready': 'Für diese Aufnahme gibt es noch kein Transkript.',
  'documents-not-ready': 'Für diese Aufnahme gibt es noch keine Dokumente.',
  'audio-not-kept':
    'Es gibt kein Audio: Die Aufnahme ist noch nicht fertig, oder ihr Audio wurde nicht aufbewahrt.',
  'document-not-found': 'Dieses Dokument gibt es nicht.',
  'document-not-of-recording': 'Dieses Dokument gehört zu keiner Ihrer Aufnahmen.',
  'passage-not-found': 'Diesen Beitrag gibt es nicht.',
  'passages-changed':
    'Das Transkript hat sich inzwischen geändert; Ihre Korrekturen wurden nicht gespeichert. Laden Sie die Seite neu und nehmen Sie sie noch einmal vor.',
  'other-rules':
    'Die Regeln haben sich inzwischen geändert; ihre Reihenfolge wurde nicht gespeichert. Laden Sie die Seite neu und ordnen Sie sie noch einmal.',
  'document-changed':
    'Das Dokument hat sich inzwischen geändert; Ihre Änderungen wurden nicht gespeichert. Laden Sie es neu und nehmen Sie sie noch einmal vor.',
  'if-match-missing': 'Senden Sie `If-Match` mit dem `ETag` der bearbeiteten Version.',
  'revision-missing':
    'Senden Sie `If-Match` mit dem `ETag` der bearbeiteten Version, oder eine `revision` mit jedem `block`.',
  'processing-failed-before':
    'Die letzte Verarbeitung ist fehlgeschlagen. Wählen Sie „Erneut versuchen“, oder blenden Sie den Fehler aus; dann können Sie die Aufnahme ab jedem Schritt neu verarbeiten. (API: `POST …/retry`, `POST …/clear`)',
  'audio-removed': {
    detail:
      'Das Audio dieser Aufnahme wurde nach dem Schreiben der Dokumente entfernt; sie kann deshalb nicht neu transkribiert werden. Das Transkript ist noch da: Verarbeiten Sie es ab dem Sprachmodell neu.',
    admin: '„Audio aufbewahren“ (`audio.keep`) steht auf none.',
  },
  'being-assembled':
    'Diese Notiz wird gerade verbunden, getrennt oder gekürzt. Versuchen Sie es gleich noch einmal.',
  'audio-still-comes':
    'Der Browser oder Rekorder sendet noch Audio dieser Aufnahme. Deshalb lässt sich die Aufnahme noch nicht verbinden, trennen oder kürzen. Es wurde nichts geändert. Versuchen Sie es erneut, wenn dieses Audio hinzugefügt ist; ist der Browser offline, nach zehn Minuten.',
  'audio-not-taken':
    'Das Audio dieser Aufnahme ist gespeichert, aber noch nicht verarbeitet. Deshalb lässt sich der Fehler nicht ausblenden. Versuchen Sie es erneut, oder löschen Sie die Aufnahme.',
  'no-audio-to-assemble': {
    detail:
      'Das Audio dieser Aufnahme wurde nicht aufbewahrt; sie lässt sich deshalb nicht fortsetzen, verbinden, trennen oder kürzen.',
    admin: '„Audio aufbewahren“ (`audio.keep`) bestimmt, ob Audio aufbewahrt wird.',
  },
  'transcript-being-replaced':
    'Das Transkript wird gerade ersetzt. Versuchen Sie es gleich noch einmal.',
  'lists-being-rebuilt':
    'Mitschrift baut seine Listen neu auf. Versuchen Sie es gleich noch einmal.',
  'owner-deleted':
    'Der Besitzer dieser Aufnahme wurde gelöscht. Sie lässt sich einer anderen Person übergeben oder löschen, aber nicht ändern.',
  'recordings-of-others': 'Diese Aufnahmen gehören einer anderen Person.',
  'handover-admin-only': 'Nur ein Administrator kann eine Aufnahme einer anderen Person übergeben.',
  'feed-of-all-admin-only': 'Nur ein Administrator kann die Aufnahmen aller Personen verfolgen.',
  'device-trial-admin-only': 'Nur ein Administrator kann die Geräte des Servers testen.',
  'token-missing':
    'Melden Sie sich an und senden Sie das Token als `Authorization: Bearer <token>`.',
  'ticket-expired':
    'Dieser Link ist abgelaufen. Laden Sie die Seite neu, um einen neuen zu erhalten.',
  'session-ended': 'Ihre Sitzung ist abgelaufen. Melden Sie sich erneut an.',
  'code-wrong':
    'Falscher Code. Jeder Code gilt einmal und 30 Sekunden lang; prüfen Sie die Uhr des Telefons.',
  'current-password-wrong': 'Das aktuelle Passwort ist falsch.',
  'user-not-found': 'Es gibt keinen Benutzer mit diesem Namen.',
  'shared-through-others':
    'Ihr Zugriff kommt über eine Gruppe oder einen Ordner. Wenden Sie sich an die Person, die teilt, oder an einen Administrator.',
  'link-password-wrong': 'Falsches Passwort. Nach mehreren falschen Passwörtern müssen Sie warten.',
  'guest-not-shared':
    'Notizen von guest können nicht geteilt werden. Ein Administrator kann die Notiz zuerst jemandem übergeben.',
  'group-not-found': 'Diese Gruppe gibt es nicht.',
  'user-deleted-since': 'Der Benutzer wurde angelegt, ist aber inzwischen gelöscht.',
  'username-taken-nearly':
    'Der Benutzername {name} sieht aus wie der einer anderen Person. Wählen Sie einen anderen.',
  'username-length': 'Der Benutzername hat {count} Zeichen. Wählen Sie einen mit 2 bis 32 Zeichen.',
  'username-space':
    'Der Benutzername darf keine Leerzeichen enthalten. Erlaubt sind Buchstaben, Ziffern und @ . + - _, etwa anna.berg.',
  'username-characters':
    'Der Benutzername darf {characters} nicht enthalten. Erlaubt sind Buchstaben, Ziffern und @ . + - _.',
  'username-start': 'Der Benutzername muss mit einem Buchstaben oder einer Ziffer beginnen.',
  'username-scripts':
    'Der Benutzername mischt Buchstaben mehrerer Schriften, etwa lateinische und kyrillische. Verwenden Sie nur eine.',
  'username-reserved': 'Der Name {name} ist reserviert. Wählen Sie einen anderen.',
  'password-common': 'Dieses Passwort gehört zu den häufigsten. Wählen Sie ein anderes.',
  'password-of-names':
    'Das Passwort darf nicht aus dem Benutzernamen oder dem Namen dieses Programms bestehen. Wählen Sie ein anderes.',
  'password-unchanged': 'Das neue Passwort muss sich vom bisherigen unterscheiden.',
  'password-hash-form':
    'Der Passwort-Hash muss argon2id, pbkdf2-sha256 oder scrypt in PHC-Form sein.',
  'password-hash-weak':
    'Der Passwort-Hash ist zu schwach. Legen Sie den Benutzer mit einem neuen Passwort an.',
  'password-hash-costly':
    'Der Passwort-Hash ist zu aufwendig. Legen Sie den Benutzer mit einem neuen Passwort an.',
  'password-short': 'Das Passwort ist zu kurz. Wählen Sie eines mit mindestens {least} Zeichen.',
  'password-long': 'Das Passwort ist zu lang. Wählen Sie eines mit höchstens {most} Zeichen.',
} satisfies Words<typeof detailsOfRecordings>;
