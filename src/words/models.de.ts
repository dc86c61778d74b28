import type { Words } from './sentences.ts';
import type { models } from './models.ts';

export const modelsInGerman = {
  'about-parakeet-tdt-0-6b-v3':
    'Europäische Sprachen, mit Satzzeichen und Zeitangaben für jedes Wort. Die beste Wahl für Computer ohne Grafikkarte.',
  'about-sense-voice': 'Versteht auch Kantonesisch.',
  'about-whisper-turbo':
    'Zeitangaben nur für ganze Sätze. Das genaueste der Whisper-Modelle und das mit dem größten Bedarf an Arbeitsspeicher.',
  'about-whisper-small':
    'Zeitangaben nur für ganze Sätze. Ein Mittelweg zwischen Größe und Genauigkeit.',
  'about-whisper-base': 'Zeitangaben nur für ganze Sätze. Weniger genau, für kleine Computer.',
  'about-whisper-tiny':
    'Zeitangaben nur für ganze Sätze. Das kleinste und ungenaueste der Whisper-Modelle.',
  'about-moonshine-base-en': 'Für kleine Computer. Keine Zeitangaben für einzelne Wörter.',
  'about-moonshine-tiny-en': 'Für sehr kleine Computer. Keine Zeitangaben für einzelne Wörter.',
  'about-streaming-zipformer-en':
    'Zeigt englische Wörter eine halbe Sekunde, nachdem sie gesprochen wurden. Das endgültige Transkript macht ein anderes Modell.',
  'about-streaming-zipformer-en-20m': 'Dasselbe für kleine Computer, weniger genau.',
  'about-silero-vad': 'Erkennt, wann gesprochen wird, genauer als die eingebaute Erkennung.',
  'about-pyannote-segmentation-3':
    'Erkennt, wann der Sprecher wechselt. Braucht zusätzlich ein Stimmmodell (TitaNet small wird mitinstalliert).',
  'about-titanet-small': 'Unterscheidet Stimmen. Mit englischer Sprache trainiert.',
  'about-3dspeaker-eres2net-base': 'Unterscheidet Stimmen. Mit chinesischer Sprache trainiert.',
  'about-punctuation-en':
    'Setzt in englischem Text Satzzeichen und Großbuchstaben, wenn die Spracherkennung keine setzt und es kein Sprachmodell gibt.',
  'used-for-speech': 'Transkribiert Aufnahmen.',
  'used-for-speech-chosen':
    'Transkribiert Aufnahmen (in den Einstellungen gewählt, `stt.local_model`).',
  'used-for-interim': 'Zeigt Wörter, während sie gesprochen werden.',
  'used-for-detection': 'Erkennt, wann gesprochen wird.',
  'used-for-speakers': 'Unterscheidet die Sprecher in Besprechungen.',
  'used-for-punctuation': 'Setzt Satzzeichen, wenn es kein Sprachmodell gibt.',
  'language-one': 'Unterstützt {language}.',
  'language-and-others': {
    detail: {
      one: 'Unterstützt {language} und {count} weitere Sprache.',
      other: 'Unterstützt {language} und {count} weitere Sprachen.',
    },
  },
  'computer-fits': {
    detail: {
      one: 'Dieser Server hat {memory} Arbeitsspeicher und {count} Kern; das Modell braucht {needed} Arbeitsspeicher.',
      other:
        'Dieser Server hat {memory} Arbeitsspeicher und {count} Kerne; das Modell braucht {needed} Arbeitsspeicher.',
    },
  },
  recommendation: '[{languages} ]{fits}',
  'no-space-for-model':
    'Für das Modell ist nicht genug Speicherplatz vorhanden[ ({needed} nötig, {free} frei)]. Geben Sie Speicherplatz frei, oder setzen Sie MITSCHRIFT_MODELS auf einen Ordner auf einer anderen Festplatte; installieren Sie es dann erneut.',
  'download-failed':
    'Das Modell konnte nicht heruntergeladen werden ({causes}).[ Die bereits heruntergeladenen {kept} bleiben erhalten.] Installieren Sie das Modell erneut.',
  'source-failed': '{place}: {cause}',
  'companion-not-installed':
    'Das Modell {companion}, das ebenfalls nötig ist, konnte nicht installiert werden.',
  'already-installing':
    'Ein anderer Prozess ({process}) installiert dieses Modell bereits. Warten Sie darauf, oder beenden Sie ihn. ({lock})',
  'mirror-missing': '{path} existiert nicht (Downloadquelle für Modelle, `models.mirror`)',
  'checksum-differs': {
    detail:
      'Das Modell wurde nicht installiert: Die Datei {file} wurde unterwegs verändert oder beschädigt. Sie unterscheidet sich von {from}.',
    choices: {
      from: {
        publisher: 'der des Herausgebers',
        earlier:
          'der hier früher installierten. Hat der Herausgeber eine neue veröffentlicht, löschen Sie .checksums/{id}.json neben den Modellen',
      },
    },
  },
  'model-file-missing': 'Das Modell wurde nicht installiert: Im Download fehlt die Datei {file}.',
  'archive-unusable':
    'Das Archiv[ {archive}] lässt sich nicht entpacken: {cause}. Installieren Sie das Modell erneut.',
  'bzip2-missing':
    'Das Modell lässt sich nicht entpacken, da bzip2 nicht installiert ist: `apt-get install bzip2`.',
  'model-test-failed': 'Das Modell wurde nicht installiert, da der Test fehlschlug: {cause}.',
  'import-missing': '{path} existiert nicht.',
  'import-not-a-model':
    '{name} ist kein Modell: Es gibt darin keine model.json, und der Name steht nicht im Katalog. Wählen Sie eine heruntergeladene Datei unter ihrem ursprünglichen Namen oder den Ordner eines Modells.',
  'import-several':
    '{name} enthält mehrere Modelle: {models}. Importieren Sie eines nach dem anderen.',
  'model-json-wrong': 'model.json in {name} ist nicht verwendbar: {cause}',
  'model-install-failed':
    'Das Modell konnte wegen eines unerwarteten Fehlers nicht installiert werden. Einzelheiten stehen im Log.',
  'as-quoted': '{text}',
  'forbidden-address': 'die Adresse ist eine Link-Local- oder Metadaten-Adresse',
  'unsafe-redirect': 'der Server leitet zu {url} weiter, das ist nicht sicher',
  'too-many-redirects': 'der Server leitet mehr als {most}-mal weiter',
  'file-not-found': 'nicht gefunden (404)',
  'http-status': 'HTTP {status}',
  'name-unknown': 'der Servername ist unbekannt',
  'no-dns': 'Namen lassen sich nicht auflösen',
  refused: 'der Server lehnt die Verbindung ab',
  unreachable: 'der Server ist nicht erreichbar',
  'no-answer': 'der Server antwortet nicht',
  'stopped-sending': 'der Server sendet nicht mehr',
  'too-slow': 'der Server sendet zu langsam',
  'connection-lost': 'die Verbindung brach ab',
  'ended-too-soon': 'die Verbindung endete zu früh',
  'other-part': 'der Server hat einen anderen Teil gesendet als angefordert',
  'part-unnamed': 'der Server nennt den gesendeten Teil nicht',
  'too-many-files': 'zu viele Dateien',
  'files-too-large': 'Dateien zu groß für ein Modell',
  'file-twice': '{path} kommt doppelt vor',
  'too-much': 'mehr Daten, als ein Modell haben kann',
  'bzip2-failed': 'bzip2 ist fehlgeschlagen',
  'package-missing': 'das Paket sherpa-onnx-node fehlt: Führen Sie `npm install` erneut aus',
  'test-no-words': 'das Modell fand in der Probe keine Wörter',
  'test-no-speech': 'das Modell fand in der Probe keine Sprache',
  'test-no-voice': 'das Modell fand in der Probe keine Stimme',
  'test-no-turns': 'das Modell fand in der Probe keine Sprecherwechsel',
  'test-other-words': 'das Modell veränderte die Wörter der Probe',
  'needs-voice-model': 'das Modell braucht ein Stimmmodell: Installieren Sie zuerst eines',
} satisfies Words<typeof models>;
