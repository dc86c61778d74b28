import { problemsInGerman } from './problems.ts';
import { type Words, tellAdministrator } from './sentences.ts';
import type { failuresOfRecording } from './failures-of-recording.ts';

export const failuresOfRecordingInGerman = {
  'server-crashed-here': {
    detail:
      'Der Server ist bei diesem Schritt {times}-mal abgestürzt und versucht es deshalb nicht weiter.',
    todo: 'Versuchen Sie es erneut. Passiert es wieder, informieren Sie einen Administrator.',
    admin: 'Beim letzten Versuch lief nichts anderes; wie er endete, steht im Log.',
  },
  'program-updated': {
    detail: 'Mitschrift wurde aktualisiert, während es lief.',
    todo: 'Der Server muss neu gestartet werden; versuchen Sie es danach erneut.',
  },
  'unexpected-error': {
    detail: 'Es ist ein unerwarteter Fehler aufgetreten.',
    todo: 'Versuchen Sie es erneut. Passiert es wieder, informieren Sie einen Administrator.',
    admin: 'Einzelheiten stehen im Log.',
  },
  'address-forbidden': {
    detail: 'Der eingestellte Server führt zu einer Adresse, an die Mitschrift nichts sendet.',
    todo: tellAdministrator.de,
    admin: 'Der Name {host} führt zu einer Link-Local- oder Metadaten-Adresse.',
  },
  'device-lost':
    '„{device}“ ist nicht mehr angeschlossen. Schließen Sie das Gerät wieder an, um die Aufnahme fortzusetzen.',
  'device-not-opened': {
    detail: '„{device}“ lässt sich nicht öffnen. Vielleicht verwendet es ein anderes Programm.',
    admin: '{cause}',
  },
  'device-failed': {
    detail:
      '„{device}“ hat mit einem Fehler aufgehört. Die Aufnahme wird fortgesetzt, sobald das Gerät wieder funktioniert.',
    admin: '{cause}',
  },
  'device-no-data':
    '„{device}“ liefert kein Audio. Prüfen Sie, ob das Gerät angeschlossen und eingeschaltet ist.',
  'device-moved':
    'Der Audioserver hat die Aufnahme auf „{device}“ umgestellt. Prüfen Sie, ob das das richtige Gerät ist.',
  'audio-server-ended':
    'Der Audioserver läuft nicht mehr. Die Aufnahme wird fortgesetzt, sobald er wieder läuft.',
  'no-signal': {
    detail:
      'Seit {since} kein Signal {source}. Prüfen Sie, ob das Gerät angeschlossen und nicht stummgeschaltet ist.',
    choices: {
      source: {
        device: 'von „{device}“',
        microphone: 'vom Mikrofon',
        speakers: 'von den Lautsprechern',
      },
    },
  },
  'long-silence': 'Seit {since} hat niemand gesprochen. Soll die Aufnahme weiterlaufen?',
  'audio-gaps': 'In der Aufnahme fehlt Audio: {missing}.',
  'combined-incomplete':
    'Mikrofon und Lautsprecher werden nicht beide aufgenommen. Prüfen Sie, ob beide angeschlossen sind.',
  'browser-disconnected':
    'Der Browser ist seit {since} offline. Die Aufnahme wird fortgesetzt, sobald er wieder online ist, und endet, wenn er offline bleibt.',
  'recorder-disconnected':
    'Der Rekorder ist seit {since} offline. Die Aufnahme wird fortgesetzt, sobald er wieder online ist, und endet nach einer Woche offline.',
  'space-nearly-full':
    'Ihr Speicherplatz ist fast voll; deshalb endet diese Aufnahme in etwa {left}. Alles bis dahin Aufgenommene ist gespeichert.',
  'recording-resumed': 'Die Aufnahme war unterbrochen und läuft wieder.',
  'disk-low':
    'Die Festplatte des Servers ist fast voll ({free} frei); deshalb wird nichts Neues angenommen. Informieren Sie einen Administrator, oder löschen Sie Aufnahmen.',
  'total-space-full':
    'Alle Personen zusammen belegen {taken} von {limit} Speicherplatz. Aufnahmen von Geräten des Servers gehen weiter; andere Aufnahmen enden, und Neues wird nicht angenommen. Löschen Sie Aufnahmen, oder bitten Sie einen Administrator, das Limit zu erhöhen.',
  'device-silent': {
    detail: 'Von „{device}“ kam kein Audio, nicht einmal Stille.',
    todo: 'Prüfen Sie das Gerät und nehmen Sie erneut auf.',
  },
  'nothing-recorded': {
    detail: 'Die Aufnahme endete, bevor Audio aufgenommen wurde.',
    todo: 'Nehmen Sie erneut auf.',
  },
  'recorder-not-started': {
    detail: 'Die Aufnahme konnte nicht gestartet werden.',
    todo: 'Versuchen Sie es erneut, oder nehmen Sie im Browser auf.',
    admin: 'Der Aufnahmeprozess {cause}.',
    choices: {
      cause: {
        'ended-at-once': 'endete sofort nach dem Start',
        late: 'startete nicht rechtzeitig',
        exit: 'endete mit Exit-Code {how}',
        signal: 'wurde durch {how} beendet',
        'not-run': 'ließ sich nicht ausführen ({how})',
      },
    },
  },
  'recorder-socket-unsafe': {
    detail:
      'Die Aufnahme konnte nicht gestartet werden, da andere auf den Ordner des Servers dafür zugreifen können.',
    todo: tellAdministrator.de,
    admin: '{path} gehört einem anderen Benutzer, oder andere können ihn betreten.',
  },
  'files-differ': {
    detail:
      'Eine gespeicherte Datei hat sich seit dem Speichern verändert und wurde deshalb nicht verwendet.',
    todo: tellAdministrator.de,
    admin: '`mitschrift verify` listet die Schäden auf.',
  },
  'already-recording': problemsInGerman['already-recording'],
  'not-recording': problemsInGerman['not-recording'],
  'recording-not-allowed':
    'Sie dürfen nicht mit den Geräten dieses Servers aufnehmen. Verwenden Sie das Mikrofon Ihres eigenen Geräts.',
  'microphone-or-speakers-missing': 'Mikrofon und Lautsprecher sind nicht beide angeschlossen.',
  'joined-recording-gone': 'Die andere Notiz wurde inzwischen gelöscht.',
  'audio-shorter-than-before':
    'Das Audio ist kürzer als zuvor; später Angekommenes konnte nicht hinzugefügt werden.',
  'documents-no-space': {
    detail: 'Die Festplatte des Servers ist voll.',
    todo: 'Löschen Sie Aufnahmen, oder informieren Sie einen Administrator; versuchen Sie es dann erneut.',
  },
  'documents-not-writable': {
    detail: 'Mitschrift darf nicht in Ihren Dokumentenordner auf dem Server schreiben.',
    todo: tellAdministrator.de,
  },
  'document-name-taken': {
    detail: 'Eine andere Datei oder ein Ordner hat den Namen, den das Dokument braucht.',
    todo: 'Benennen Sie sie um und versuchen Sie es erneut.',
  },
  'document-not-text': {
    detail:
      '{document} wurde von Hand geändert und ist kein UTF-8-Text; die Datei kann deshalb nicht verschoben werden.',
    todo: 'Speichern Sie sie als UTF-8 und versuchen Sie es erneut.',
    choices: {
      document: {
        index: 'Die Übersicht',
        transcript: 'Das Transkript',
        summary: 'Die Zusammenfassung',
      },
    },
  },
  'mitschrift-server-unreachable': {
    detail: 'Der Mitschrift-Server ist nicht erreichbar.',
    todo: 'Prüfen Sie die Adresse und das Netzwerk.',
    admin: '{server} ({cause})',
  },
  'mitschrift-server-closes': {
    detail: 'Der Mitschrift-Server schließt Verbindungen ohne Antwort.',
    todo: 'Prüfen Sie, ob er läuft.',
    admin: '{server} ({cause})',
  },
  'mitschrift-server-broke-off': {
    detail: 'Der Mitschrift-Server hat {during} abgebrochen.',
    admin: '{server}[ ({cause})]',
    choices: { during: { request: 'die Verbindung', answer: 'mitten in der Antwort' } },
  },
  'mitschrift-server-stopped-answering': {
    detail: 'Der Mitschrift-Server hat mitten in der Antwort aufgehört.',
    admin: '{server}',
  },
  'mitschrift-server-certificate': {
    detail: 'Dem Zertifikat des Mitschrift-Servers wird nicht vertraut.',
    todo: 'Ist es Ihr eigenes, nennen Sie seine Zertifizierungsstelle: NODE_EXTRA_CA_CERTS=/pfad/zur/stelle.pem mitschrift …',
    admin: '{server} ({cause})',
  },
  'mitschrift-server-no-https': {
    detail: 'Der Mitschrift-Server unterstützt kein https.',
    todo: 'Versuchen Sie http:// in der Adresse.',
    admin: '{server}',
  },
  'not-mitschrift': {
    detail: 'Was unter dieser Adresse antwortet, ist nicht Mitschrift.',
    todo: 'Prüfen Sie die Adresse.',
    admin: '{server}',
  },
} satisfies Words<typeof failuresOfRecording>;
