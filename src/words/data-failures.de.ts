import type { dataFailures } from './data-failures.ts';
import type { Words } from './sentences.ts';

/** Why stored data can’t be used, in German. */
export const dataFailuresInGerman: Words<typeof dataFailures> = {
  'data-in-use': {
    detail: 'Ein anderes Mitschrift verwendet dieses Datenverzeichnis ({folder}).',
    todo: 'Beenden Sie es zuerst.',
  },
  'log-newer': {
    detail:
      'Das Ereignislog stammt von einer neueren Version von Mitschrift (Format {format}; diese Version kennt {known}). Es wurde nichts geändert.',
    todo: 'Starten Sie die neuere Version.',
  },
  'events-newer': {
    detail:
      'Das Ereignislog stammt von einer neueren Version von Mitschrift: Es enthält das Ereignis {type}[ in Version {version}]. Es wurde nichts geändert.',
    todo: 'Starten Sie die neuere Version.',
  },
  'log-damaged-at': {
    detail:
      'Das Ereignislog ist[ an Position {position}][ in {stream}][ bei Version {version}] beschädigt: {finding}. Es wird nichts Neues gespeichert.',
    todo: '`mitschrift verify` listet alle Schäden auf; stellen Sie eine Sicherung wieder her.',
  },
  'key-damaged-at': {
    detail: 'Etwas von {subject} ist nicht lesbar: {finding}.',
    todo: 'Legen Sie den Schlüssel aus einer Sicherung zurück, oder löschen Sie {subject}.',
  },
  'key-lost': 'Der Schlüssel von {subject} fehlt[ ({path})], obwohl er nicht gelöscht wurde.',
  'key-damaged': 'Der Schlüssel von {subject} ist beschädigt[ ({path})].',
  'key-destroyed': '{subject} wurde gelöscht; davon ist nichts mehr gespeichert.',
  'key-unavailable': 'Der Schlüssel von {subject} ist derzeit nicht verfügbar.',
  'erasures-unreadable': {
    detail: 'Zeile {line} der Liste der Löschungen ist nicht lesbar[ ({path})].',
    todo: 'Legen Sie die Datei aus einer Sicherung zurück.',
  },
  'log-incomplete': {
    detail:
      '{folder} enthält Teile eines Ereignislogs, aber die Datei CURRENT fehlt oder ist unbrauchbar. Es wurde nichts geändert.',
    todo: 'Stellen Sie das Datenverzeichnis aus einer Sicherung wieder her.',
  },
  'data-not-built': {
    detail:
      '{folder} ist vorhanden: Eine Wiederherstellung oder Reparatur läuft oder wurde unterbrochen.',
    todo: 'Warten Sie darauf, oder führen Sie `mitschrift restore` oder `mitschrift repair` erneut aus. Um ohne Sicherung zu beginnen, löschen Sie diesen Ordner.',
  },
  'log-gone': {
    detail:
      '{file} gehört zu einem Ereignislog, aber {folder} hat keine brauchbare Datei CURRENT. Es wurde nichts geändert.',
    todo: 'Stellen Sie das Datenverzeichnis aus einer Sicherung wieder her.',
  },
  'log-marker-unreadable': {
    detail: '{file} ist nicht lesbar. Es wurde nichts geändert.',
    todo: 'Stellen Sie das Datenverzeichnis aus einer Sicherung wieder her.',
  },
  'log-mismatch': {
    detail:
      '{file} gehört zu einem anderen Ereignislog ({marked}) als die Datenbank daneben[ ({found})]. Es wurde nichts geändert.',
    todo: 'Stellen Sie beide aus derselben Sicherung wieder her.',
  },
  'log-unopenable': {
    detail: 'Die Datenbank in {folder} lässt sich nicht öffnen: {cause}. Es wurde nichts geändert.',
    todo: 'Stellen Sie sie aus einer Sicherung wieder her.',
  },
  'log-unopenable-now': 'Die Datenbank in {folder} lässt sich derzeit nicht öffnen: {cause}.',
  'log-bookkeeping-lost': 'Die Datenbank hat die Liste ihrer eigenen Dateien verloren.',
  'tables-end-process': {
    detail:
      'Das Ereignislog in {folder} wurde nicht geöffnet, da beschädigte Tabellen den Prozess beenden würden: {findings}. Es wurde nichts geändert.',
    todo: 'Stellen Sie die letzte Sicherung in einem neuen Datenverzeichnis wieder her (`mitschrift restore`), oder retten Sie, was lesbar ist (`mitschrift repair --out`).',
  },
  'table-finding': '{file}: {finding}',
  'more-findings': 'und {more} weitere',
  'log-reopening':
    'Mitschrift öffnet das Ereignislog nach einem fehlgeschlagenen Schreibvorgang erneut. Bis dahin wird nichts Neues angenommen.',
  'log-disk-full':
    'Die Festplatte ist voll ({free} frei). Gespeicherte Aufnahmen und Notizen lassen sich lesen und löschen, aber bis Platz frei ist, wird nichts Neues angenommen.',
  'log-lost': {
    detail: {
      one: 'Die Datenbank ist ohne ihr letztes Ereignis zurückgekehrt: Ein Standby mit Rückstand hat übernommen, oder ein früherer Stand wurde wiederhergestellt. Dieses Ereignis ist verloren; dieser Knoten arbeitet mit dem weiter, was da ist.',
      other:
        'Die Datenbank ist ohne ihre letzten {count} Ereignisse zurückgekehrt: Ein Standby mit Rückstand hat übernommen, oder ein früherer Stand wurde wiederhergestellt. Diese Ereignisse sind verloren; dieser Knoten arbeitet mit dem weiter, was da ist.',
    },
  },
  'log-lost-some':
    'Die Datenbank ist ohne die letzten Ereignisse zurückgekehrt, die dieser Knoten kannte: Ein Standby mit Rückstand hat übernommen, oder ein früherer Stand wurde wiederhergestellt. Diese Ereignisse sind verloren; dieser Knoten arbeitet mit dem weiter, was da ist.',
  'log-replaced':
    'Die Datenbank enthält ein anderes Ereignislog als beim Öffnen durch diesen Knoten, weil sie wiederhergestellt oder ersetzt wurde. Dieser Knoten startet mit diesem Ereignislog neu.',
  'secrets-damaged': {
    detail: '{path} ist beschädigt.',
    todo: 'Legen Sie die Datei aus einer Sicherung zurück, oder löschen Sie sie und geben Sie die API-Schlüssel neu ein.',
  },
  'file-differs': 'Eine Datei passt nicht zu ihrer Prüfsumme und wurde nicht gespeichert.',
  'file-changing': 'Eine Datei hat sich geändert, während sie gespeichert wurde.',
  'file-in-use': {
    detail: 'Ein anderer Knoten verwendet dieselbe Datei.',
    todo: 'Versuchen Sie es erneut.',
  },
  'audio-changed': 'Das Audio hat sich seit der Aufnahme geändert.',
  'upload-part-missing': 'Ein Teil eines Uploads fehlt.',
  'upload-part-changed': 'Die Länge eines Teils eines Uploads hat sich geändert.',
  'database-full':
    'Die Festplatte der Datenbank {database} ist voll; es wird nichts Neues gespeichert.',
  'database-damaged': 'Tabellen der Datenbank {database} sind beschädigt ({cause}).',
  'database-other-log':
    'Die Datenbank {database} enthält jetzt ein anderes Ereignislog. Mitschrift öffnet es neu.',
  'database-away': 'Die Datenbank {database} ist derzeit nicht erreichbar[ ({cause})].',
  'database-no-connections': {
    detail: 'Die Datenbank {database} hat keine freie Verbindung.',
    todo: 'Erhöhen Sie max_connections in PostgreSQL, oder betreiben Sie weniger Knoten.',
  },
  'database-no-rights': {
    detail:
      'In der Datenbank {database} hat der Benutzer dieses Knotens nicht mehr die nötigen Rechte.',
    todo: 'Machen Sie diesen Benutzer zum Eigentümer der Datenbank.',
  },
};
