import type { Words } from './sentences.ts';
import type { checksOfData } from './checks-of-data.ts';

export const checksOfDataInGerman = {
  'log-sound': 'Es wurden keine Schäden gefunden.',
  'log-not-opened': {
    detail: 'Das Ereignislog lässt sich nicht öffnen: {cause}',
    todo: 'Beheben Sie die Ursache. `mitschrift verify` listet alles Beschädigte auf.',
  },
  'log-damaged': {
    detail: {
      one: '{count} Stelle fehlt oder ist beschädigt: {places}.',
      other: '{count} Stellen fehlen oder sind beschädigt: {places}.',
    },
  },
  'damaged-place': {
    detail: '{kind}[, Position {position}][, {stream}][, Version {version}][, {path}]: {finding}',
    choices: {
      kind: {
        record: 'Ereignis',
        index: 'Index',
        table: 'Tabelle der Datenbank',
        left: 'gelöschte Datei',
        fact: 'Form eines Ereignisses',
        state: 'Zustand einer Aufnahme',
        user: 'Benutzer',
        recording: 'Aufnahme',
        audio: 'Audio',
        document: 'Dokument',
        key: 'Schlüssel',
      },
    },
  },
  'more-places': '{more} weitere',
  'keys-sound': 'Alle Schlüssel sind lesbar.',
  'keys-not-compared': {
    detail:
      'Die Schlüssel konnten nicht geprüft werden, da sich das Ereignislog nicht öffnen lässt.',
    todo: 'Beheben Sie zuerst den Fehler im Ereignislog.',
  },
  'keys-damaged': {
    detail: {
      one: '{count} Schlüssel fehlt oder ist beschädigt: {paths}.',
      other: '{count} Schlüssel fehlen oder sind beschädigt: {paths}.',
    },
  },
  'restore-or-salvage':
    'Das Ereignislog ist beschädigt; deshalb kann nichts Neues gespeichert werden. Beenden Sie Mitschrift und stellen Sie die letzte Sicherung in einem neuen Datenverzeichnis wieder her (`mitschrift restore`), oder retten Sie, was lesbar ist (`mitschrift repair --out`).',
  'table-damaged':
    'Eine Tabelle der Datenbank ist beschädigt. Mitschrift kann beim Lesen dieser Tabelle abbrechen. Beenden Sie es und stellen Sie die letzte Sicherung in einem neuen Datenverzeichnis wieder her (`mitschrift restore`), oder retten Sie, was lesbar ist (`mitschrift repair --out`).',
  'keys-from-backup':
    'Legen Sie diese Schlüssel aus einer Sicherung zurück, oder löschen Sie deren Aufnahmen und Benutzer.',
  'audio-from-backup': 'Legen Sie diese Audiodateien aus einer Sicherung zurück.',
  'events-unexpected':
    'Einige Ereignisse sind nicht so, wie diese Version sie aufgezeichnet hätte. Bitte melden Sie das mit der Ausgabe dieses Befehls.',
  'vault-not-set':
    'Es ist kein Notizordner festgelegt: Dokumente werden an ihrem Speicherort geöffnet.',
  'vault-writable': 'Mitschrift kann in {folder} schreiben.',
  'vault-missing': {
    detail: '{folder} existiert nicht (`notes.vault`).',
    todo: 'Legen Sie den Ordner an, oder wählen Sie den Ordner Ihrer Notizen-App (`notes.vault`).',
  },
  'vault-not-a-folder': {
    detail: '{folder} ist kein Ordner (`notes.vault`).',
    todo: 'Legen Sie den Ordner an, oder wählen Sie den Ordner Ihrer Notizen-App (`notes.vault`).',
  },
  'vault-not-writable': {
    detail: 'Mitschrift kann nicht in {folder} schreiben (`notes.vault`): {cause}.',
    todo: 'Machen Sie den Ordner für den Benutzer beschreibbar, unter dem Mitschrift läuft.',
  },
  'time-ok': 'Dokumente verwenden die Zeitzone {zone}.',
  'time-zone-unknown': {
    detail: 'TZ ist „{set}“, das ist keine Zeitzone. Stattdessen wird {zone} verwendet.',
    todo: 'Stellen Sie die Zeitzone dieses Computers ein (in einem Container die Variable TZ, etwa Europe/Berlin).',
  },
  'time-zone-not-set': {
    detail: 'Es ist keine Zeitzone eingestellt: Dokumente werden in UTC datiert.',
    todo: 'Stellen Sie die Zeitzone dieses Computers ein (in einem Container die Variable TZ, etwa Europe/Berlin).',
  },
  'clock-behind': {
    detail: 'Die Uhr geht nach: Es wurde bereits etwas um {last} aufgezeichnet.',
    todo: 'Lassen Sie die Uhr über das Netzwerk stellen.',
  },
  'vaults-ok': {
    detail: {
      one: 'Mitschrift kann in den Notizordner von {count} Person schreiben.',
      other: 'Mitschrift kann in die Notizordner von {count} Personen schreiben.',
    },
  },
  'vaults-none': 'Niemand hat einen eigenen Notizordner.',
  'vaults-wrong': {
    detail: '{faults}',
    todo: 'Korrigieren Sie den Ordner, oder wählen Sie unter Einstellungen › Personen einen anderen.',
  },
  'vault-of-user-wrong': {
    detail: '{folder} von {user} {fault}',
    choices: {
      fault: {
        missing: 'existiert nicht',
        'no-folder': 'ist kein Ordner',
        refused: 'kann nicht beschrieben werden ({cause})',
        unmounted:
          'ist nicht mehr derselbe und ist leer: Vielleicht ist sein Datenträger nicht eingehängt',
        shared: 'überschneidet sich mit dem Notizordner einer anderen Person',
        'in-data': 'überschneidet sich mit den eigenen Daten von Mitschrift',
      },
    },
  },
  'recreate-users':
    'Die Schlüssel dieser Personen wurden zerstört; sie können sich nicht anmelden. Legen Sie sie neu an (`mitschrift users add`).',
  'delete-leftovers':
    'Etwas Gelöschtes ist noch vorhanden. Löschen Sie es erneut, oder entfernen Sie diese Dateien.',
} satisfies Words<typeof checksOfData>;
