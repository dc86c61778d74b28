import type { findings } from './findings.ts';
import type { Words } from './sentences.ts';

const documents = { index: 'Übersicht', transcript: 'Transkript', summary: 'Zusammenfassung' };

/** What a check of the stored data finds, in German. */
export const findingsInGerman: Words<typeof findings> = {
  'record-altered': { detail: 'das Ereignis wurde nach dem Schreiben verändert' },
  'record-missing': { detail: 'das Ereignis fehlt' },
  'records-missing': { detail: 'Ereignisse bis {up_to} fehlen' },
  'record-unreadable': { detail: 'das Ereignis ist nicht lesbar' },
  'records-unreadable': { detail: 'Ereignisse ab hier sind nicht lesbar' },
  'record-out-of-order': { detail: 'das Ereignis folgt nicht auf das vorige' },
  'tail-missing': {
    detail: {
      one: '{count} Ereignis nach Position {last} fehlt; das Ereignislog reichte bis {reached}',
      other:
        '{count} Ereignisse nach Position {last} fehlen; das Ereignislog reichte bis {reached}',
    },
  },
  'saved-event-gone': { detail: 'ein gespeichertes Ereignis fehlt oder wurde ersetzt' },
  'stream-unreadable': { detail: 'die Ereignisse sind nicht bis zum Ende lesbar' },
  'stream-gaps': { detail: 'bis Version {version} gibt es {events} Ereignisse' },
  'log-damaged': { detail: 'das Ereignislog ist beschädigt' },
  'log-unopenable': { detail: 'die Daten lassen sich nicht öffnen: {cause}' },
  'index-unreadable': { detail: 'der Index ist nicht lesbar' },
  'index-wrong': {
    detail: 'der Index verweist auf Position {position}, dort ist das Ereignis nicht',
  },
  'index-other': { detail: 'der Index verweist auf ein anderes Ereignis' },
  'index-lacks': { detail: 'das Ereignis fehlt im Index' },
  'index-extra': { detail: 'der Index hat einen Eintrag ohne Ereignis' },
  'index-count': { detail: 'der Index hat {entries} Einträge für {records} Ereignisse' },
  'key-missing': {
    detail: 'der Schlüssel fehlt; was damit verschlüsselt ist, ist nicht lesbar',
  },
  'key-altered': {
    detail: 'der Schlüssel ist beschädigt; was damit verschlüsselt ist, ist nicht lesbar',
  },
  'key-other': {
    detail: 'der Schlüssel ist nicht der verwendete; was damit verschlüsselt ist, ist nicht lesbar',
  },
  'key-left': {
    detail:
      'der Schlüssel von etwas Gelöschtem ist noch da; was damit verschlüsselt ist, ist lesbar',
  },
  'key-foreign': {
    detail:
      'diese Datei ist kein Schlüssel; vielleicht ist sie die Kopie eines Schlüssels, mit der Gelöschtes lesbar wäre',
  },
  'erasures-unreadable': { detail: 'Zeile {line} der Liste der Löschungen ist nicht lesbar' },
  'user-nameless': {
    detail:
      'der Name des Benutzers {user} ist nicht lesbar, obwohl dieser Benutzer nicht gelöscht wurde',
  },
  'table-index-lost': { detail: 'die Tabelle hat ihren Index verloren' },
  'table-altered': { detail: 'Byte {from} bis {to} wurden verändert; dort stehen {holds}' },
  'holds-events': { detail: 'Ereignisse {first} bis {last}' },
  'holds-events-from': { detail: 'Ereignisse ab {first}' },
  'holds-events-up-to': { detail: 'Ereignisse bis {last}' },
  'holds-rows': { detail: 'Ereignisse, ihr Index oder Zeilen von Listen' },
  'holds-keys': { detail: 'Angaben dazu, was die Tabelle enthält' },
  'audio-missing': { detail: 'das Audio fehlt' },
  'audio-altered': { detail: 'das Audio wurde verändert[ ({length} statt {saved} Byte)]' },
  'audio-left': { detail: 'die Aufnahme wurde gelöscht, aber ihr Audio ist noch da' },
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
  'documents-nameless': { detail: 'Dokumente wurden ohne Namen gespeichert' },
  'event-invalid': { detail: 'das Ereignis {type} hat bei {place} eine unerwartete Form' },
  'event-refused': { detail: 'das Ereignis {type} ist im Zustand {state} nicht möglich' },
  'state-before-differs': {
    detail: 'der Zustand davor ist als {saved} gespeichert, die Berechnung ergibt aber {computed}',
  },
  'state-after-differs': {
    detail: 'der Zustand danach ist als {saved} gespeichert, die Berechnung ergibt aber {computed}',
  },
  'version-differs': {
    detail: 'die wiederhergestellte Version {version} entstand aus anderen Ereignissen',
  },
  'version-content-differs': {
    detail: 'die wiederhergestellte Version {version} hat einen anderen Inhalt',
  },
  'not-continued': {
    detail:
      'die Aufnahme konnte nicht fortgesetzt werden: {cause} Mitschrift versucht es beim nächsten Start erneut',
  },
};
