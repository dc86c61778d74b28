import type { modelFailures } from './model-failures.ts';
import type { Words } from './sentences.ts';

export const modelFailuresInGerman = {
  'no-space-for-model': {
    detail:
      'Für das Modell ist nicht genug Speicherplatz vorhanden[ ({needed} nötig, {free} frei)]. Geben Sie Speicherplatz frei, oder setzen Sie MITSCHRIFT_MODELS auf einen Ordner auf einer anderen Festplatte; installieren Sie es dann erneut.',
  },
  'download-failed': {
    detail:
      'Das Modell konnte nicht heruntergeladen werden ({causes}).[ Die bereits heruntergeladenen {kept} bleiben erhalten.] Installieren Sie das Modell erneut.',
  },
  'source-failed': { detail: '{place}: {cause}' },
  'companion-not-installed': {
    detail: 'Das Modell {companion}, das ebenfalls nötig ist, konnte nicht installiert werden.',
  },
  'already-installing': {
    detail:
      'Ein anderer Prozess ({process}) installiert dieses Modell bereits. Warten Sie darauf, oder beenden Sie ihn. ({lock})',
  },
  'mirror-missing': {
    detail: '{path} existiert nicht (Downloadquelle für Modelle, `models.mirror`)',
  },
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
  'model-file-missing': {
    detail: 'Das Modell wurde nicht installiert: Im Download fehlt die Datei {file}.',
  },
  'archive-unusable': {
    detail:
      'Das Archiv[ {archive}] lässt sich nicht entpacken: {cause}. Installieren Sie das Modell erneut.',
  },
  'bzip2-missing': {
    detail:
      'Das Modell lässt sich nicht entpacken, da bzip2 nicht installiert ist: `apt-get install bzip2`.',
  },
  'model-test-failed': {
    detail: 'Das Modell wurde nicht installiert, da der Test fehlschlug: {cause}.',
  },
  'import-missing': { detail: '{path} existiert nicht.' },
  'import-not-a-model': {
    detail:
      '{name} ist kein Modell: Es gibt darin keine model.json, und der Name steht nicht im Katalog. Wählen Sie eine heruntergeladene Datei unter ihrem ursprünglichen Namen oder den Ordner eines Modells.',
  },
  'import-several': {
    detail: '{name} enthält mehrere Modelle: {models}. Importieren Sie eines nach dem anderen.',
  },
  'model-json-wrong': { detail: 'model.json in {name} ist nicht verwendbar: {cause}' },
  'model-install-failed': {
    detail:
      'Das Modell konnte wegen eines unerwarteten Fehlers nicht installiert werden. Einzelheiten stehen im Log.',
  },
  'as-quoted': { detail: '{text}' },
  'forbidden-address': {
    detail: 'die Adresse ist eine Link-Local- oder Metadaten-Adresse',
  },
  'unsafe-redirect': { detail: 'der Server leitet zu {url} weiter, das ist nicht sicher' },
  'too-many-redirects': { detail: 'der Server leitet mehr als {most}-mal weiter' },
  'file-not-found': { detail: 'nicht gefunden (404)' },
  'http-status': { detail: 'HTTP {status}' },
  'name-unknown': { detail: 'der Servername ist unbekannt' },
  'no-dns': { detail: 'Namen lassen sich nicht auflösen' },
  refused: { detail: 'der Server lehnt die Verbindung ab' },
  unreachable: { detail: 'der Server ist nicht erreichbar' },
  'no-answer': { detail: 'der Server antwortet nicht' },
  'stopped-sending': { detail: 'der Server sendet nicht mehr' },
  'too-slow': { detail: 'der Server sendet zu langsam' },
  'connection-lost': { detail: 'die Verbindung brach ab' },
  'ended-too-soon': { detail: 'die Verbindung endete zu früh' },
  'other-part': { detail: 'der Server hat einen anderen Teil gesendet als angefordert' },
  'part-unnamed': { detail: 'der Server nennt den gesendeten Teil nicht' },
  'too-many-files': { detail: 'zu viele Dateien' },
  'files-too-large': { detail: 'Dateien zu groß für ein Modell' },
  'file-twice': { detail: '{path} kommt doppelt vor' },
  'too-much': { detail: 'mehr Daten, als ein Modell haben kann' },
  'bzip2-failed': { detail: 'bzip2 ist fehlgeschlagen' },
  'package-missing': {
    detail: 'das Paket sherpa-onnx-node fehlt: Führen Sie `npm install` erneut aus',
  },
  'test-no-words': { detail: 'das Modell fand in der Probe keine Wörter' },
  'test-no-speech': { detail: 'das Modell fand in der Probe keine Sprache' },
  'test-no-voice': { detail: 'das Modell fand in der Probe keine Stimme' },
  'test-no-turns': { detail: 'das Modell fand in der Probe keine Sprecherwechsel' },
  'test-other-words': { detail: 'das Modell veränderte die Wörter der Probe' },
  'needs-voice-model': {
    detail: 'das Modell braucht ein Stimmmodell: Installieren Sie zuerst eines',
  },
} satisfies Words<typeof modelFailures>;
