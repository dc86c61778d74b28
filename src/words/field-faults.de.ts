import type { Words } from './sentences.ts';
import type { fieldFaults } from './field-faults.ts';

export const fieldFaultsInGerman = {
  'field-missing': { detail: 'fehlt' },
  'field-empty': { detail: 'darf nicht leer sein' },
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
  'field-value': { detail: 'muss {values} sein' },
  'field-least': { detail: 'muss mindestens {limit} sein' },
  'field-most': { detail: 'darf höchstens {limit} sein' },
  'field-characters-least': { detail: 'muss mindestens {count} Zeichen haben' },
  'field-characters-most': { detail: 'darf höchstens {count} Zeichen haben' },
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
  'field-union': { detail: 'hat eine Form, die hier nicht angenommen wird' },
  'field-format': { detail: 'hat eine Form, die hier nicht angenommen wird' },
  'field-unknown': { detail: 'unbekannt: {keys}[ (und {more} weitere)]' },
  'field-at': { detail: '{path}: {fault}' },
  'only-with-summary': { detail: 'ist nur mit `from: summary` möglich' },
  'field-twice': { detail: 'ist doppelt angegeben' },
  'setting-unknown': { detail: 'ist keine Einstellung' },
  'settings-unknown': {
    detail: {
      one: '{count} weitere ist keine Einstellung',
      other: '{count} weitere sind keine Einstellungen',
    },
  },
  'setting-by-environment': { detail: 'wird durch eine Umgebungsvariable des Servers festgelegt' },
  'key-again': {
    detail:
      'war für einen anderen Server gespeichert: Geben Sie ihn erneut ein, oder entfernen Sie ihn (null)',
  },
  'folder-missing': {
    detail: 'existiert nicht: Legen Sie den Ordner zuerst an, oder wählen Sie einen anderen',
  },
  'not-a-folder': { detail: 'ist kein Ordner' },
  'folder-not-writable': { detail: 'kann nicht beschrieben werden ({cause})' },
  'folder-notes-stuck': {
    detail: {
      one: 'hat keinen Platz für {count} Notiz: Eine Verknüpfung, eine andere Datei oder ein schreibgeschützter Ordner ist im Weg',
      other:
        'hat keinen Platz für {count} Notizen: Verknüpfungen, andere Dateien oder schreibgeschützte Ordner sind im Weg',
    },
  },
  'folder-of-data': {
    detail:
      'darf nicht im Datenordner von Mitschrift liegen und ihn nicht enthalten: Wählen Sie einen anderen',
  },
  'folder-of-other-user': { detail: 'ist der Notizordner eines anderen Benutzers' },
  'not-a-certificate': { detail: 'muss eine PEM-Datei mit einem Zertifikat sein' },
  'not-a-private-key': {
    detail: 'muss eine PEM-Datei mit einem privaten Schlüssel ohne Passwort sein',
  },
  'not-one-line': { detail: 'muss eine einzige Zeile sein' },
  'not-absolute-path': { detail: 'muss ein vollständiger Pfad sein, der mit / beginnt' },
  'not-http-address': { detail: 'muss eine Adresse sein, die mit http:// oder https:// beginnt' },
  'not-http-or-path': {
    detail: 'muss eine Adresse mit http:// oder https:// oder ein vollständiger Pfad sein',
  },
  'address-with-password': { detail: 'darf weder Benutzernamen noch Passwort enthalten' },
  'issuer-not-https': { detail: 'muss mit https:// beginnen, außer auf diesem Computer' },
  'scope-openid': { detail: 'muss openid enthalten' },
  'address-link-local': { detail: 'darf keine Link-Local- oder Metadaten-Adresse sein' },
  'control-characters': { detail: 'darf keine Steuerzeichen enthalten' },
  'not-a-language': { detail: 'muss eine Sprache wie de oder en-US oder auto sein' },
  'not-ascii': {
    detail: 'muss aus sichtbaren ASCII-Zeichen ohne Leerzeichen bestehen[ (höchstens {most})]',
  },
  'ascii-characters': {
    detail: 'muss aus 1 bis {most} sichtbaren ASCII-Zeichen ohne Leerzeichen bestehen',
  },
  'not-a-host': { detail: 'muss ein Hostname sein, bei Bedarf mit Port' },
  'not-a-network': { detail: 'muss eine IP-Adresse oder ein Bereich wie 10.0.0.0/8 sein' },
  'network-too-large': {
    detail: 'muss ein kleinerer Bereich sein: Dieser umfasst große Teile des Internets',
  },
  'networks-too-large': {
    detail:
      'müssen kleinere Bereiche sein: Zusammen umfassen sie mehr als vier /8 (bei IPv6-Adressen vier /16)',
  },
  'not-a-time': { detail: 'muss eine Zeit wie 2026-05-04T10:00:00+02:00 sein' },
  'time-out-of-range': { detail: 'muss zwischen 1900 und heute liegen' },
  'not-within-recording': {
    detail: 'muss innerhalb der Aufnahme liegen, die {seconds} Sekunden lang ist',
  },
  'not-after-from': { detail: 'muss nach `from` liegen' },
  'same-recording': { detail: 'muss eine andere Aufnahme sein' },
  'other-kind': {
    detail: 'muss von derselben Art sein: zwei Besprechungen oder zwei Solo-Aufnahmen',
  },
  'not-ready-to-join': { detail: 'muss eine fertige Aufnahme mit Audio sein' },
  'read-by-others': {
    detail: 'muss true sein: Andere können diese Notiz lesen und läsen auch das Verbundene',
  },
  'speakers-count': { detail: 'muss eine Zahl von 1 bis 20 sein' },
  'speakers-limits': { detail: 'darf nicht kleiner sein als `speakers_min`' },
  'not-names': { detail: 'müssen Namen mit Kommas dazwischen oder ein JSON-Array sein' },
  'passage-named-wrong': {
    detail:
      'muss einen Beitrag mit `block` oder `index` nennen; zu einer `revision` gehört ein `block`',
  },
  'passage-named-twice': { detail: 'muss jeden Beitrag nur einmal nennen' },
  'recording-named-twice': { detail: 'muss jede Aufnahme nur einmal nennen' },
  'count-differs': { detail: 'muss {count} sein, so viele wie genannt sind' },
  'tags-of-others': {
    detail: 'findet nur Ihre eigenen Notizen: Schlagwörter anderer Personen werden nicht gezeigt',
  },
  'one-place': { detail: 'muss das Einzige von cursor, before und around sein' },
  'search-empty': { detail: 'muss den Suchbegriff enthalten, etwa /search?q=budget' },
  'question-or-missed': {
    detail: 'ist nötig, sofern `about` nicht `missed` ist; geben Sie nur eines von beiden an',
  },
  'question-of-recording': { detail: 'ist bei `since` und `about` nötig' },
  'search-of-notes': { detail: 'gilt nur mit group=note' },
  'one-of-names-skip-later': {
    detail: 'muss das Einzige von Namen, `skip` und `later` sein',
  },
  'not-a-status': {
    detail: 'muss IDLE, RECORDING, TRANSCRIBING, AWAITING_SPEAKERS oder ERROR sein',
  },
  'not-a-position': { detail: 'muss eine Position des Logs sein' },
  'not-a-cursor': { detail: 'muss der next_cursor der vorigen Seite sein' },
  'not-a-ulid': { detail: 'muss eine ULID sein' },
  'peaks-rate': { detail: 'muss ein Teiler von {most} sein, etwa 10, 20 oder 50' },
  'peaks-too-many': { detail: 'ist zu hoch für eine Aufnahme dieser Länge' },
  'model-only-for-speech': { detail: 'lässt sich nur beim erneuten Transkribieren wählen' },
  'not-your-folder': { detail: 'ist keiner Ihrer Ordner' },
  'not-your-template': { detail: 'ist keine Vorlage, die Sie wählen können' },
  'too-many-lines': { detail: 'darf höchstens {count} Zeilen haben' },
  'same-section-twice': { detail: 'hat eine Überschrift doppelt' },
  'rule-without-condition': { detail: 'braucht mindestens eine Bedingung' },
  'rule-without-action': { detail: 'muss sagen, was geschehen soll' },
  'summaries-most': {
    detail: 'dürfen höchstens {count} Zusammenfassungen auf einmal neu erstellen',
  },
  'kind-or-template': { detail: 'dürfen die Art oder die Vorlage ändern, nicht beides zugleich' },
  'rule-title-too-late': {
    detail:
      'kann keine Regel festlegen, die nach dem Titel fragt: Der Titel ist erst nach der Zusammenfassung bekannt',
  },
  'rule-too-late': {
    detail:
      'kann keine Regel festlegen, die nach Titel, Sprechern oder Gesagtem fragt: Das ist erst danach bekannt',
  },
  'rule-times': { detail: 'muss zusammen mit der anderen Uhrzeit angegeben werden' },
  'not-a-clock-time': { detail: 'muss eine Uhrzeit sein, zum Beispiel 18:30' },
  'too-many-tags': { detail: 'dürfen höchstens {limit} je Aufnahme sein' },
  'not-your-tag': { detail: 'ist keines Ihrer Schlagwörter' },
  'only-by-owner': { detail: 'kann nur ändern, wem die Notiz gehört' },
  'link-too-long': { detail: 'muss innerhalb von {days} Tagen liegen' },
  'link-over-already': { detail: 'muss in der Zukunft liegen' },
  'is-the-owner': { detail: 'ist die Person, die teilt' },
  'not-a-user': { detail: 'ist kein Benutzer' },
  'not-a-label': { detail: 'ist kein Sprecher dieser Aufnahme ({labels})' },
  'not-a-word': { detail: 'ist kein Wort, an dem sich dieser Beitrag teilen lässt' },
  'no-speakers': {
    detail: 'Dieser Beitrag hat keinen Sprecher, da die Aufnahme keine Besprechung ist',
  },
  'one-file': { detail: 'muss genau eine Datei im Feld `file` sein' },
} satisfies Words<typeof fieldFaults>;
