import type { Translation } from '../../words/i18n.ts';
import type { English } from './words.ts';

export default {
  title: 'Einrichtung',
  steps: 'Schritte',
  administrator: 'Administrator',
  speech: 'Spracherkennung',
  summaries: 'Zusammenfassungen',
  microphone: 'Mikrofon',
  first: 'Erste Aufnahme',
  doneStep: 'erledigt',
  skippedStep: 'übersprungen',
  skip: 'Überspringen',

  adminQuestion: 'Administratorkonto',
  adminLede:
    'Die erste Person ist Administrator. Alle, die später hinzukommen, haben eigene Notizen, die andere nur sehen, wenn sie geteilt werden.',
  yourName: 'Benutzername',
  nameHint: '2 bis 32 Buchstaben, Ziffern oder @ . + - _. Er kann später nicht geändert werden.',
  code: 'Einrichtungscode',
  codeHint:
    'Erforderlich, weil diese Seite von einem anderen Computer oder Konto aus geöffnet wurde. Der Code steht im Log des Mitschrift-Servers und in der Datei setup-code.',
  codeFault:
    'Dieser Einrichtungscode ist nicht gültig. Er steht im Log des Mitschrift-Servers. Einen neuen Link erhalten Sie auf dem Server mit „mitschrift setup-link“.',
  create: 'Administrator anlegen',
  created: 'Administratorkonto angelegt: {name}.',
  createdHint:
    'Dieser Schritt ist abgeschlossen. Weitere Personen können Sie später in den Einstellungen hinzufügen.',
  onlyAdministrators: 'Nur Administratoren können Mitschrift einrichten.',
  onlyAdministratorsHint: 'Alles, was Sie zum Aufnehmen brauchen, ist bereit.',
  refused: 'Das Administratorkonto konnte nicht angelegt werden.',
  notSaved: 'Das konnte nicht gespeichert werden. Ihre Eingaben sind noch da.',

  speechQuestion: 'Wo sollen Aufnahmen transkribiert werden?',
  speechLede:
    'Mit einem Modell auf diesem Server verlässt kein Audio den Server. Ein separater Server ist vielleicht schneller. Sie können das jederzeit ändern.',
  server: 'Separater Server',
  serverKinds: 'Jede OpenAI-kompatible Adresse, whisper.cpp oder WhisperX',
  installed: 'installiert',
  fits: 'empfohlen',
  moreModels: {
    one: '{count} weiteres Modell anzeigen',
    many: '{count} weitere Modelle anzeigen',
  },
  tellApart: 'Sprecher in Besprechungen unterscheiden',
  tellApartHint: '{size} MB mehr; Notizen von Besprechungen zeigen dann, wer was gesagt hat',
  onItsWay: '{title} wird heruntergeladen',
  onThisMachine: '{title}, auf diesem Server',
  goesOn:
    'Sie können fortfahren. Der Download läuft im Hintergrund weiter, auch nach einem Neustart.',
  notDownloaded: '{titles}: Download fehlgeschlagen.',
  nothingTranscribed:
    'Aufnahmen werden gespeichert und transkribiert, sobald ein Modell oder ein Server eingerichtet ist.',
  downloadHelp: 'Das können Sie tun:',
  downloadInternet: 'Prüfen Sie, ob der Server Internetzugang hat, und versuchen Sie es erneut.',
  downloadMirror:
    'Ohne Internetzugang: Kopieren Sie die Dateien an eine Adresse oder in einen Ordner, den der Server erreicht, und geben Sie diese Quelle in den Einstellungen an:',
  mirrorSetting: 'Spracherkennung, „Downloadquelle für Modelle“',
  downloadSaid: 'Fehlerdetails',
  chooseOther: 'Anderes Modell oder anderen Server wählen',
  address: 'Serveradresse',
  protocol: 'Protokoll',
  compat: 'OpenAI-kompatibel',
  native: 'whisper.cpp',
  asr: 'whisper-asr-webservice, WhisperX',
  modelOfServer: 'Modell auf dem Server',
  modelOfServerHint: 'Ohne Angabe das Modell, das der Server bereits verwendet.',
  key: 'API-Schlüssel',
  keyHint:
    'Nur nötig, wenn der Server einen verlangt. Er wird getrennt gespeichert und nie wieder angezeigt.',

  summariesQuestion: 'Womit sollen Titel und Zusammenfassungen geschrieben werden?',
  summariesLede:
    'Mit einem Sprachmodell, wenn Sie eines haben. Ohne funktioniert trotzdem alles: Die Zusammenfassung besteht dann aus den wichtigsten Sätzen, und der Titel wird dem Transkript oder dem Dateinamen entnommen.',
  llmHint:
    'OpenAI-kompatibel: Ollama, llama.cpp, LM Studio, vLLM oder ein kostenpflichtiger Dienst.',
  model: 'Modell',
  modelHint: 'Ohne Angabe das erste Modell auf dem Server. Der Test zeigt die verfügbaren Modelle.',
  isHere: 'Diese Adresse liegt auf dem Mitschrift-Server.',
  isHereHint: 'Transkripte werden zum Zusammenfassen dorthin gesendet und sonst nirgendwohin.',
  isElsewhere: 'Diese Adresse liegt auf einem anderen Computer.',
  isElsewhereHint:
    'Transkripte werden zum Zusammenfassen an {host} gesendet und sonst nirgendwohin.',

  microphoneQuestion: 'Welches Mikrofon?',
  microphoneLede:
    'Sagen Sie etwas. Die Linie sollte sich bewegen, solange Sie sprechen, und sonst flach bleiben.',
  recordFrom: 'Aufnehmen von',
  usual: 'Standardgerät',
  usualDevice: 'Standardgerät ({device})',
  noMicrophone: 'Der Mitschrift-Server hat kein funktionierendes Mikrofon.',
  noMicrophoneHint:
    'Sie können trotzdem Dateien hochladen und mit dem Mikrofon Ihres Browsers aufnehmen.',
  microphoneSkipped:
    'Wenn Sie diesen Schritt überspringen, nimmt der Server mit seinem Standardgerät auf.',
  microphoneLater: 'Sie können jederzeit unter Einstellungen › Aufnahme ein Mikrofon wählen.',
  forCalls: 'Für Anrufe und Videokonferenzen gibt es in den Einstellungen:',
  together: 'Mikrofon und Lautsprecher zusammen',

  folderQuestion: 'Wohin sollen Ihre Notizen kopiert werden?',
  folderLede:
    'Aus jeder Aufnahme entstehen drei Markdown-Dateien. Geben Sie den Ordner Ihrer Notizen-App (Vault) an: Jede Notiz wird beim Speichern dorthin kopiert, mit funktionierenden Links. Sie können den Ordner in Ihrem Konto ändern.',

  firstQuestion: 'Sagen Sie jetzt einen Satz.',
  firstLede:
    'Drücken Sie auf „Aufnehmen“, sprechen Sie, und beenden Sie die Aufnahme. Kurz darauf erscheint hier Ihre erste Notiz.',
  firstWrites: 'Ihre Notiz wird erstellt…',
  firstDone: 'Ihre erste Notiz ist fertig.',
  firstFailed: 'Die Aufnahme konnte nicht verarbeitet werden.',
  firstKept:
    'Das Audio ist gespeichert. Beheben Sie das Problem in einem früheren Schritt, und versuchen Sie es dann in Ihren Notizen erneut.',
  firstSilent: 'Es wurde keine Sprache gefunden. Vielleicht ist das Mikrofon stummgeschaltet.',
  openFirst: 'Erste Notiz öffnen',
  notDone: 'noch nicht erledigt',
  skippedLater: 'übersprungen',
  skippedForBrowser: 'übersprungen: Aufgenommen wird mit dem Mikrofon Ihres Browsers',
  skippedMicrophone:
    'übersprungen: Aufgenommen wird mit dem Standardgerät oder dem Mikrofon Ihres Browsers',
  doNow: 'Einrichten',
} satisfies Translation<English>;
