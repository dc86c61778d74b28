import type { findings } from './findings.ts';
import type { Words } from './sentences.ts';

const documents = { index: 'Übersicht', transcript: 'Transkript', summary: 'Zusammenfassung' };

/** What a check of the stored data finds, in German. */
export const findingsInGerman: Words<typeof findings> = {
  'record-altered': 'das Ereignis wurde nach dem Schreiben verändert',
  'record-missing': 'das Ereignis fehlt',
  'records-missing': 'Ereignisse bis {up_to} fehlen',
  'record-unreadable': 'das Ereignis ist nicht lesbar',
  'records-unreadable': 'Ereignisse ab hier sind nicht lesbar',
  'record-out-of-order': 'das Ereignis folgt nicht auf das vorige',
  'tail-missing': {
    detail: {
      one: '{count} Ereignis nach Position {last} fehlt; das Ereignislog reichte bis {reached}',
      other:
        '{count} Ereignisse nach Position {last} fehlen; das Ereignislog reichte bis {reached}',
    },
  },
  'saved-event-gone': 'ein gespeichertes Ereignis fehlt oder wurde ersetzt',
  'stream-unreadable': 'die Ereignisse sind nicht bis zum Ende lesbar',
  'stream-gaps': 'bis Version {version} gibt es {events} Ereignisse',
  'log-unopenable': 'die Daten lassen sich nicht öffnen: {cause}',
  'index-unreadable': 'der Index ist nicht lesbar',
  'index-wrong': 'der Index verweist auf Position {position}, dort ist das Ereignis nicht',
  'index-other': 'der Index verweist auf ein anderes Ereignis',
  'index-lacks': 'das Ereignis fehlt im Index',
  'index-extra': 'der Index hat einen Eintrag ohne Ereignis',
  'index-count': 'der Index hat {entries} Einträge für {records} Ereignisse',
  'key-missing': 'der Schlüssel fehlt; was damit verschlüsselt ist, ist nicht lesbar',
  'key-altered': 'der Schlüssel ist beschädigt; was damit verschlüsselt ist, ist nicht lesbar',
  'key-other':
    'der Schlüssel ist nicht der verwendete; was damit verschlüsselt ist, ist nicht lesbar',
  'key-left':
    'der Schlüssel von etwas Gelöschtem ist noch da; was damit verschlüsselt ist, ist lesbar',
  'key-foreign':
    'diese Datei ist kein Schlüssel; vielleicht ist sie die Kopie eines Schlüssels, mit der Gelöschtes lesbar wäre',
  'erasures-unreadable': 'Zeile {line} der Liste der Löschungen ist nicht lesbar',
  'user-nameless':
    'der Name des Benutzers {user} ist nicht lesbar, obwohl dieser Benutzer nicht gelöscht wurde',
  'table-index-lost': 'die Tabelle hat ihren Index verloren',
  'table-altered': 'Byte {from} bis {to} wurden verändert; dort stehen {holds}',
  'holds-events': 'Ereignisse {first} bis {last}',
  'holds-events-from': 'Ereignisse ab {first}',
  'holds-events-up-to': 'Ereignisse bis {last}',
  'holds-rows': 'Ereignisse, ihr Index oder Zeilen von Listen',
  'holds-keys': 'Angaben dazu, was die Tabelle enthält',
  'audio-missing': 'das Audio fehlt',
  'audio-altered': 'das Audio wurde verändert[ ({length} statt {saved} Byte)]',
  'audio-left': 'die Aufnahme wurde gelöscht, aber ihr Audio ist noch da',
  'document-missing': {
    detail: '{document}: gelöscht oder verschoben',
    choices: { document: documents },
  },
  'document-changed': {
    detail: '{document}: von Hand geändert',
    choices: { document: documents },
  },
  'document-left': {
    detail: '{document}: gelöscht, aber noch da',
    choices: { document: documents },
  },
  'document-differs': {
    detail: '{document}: aus dem Ereignislog entsteht etwas anderes, als geschrieben wurde',
    choices: { document: documents },
  },
  'documents-nameless': 'Dokumente wurden ohne Namen gespeichert',
  'event-invalid': 'das Ereignis {type} hat bei {place} eine unerwartete Form',
  'event-refused': 'das Ereignis {type} ist im Zustand {state} nicht möglich',
  'state-before-differs':
    'der Zustand davor ist als {saved} gespeichert, die Berechnung ergibt aber {computed}',
  'state-after-differs':
    'der Zustand danach ist als {saved} gespeichert, die Berechnung ergibt aber {computed}',
  'version-differs': 'die wiederhergestellte Version {version} entstand aus anderen Ereignissen',
  'version-content-differs': 'die wiederhergestellte Version {version} hat einen anderen Inhalt',
  'not-continued':
    'die Aufnahme konnte nicht fortgesetzt werden: {cause} Mitschrift versucht es beim nächsten Start erneut',
};
