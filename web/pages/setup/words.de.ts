import type { Translation } from '../../words/i18n.ts';
import type { English } from './words.ts';

export default {
  title: 'Einrichten',
  steps: 'Schritte',
  administrator: 'Verwaltung',
  speech: 'Sprache',
  summaries: 'Zusammenfassungen',
  microphone: 'Mikrofon',
  notesFolder: 'Notizordner',
  first: 'Erste Aufnahme',
  doneStep: 'erledigt',
  skippedStep: 'übersprungen',
  goOn: 'Weiter',
  skip: 'Überspringen',

  adminQuestion: 'Wer betreut diese Mitschrift?',
  adminLede:
    'Die erste Person verwaltet sie. Alle, die später dazukommen, haben eigene Notizen, die hier sonst niemand sieht.',
  yourName: 'Ihr Name',
  nameHint: '2 bis 32 Buchstaben, Ziffern oder @ . + - _. Er lässt sich später nicht ändern.',
  password: 'Passwort',
  code: 'Einrichtungscode',
  codeHint:
    'Diese Seite wird von einem anderen Rechner aus geöffnet. Darum wird nach dem Code gefragt, den der Dienst in sein Protokoll und in die Datei setup-code geschrieben hat.',
  codeFault:
    'Diesen Code kennt der Dienst nicht. Der richtige Link steht in seinem Protokoll: Er wird bei jedem Start ausgegeben.',
  create: 'Verwaltung anlegen',
  created: '{name} betreut diese Mitschrift.',
  createdHint: 'Das ist erledigt und bleibt so. Weitere Personen kommen unter Einstellungen dazu.',
  alreadySetUp: 'Diese Mitschrift ist schon eingerichtet.',
  alreadySetUpHint: 'Zum Anmelden dient ein Name, den die Verwaltung vergeben hat.',
  onlyAdministrators: 'Eingerichtet wird von der Verwaltung.',
  onlyAdministratorsHint: 'Alles, was zum Aufnehmen nötig ist, ist da.',
  logIn: 'Anmelden',
  toNotes: 'Zu meinen Notizen',
  refused: 'Die Verwaltung konnte nicht angelegt werden.',
  notSaved: 'Das konnte nicht gesichert werden. Was eingegeben wurde, ist noch da.',

  speechQuestion: 'Was macht aus Sprache Text?',
  speechLede:
    'Auf diesem Rechner: dann verlässt ihn nichts. Ein Server ist vielleicht schneller. Das lässt sich jederzeit ändern.',
  server: 'Ein Server',
  serverKinds: 'Jede Adresse wie die von OpenAI, whisper.cpp oder WhisperX',
  languages: { one: '{count} Sprache', many: '{count} Sprachen' },
  wants: 'braucht {size} GB Arbeitsspeicher',
  installed: 'installiert',
  fits: 'passt zu diesem Rechner',
  moreModels: { one: '{count} weiteres Modell zeigen', many: '{count} weitere Modelle zeigen' },
  tellApart: 'In Besprechungen unterscheiden, wer spricht',
  tellApartHint: '{size} MB mehr; damit steht in Besprechungen, wer was gesagt hat',
  onItsWay: '{title} ist unterwegs',
  onThisMachine: '{title}, auf diesem Rechner',
  goesOn: 'Es kann weitergehen; das läuft von selbst weiter, auch nach einem Neustart.',
  notDownloaded: 'Nicht heruntergeladen: {titles}.',
  nothingTranscribed:
    'Bis ein Modell oder ein Server da ist, werden Aufnahmen gespeichert und nicht transkribiert.',
  downloadHelp: 'Was angekommen ist, bleibt gespeichert. Das können Sie tun:',
  downloadInternet:
    'Prüfen Sie, ob der Rechner, auf dem Mitschrift läuft, Internetzugang hat, und versuchen Sie es erneut.',
  downloadMirror:
    'Ohne Internetzugang: Kopieren Sie die Dateien an eine Adresse oder in einen Ordner, den dieser Rechner erreicht, und geben Sie ihn an:',
  mirrorSetting: 'models.mirror',
  downloadFile:
    'Oder bringen Sie ein Modell auf einem Datenträger und führen Sie dies mit seinem Ordner oder Archiv aus:',
  downloadSaid: 'Was schiefging',
  chooseOther: 'Anderes Modell oder Server wählen',
  cancel: 'Abbrechen',
  address: 'Adresse des Servers',
  protocol: 'Protokoll',
  compat: 'Wie OpenAI',
  native: 'whisper.cpp',
  asr: 'whisper-asr-webservice, WhisperX',
  modelOfServer: 'Modell des Servers',
  modelOfServerHint: 'Leer: das, was er hat.',
  key: 'Schlüssel',
  keyHint: 'Für Server, die einen verlangen. Er wird getrennt verwahrt und nie wieder gezeigt.',

  summariesQuestion: 'Wer schreibt Titel und Zusammenfassungen?',
  summariesLede:
    'Ein Sprachmodell, falls eines da ist. Ohne geht auch alles: Die Zusammenfassung besteht dann aus den aussagekräftigsten Sätzen, und der Titel wird daraus genommen.',
  llmHint: 'Wie OpenAI: Ollama, llama.cpp, LM Studio, vLLM oder ein bezahltes.',
  model: 'Modell',
  modelHint: 'Ohne Angabe das erste. Beim Prüfen zeigt sich, was es gibt.',
  isHere: 'Diese Adresse ist auf diesem Rechner.',
  isHereHint: 'Transkripte werden zum Zusammenfassen dorthin gesendet und sonst nirgendwohin.',
  isElsewhere: 'Diese Adresse ist auf einem anderen Rechner.',
  isElsewhereHint:
    'Transkripte werden zum Zusammenfassen an {host} gesendet und sonst nirgendwohin.',

  microphoneQuestion: 'Welches Mikrofon?',
  microphoneLede:
    'Etwas sagen: Die Linie bewegt sich beim Sprechen und liegt still, wenn nichts gesagt wird.',
  recordFrom: 'Aufnehmen von',
  usual: 'Standardgerät',
  usualDevice: 'Standardgerät ({device})',
  noMicrophone: 'Der Rechner, auf dem Mitschrift läuft, hat kein Mikrofon, das geht.',
  noMicrophoneHint:
    'Das hindert nicht: Dateien lassen sich hochladen, und das Mikrofon eines Browsers lässt sich aufnehmen.',
  forCalls: 'Für Gespräche am Rechner, unter Einstellungen:',
  together: 'Mikrofon und Lautsprecher zusammen',

  folderQuestion: 'Wo liegen die Notizen?',
  folderLede:
    'Aus jeder Aufnahme werden drei Markdown-Dateien. Ist der Ordner der Notizen-Anwendung genannt, öffnet ein Druck sie dort, mit Links, die gehen.',
  folder: 'Ordner auf dem Rechner, auf dem Mitschrift läuft',
  folderHint: 'Von der Wurzel aus, etwa /home/ada/Dokumente/Vault.',
  folderFault: 'Das ist kein Pfad von der Wurzel aus, wie /home/ada/Dokumente/Vault.',
  folderNotThere:
    'Dort ist kein Ordner, in den der Dienst schreiben darf. Ihn anlegen oder einen anderen nennen. Notizen entstehen auch ohne ihn: Es geht nur um das Öffnen in der Notizen-Anwendung.',

  firstQuestion: 'Jetzt einen Satz sagen.',
  firstLede: 'Aufnehmen drücken, sprechen, beenden. Einen Moment später ist die erste Notiz da.',
  firstWrites: 'Das Gesagte wird mitgeschrieben…',
  firstDone: 'Die erste Notiz ist da.',
  firstFailed: 'Die Aufnahme konnte nicht mitgeschrieben werden.',
  firstKept:
    'Der Ton ist da. Das lässt sich in einem früheren Schritt beheben und dann aus den Notizen erneut versuchen.',
  firstSilent: 'Zu hören war nichts. Vielleicht ist das Mikrofon stumm.',
  openFirst: 'Erste Notiz öffnen',
  notDone: 'noch nicht erledigt;',
  skippedLater: 'übersprungen; später unter Einstellungen oder',
  doNow: 'jetzt',
} satisfies Translation<English>;
