import type { modelFailures } from './model-failures.ts';
import type { Words } from './sentences.ts';

export const modelFailuresInGerman = {
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
} satisfies Words<typeof modelFailures>;
