import type { Words } from './sentences.ts';
import type { fieldFaults } from './field-faults.ts';

export const fieldFaultsInGerman = {
  'field-missing': 'fehlt',
  'field-empty': 'darf nicht leer sein',
  'field-type': {
    detail: 'muss {type} sein',
    choices: {
      type: {
        'whole-number': 'eine ganze Zahl',
        number: 'eine Zahl',
        text: 'ein Text',
        boolean: 'true oder false',
        list: 'eine Liste',
        object: 'ein Objekt',
        null: 'null',
      },
    },
  },
  'field-value': 'muss {values} sein',
  'field-least': 'muss mindestens {limit} sein',
  'field-most': 'darf höchstens {limit} sein',
  'field-characters-least': 'muss mindestens {count} Zeichen haben',
  'field-characters-most': 'darf höchstens {count} Zeichen haben',
  'field-entries-least': {
    detail: {
      one: 'muss mindestens {count} Eintrag haben',
      other: 'muss mindestens {count} Einträge haben',
    },
  },
  'field-entries-most': {
    detail: {
      one: 'darf höchstens {count} Eintrag haben',
      other: 'darf höchstens {count} Einträge haben',
    },
  },
  'field-fields-least': {
    detail: {
      one: 'muss mindestens {count} Feld haben',
      other: 'muss mindestens {count} Felder haben',
    },
  },
  'field-fields-most': {
    detail: {
      one: 'darf höchstens {count} Feld haben',
      other: 'darf höchstens {count} Felder haben',
    },
  },
  'field-format': 'hat eine Form, die hier nicht angenommen wird',
  'field-unknown': 'unbekannt: {keys}[ (und {more} weitere)]',
  'field-at': '{path}: {fault}',
  'only-with-summary': 'ist nur mit `from: summary` möglich',
  'field-twice': 'ist doppelt angegeben',
  'setting-unknown': 'ist keine Einstellung',
  'settings-unknown': {
    detail: {
      one: '{count} weitere ist keine Einstellung',
      other: '{count} weitere sind keine Einstellungen',
    },
  },
  'setting-by-environment': 'wird durch eine Umgebungsvariable des Servers festgelegt',
  'setting-not-on-nodes': 'wirkt nicht, wo Mitschrift auf mehreren Servern läuft',
  'key-by-environment':
    'kann hier nicht geändert werden, weil der Schlüssel dieses Servers in einer Umgebungsvariable steht: Legen Sie dort auch {also} fest',
  'key-again':
    'war für einen anderen Server gespeichert: Geben Sie ihn erneut ein, oder entfernen Sie ihn (null)',
  'folder-missing':
    'existiert nicht: Legen Sie den Ordner zuerst an, oder wählen Sie einen anderen',
  'not-a-folder': 'ist kein Ordner',
  'folder-not-writable': 'kann nicht beschrieben werden ({cause})',
  'folder-unmounted':
    'ist nicht mehr derselbe und ist leer: Vielleicht ist sein Datenträger nicht eingehängt. Wenn es ein neuer Ordner ist, legen Sie eine beliebige Datei hinein',
  'folder-notes-stuck': {
    detail: {
      one: 'hat keinen Platz für {count} Notiz: Eine Verknüpfung, eine andere Datei oder ein schreibgeschützter Ordner ist im Weg',
      other:
        'hat keinen Platz für {count} Notizen: Verknüpfungen, andere Dateien oder schreibgeschützte Ordner sind im Weg',
    },
  },
  'folder-of-data':
    'darf nicht im Datenordner von Mitschrift liegen und ihn nicht enthalten: Wählen Sie einen anderen',
  'folder-of-other-user': 'ist der Notizordner eines anderen Benutzers',
  'not-a-certificate': 'muss eine PEM-Datei mit einem Zertifikat sein',
  'not-a-private-key': 'muss eine PEM-Datei mit einem privaten Schlüssel ohne Passwort sein',
  'certificate-half': 'braucht auch {other}',
  'certificate-differs': 'ist mit dem Zertifikat nicht verwendbar ({cause})',
  'not-one-line': 'muss eine einzige Zeile sein',
  'not-absolute-path': 'muss ein vollständiger Pfad sein, der mit / beginnt',
  'not-http-address': 'muss eine Adresse sein, die mit http:// oder https:// beginnt',
  'not-http-or-path':
    'muss eine Adresse mit http:// oder https:// oder ein vollständiger Pfad sein',
  'address-with-password': 'darf weder Benutzernamen noch Passwort enthalten',
  'issuer-not-https': 'muss mit https:// beginnen, außer auf diesem Computer',
  'scope-openid': 'muss openid enthalten',
  'address-link-local': 'darf keine Link-Local- oder Metadaten-Adresse sein',
  'control-characters': 'darf keine Steuerzeichen enthalten',
  'not-a-language': 'muss eine Sprache wie de oder en-US oder auto sein',
  'not-ascii': 'muss aus sichtbaren ASCII-Zeichen ohne Leerzeichen bestehen[ (höchstens {most})]',
  'ascii-characters': 'muss aus 1 bis {most} sichtbaren ASCII-Zeichen ohne Leerzeichen bestehen',
  'not-a-host': 'muss ein Hostname sein, bei Bedarf mit Port',
  'not-a-network': 'muss eine IP-Adresse oder ein Bereich wie 10.0.0.0/8 sein',
  'network-too-large': 'muss ein kleinerer Bereich sein: Dieser umfasst große Teile des Internets',
  'networks-too-large':
    'müssen kleinere Bereiche sein: Zusammen umfassen sie mehr als vier /8 (bei IPv6-Adressen vier /16)',
  'not-a-time': 'muss eine Zeit wie 2026-05-04T10:00:00+02:00 sein',
  'time-out-of-range': 'muss zwischen 1900 und heute liegen',
  'not-within-recording': 'muss innerhalb der Aufnahme liegen, die {seconds} Sekunden lang ist',
  'not-after-from': 'muss nach `from` liegen',
  'same-recording': 'muss eine andere Aufnahme sein',
  'other-kind': 'muss von derselben Art sein: zwei Besprechungen oder zwei Solo-Aufnahmen',
  'not-ready-to-join': 'muss eine fertige Aufnahme mit Audio sein',
  'read-by-others': 'muss true sein: Andere können diese Notiz lesen und läsen auch das Verbundene',
  'speakers-count': 'muss eine Zahl von 1 bis 20 sein',
  'speakers-limits': 'darf nicht kleiner sein als `speakers_min`',
  'not-names': 'müssen Namen mit Kommas dazwischen oder ein JSON-Array sein',
  'passage-named-wrong':
    'muss einen Beitrag mit `block` oder `index` nennen; zu einer `revision` gehört ein `block`',
  'passage-named-twice': 'muss jeden Beitrag nur einmal nennen',
  'recording-named-twice': 'muss jede Aufnahme nur einmal nennen',
  'count-differs': 'muss {count} sein, so viele wie genannt sind',
  'tags-of-others':
    'findet nur Ihre eigenen Notizen: Schlagwörter anderer Personen werden nicht gezeigt',
  'one-place': 'muss das Einzige von cursor, before und around sein',
  'search-empty': 'muss den Suchbegriff enthalten, etwa /search?q=budget',
  'question-or-missed':
    'ist nötig, sofern `about` nicht `missed` ist; geben Sie nur eines von beiden an',
  'question-of-recording': 'ist bei `since` und `about` nötig',
  'search-of-notes': 'gilt nur mit group=note',
  'one-of-names-skip-later': 'muss das Einzige von Namen, `skip` und `later` sein',
  'not-a-status': 'muss IDLE, RECORDING, TRANSCRIBING, AWAITING_SPEAKERS oder ERROR sein',
  'not-a-position': 'muss eine Position des Logs sein',
  'not-a-cursor': 'muss der next_cursor der vorigen Seite sein',
  'not-a-ulid': 'muss eine ULID sein',
  'peaks-rate': 'muss ein Teiler von {most} sein, etwa 10, 20 oder 50',
  'peaks-too-many': 'ist zu hoch für eine Aufnahme dieser Länge',
  'model-only-for-speech': 'lässt sich nur beim erneuten Transkribieren wählen',
  'not-your-folder': 'ist keiner Ihrer Ordner',
  'not-your-template': 'ist keine Vorlage, die Sie wählen können',
  'too-many-lines': 'darf höchstens {count} Zeilen haben',
  'same-section-twice': 'hat eine Überschrift doppelt',
  'rule-without-condition': 'braucht mindestens eine Bedingung',
  'rule-without-action': 'muss sagen, was geschehen soll',
  'summaries-most': 'dürfen höchstens {count} Zusammenfassungen auf einmal neu erstellen',
  'kind-or-template': 'dürfen die Art oder die Vorlage ändern, nicht beides zugleich',
  'rule-title-too-late':
    'kann keine Regel festlegen, die nach dem Titel fragt: Der Titel ist erst nach der Zusammenfassung bekannt',
  'rule-too-late':
    'kann keine Regel festlegen, die nach Titel, Sprechern oder Gesagtem fragt: Das ist erst danach bekannt',
  'rule-times': 'muss zusammen mit der anderen Uhrzeit angegeben werden',
  'not-a-clock-time': 'muss eine Uhrzeit sein, zum Beispiel 18:30',
  'too-many-tags': 'dürfen höchstens {limit} je Aufnahme sein',
  'not-your-tag': 'ist keines Ihrer Schlagwörter',
  'only-by-owner': 'kann nur ändern, wem die Notiz gehört',
  'link-too-long': 'muss innerhalb von {days} Tagen liegen',
  'link-over-already': 'muss in der Zukunft liegen',
  'is-the-owner': 'ist die Person, die teilt',
  'not-a-user': 'ist kein Benutzer',
  'not-a-label': 'ist kein Sprecher dieser Aufnahme ({labels})',
  'not-a-word': 'ist kein Wort, an dem sich dieser Beitrag teilen lässt',
  'no-speakers': 'Dieser Beitrag hat keinen Sprecher, da die Aufnahme keine Besprechung ist',
  'file-name': 'muss einen Dateinamen haben',
  'one-file': 'muss genau eine Datei im Feld `file` sein',
} satisfies Words<typeof fieldFaults>;
