import type { Words } from './sentences.ts';
import type { EarlyEnd, noteWords } from './notes.ts';

const ends = {
  'device-unavailable': 'das Mikrofon war nicht mehr verbunden',
  'limit-hours': 'die Höchstdauer war erreicht',
  'space-limit': 'das Speicherlimit war erreicht',
  'disk-low': 'die Festplatte war fast voll',
  'disk-failed': 'die Festplatte war nicht beschreibbar',
  'browser-gone': 'der Browser war nicht mehr verbunden',
  orphaned: 'der Server wurde beendet',
  terminated: 'die Aufnahme wurde von außerhalb beendet',
  'service-and-capture-died': 'Server und Aufnahme wurden unerwartet beendet',
  'capture-died': 'die Aufnahme brach mehrmals unerwartet ab',
  'capture-not-started': 'die Aufnahme konnte nicht wieder gestartet werden',
} as const satisfies Record<EarlyEnd, string>;

export const notesInGerman = {
  'capture-interrupted': {
    detail:
      'Die Aufnahme wurde unterbrochen[ ({reason})]; alles bis dahin Aufgenommene ist enthalten.',
    choices: { reason: ends },
  },
  'audio-added':
    'Ein Teil der Aufnahme ({length}) kam erst nach ihrem Ende vom Browser an; er ist am Schluss enthalten.',
  gaps: 'In der Aufnahme fehlen Teile ({missing}).',
  truncated: 'Die Audiodatei bricht vorzeitig ab.',
  damaged: 'Ein Teil der Audiodatei konnte nicht gelesen werden.',
  silent: 'Ein großer Teil der Aufnahme ist still.',
  clipped: 'Die Aufnahme ist stellenweise übersteuert.',
  'one-channel':
    'Die beiden Kanäle der Aufnahme löschen sich gegenseitig aus; nur der lautere wurde verwendet.',
  'other-tracks': 'Die Datei hat {of} Tonspuren; nur Spur {used} wurde verwendet.',
  'no-speech': 'In der Aufnahme wurde keine Sprache gefunden.',
  'heard-otherwise': {
    detail: {
      one: '{count} von {of} Stellen klang wie {heard}; sie wurde als {language} transkribiert.',
      other:
        '{count} von {of} Stellen klangen wie {heard}; sie wurden als {language} transkribiert.',
    },
  },
  'diarization-skipped': 'Die Sprecher konnten nicht unterschieden werden. {cause}',
  'speakers-apart':
    'Die Sprecher wurden in {sections} Abschnitten unterschieden, die sich nicht vergleichen ließen: Eine Person kann als mehrere Sprecher erscheinen.',
  'identification-skipped': 'Die Namen der Sprecher wurden nicht ermittelt. {cause}',
  'speakers-skipped': 'Die Sprecher wurden nicht benannt.',
  'not-punctuated':
    'Die Satzzeichen stammen von der Spracherkennung; kein Sprachmodell hat sie überarbeitet. {cause} {problem}',
  'punctuation-missing':
    'Der Text hat keine Satzzeichen: Die Spracherkennung hat keine gesetzt, und es ist kein Sprachmodell eingerichtet. {problem}',
  'punctuation-not-added':
    'Der Text hat keine Satzzeichen: Die Spracherkennung hat keine gesetzt, und das Sprachmodell konnte nicht verwendet werden. {cause} {problem}',
  'punctuated-locally':
    'Ein kleines Modell auf dem Mitschrift-Server hat die Satzzeichen gesetzt; kein Sprachmodell hat sie überarbeitet.',
  'summary-extracted': 'Die Zusammenfassung besteht aus Sätzen des Transkripts. {cause}',
  'template-not-used':
    'Die Abschnitte der Vorlage gelten nicht, weil die Zusammenfassung ohne Sprachmodell entstanden ist.',
  'title-extracted': 'Der Titel ist dem Transkript entnommen. {cause}',
  'abstract-extracted': 'Die Kurzfassung besteht aus Sätzen des Transkripts. {cause}',
  'abstract-left-out':
    'Eine Kurzfassung würde nur die Zusammenfassung wiederholen; sie wurde deshalb weggelassen. {cause}',
  'names-replaced':
    'Namen wurden nachträglich geändert. In Zusammenfassung und Kurzfassung sind sie ersetzt, wo klar ist, wer gemeint ist; neu geschrieben wurden diese Texte nicht.',
  'too-short':
    'Der Text ist so kurz, dass eine Zusammenfassung ihn nur wiederholen würde; sie wurde deshalb weggelassen. {cause}',
  'title-kept':
    'Der bisherige Titel wurde beibehalten, weil das Sprachmodell keinen neuen vorgeschlagen hat. {cause}',
  'parts-unnoted':
    'In der Zusammenfassung fehlt möglicherweise ein Teil des Gesprächs ({times}), weil das Sprachmodell dort nichts notiert hat.',
  'parts-unpunctuated':
    'In einem Teil des Textes wurden die Satzzeichen nicht überarbeitet, weil das Sprachmodell dort zu viele Wörter geändert hat.',
  'punctuation-unanswered':
    'In einem Teil des Textes wurden die Satzzeichen nicht überarbeitet, weil das Sprachmodell keine brauchbare Antwort gegeben hat.',
  'corrections-unplaced': {
    detail: {
      one: '{count} Korrektur einer früheren Version konnte nicht in diese übernommen werden; sie ist bei der Aufnahme aufgeführt.',
      other:
        '{count} Korrekturen einer früheren Version konnten nicht in diese übernommen werden; sie sind bei der Aufnahme aufgeführt.',
    },
  },
  restored: 'Dies ist eine frühere Version, die wiederhergestellt wurde (Version {version}).',
  edited: {
    detail: 'Ein Dokument wurde von Hand geändert und deshalb nicht überschrieben ({documents}).',
    choices: {
      documents: { index: 'Übersicht', transcript: 'Transkript', summary: 'Zusammenfassung' },
    },
  },
  unreadable: 'Ein Teil der gespeicherten Daten dieser Aufnahme kann nicht gelesen werden.',
} satisfies Words<typeof noteWords>;
