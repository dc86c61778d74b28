import type { Words } from './sentences.ts';
import type { detailsOfDevices } from './details-of-devices.ts';

export const detailsOfDevicesInGerman = {
  'device-not-found':
    'Das Eingabegerät „{device}“ ist nicht angeschlossen.[ Angeschlossen: {there}.]',
  'no-device-connected':
    'Der Server hat kein Eingabegerät. Schließen Sie dort ein Mikrofon an, oder nehmen Sie im Browser auf.',
  'device-in-use':
    'Von „{device}“ wird bereits aufgenommen. Wählen Sie ein anderes Gerät, oder beenden Sie die andere Aufnahme.',
  'device-trial-running':
    'Es wird bereits ein Gerät getestet. Versuchen Sie es gleich noch einmal.',
  'combined-in-use':
    'Mikrofon und Lautsprecher werden gerade zusammen aufgenommen. Ändern Sie das, wenn die Aufnahme beendet ist.',
  'combined-not-chosen':
    'Für die kombinierte Aufnahme sind kein Mikrofon und keine Lautsprecher ausgewählt. Wählen Sie sie in den Einstellungen aus.',
  'combined-with-itself':
    'muss eine andere Quelle als die Lautsprecher sein und nicht die kombinierte selbst',
  'combined-microphone-gone': 'Das Mikrofon „{device}“ ist nicht mehr angeschlossen.',
  'combined-speakers-gone': 'Die Lautsprecher „{device}“ sind nicht mehr angeschlossen.',
  'not-a-speaker': '„{device}“ gehört zu keinem Lautsprecher',
  'combined-name-taken':
    'Ein anderes Programm verwendet auf dem Audioserver den Namen der kombinierten Quelle. Beenden Sie es und versuchen Sie es erneut.',
  'combined-not-removed':
    'Der Audioserver hat die alte kombinierte Quelle nicht entfernt. Starten Sie den Audioserver neu.',
  'devices-not-listed': {
    detail:
      'Die Eingabegeräte lassen sich nicht auflisten, da das Audiosystem des Servers nicht antwortet.',
    admin: 'Meist hilft ein Neustart des Audioservers (PipeWire oder PulseAudio).',
  },
  'no-audio-server': 'Auf dem Server läuft kein Audioserver (weder PulseAudio noch PipeWire).',
  'pactl-missing': {
    detail: 'Geräte lassen sich nicht kombinieren, da auf dem Server das Programm pactl fehlt.',
    admin: 'Debian und Ubuntu: Installieren Sie `pulseaudio-utils`.',
  },
  'audio-server-silent': 'Der Audioserver hat nicht innerhalb von {limit} geantwortet.',
  'audio-server-refused': 'Der Audioserver hat den Befehl {command} abgelehnt.',
  'no-devices-on-nodes': {
    detail:
      'Dieses Mitschrift läuft auf mehreren Servern, die nicht von eigenen Geräten aufnehmen. Nehmen Sie im Browser auf.',
    admin: 'An einem Arbeitsplatz: `mitschrift record --server <Adresse>`.',
  },
  'call-elsewhere':
    'Die Frage zu einem Anruf können nur Personen am Computer des Servers beantworten, die dort aufnehmen dürfen.',
  'call-over':
    'Der Anruf ist vorbei, oder die Frage wurde schon beantwortet. Es wurde nichts geändert.',
  'recording-over': 'Diese Aufnahme läuft nicht mehr.',
  'recording-ending': 'Diese Aufnahme ist beendet oder wird gerade beendet.',
  'nothing-recorded': 'Die Aufnahme endete, bevor Audio aufgenommen wurde.',
  'recorded-from-device':
    'Diese Aufnahme kommt von einem Gerät des Servers, nicht von einem Browser.',
  'late-audio-not-wanted': 'Es gibt kein Audio mehr, zu dem dies hinzugefügt werden könnte.',
  'late-audio-elsewhere':
    'Die Aufnahme wurde inzwischen verbunden oder getrennt; dieses Audio lässt sich deshalb nicht mehr hinzufügen. Laden Sie es als eigene Aufnahme hoch.',
  'browser-recording-over': 'Diese Aufnahme nimmt kein Audio aus einem Browser mehr an.',
  'recording-erased': 'Diese Aufnahme wurde gelöscht und nimmt deshalb kein Audio mehr an.',
  'recording-paused': 'Die Aufnahme ist pausiert. Setzen Sie sie zuerst fort.',
  'recorded-on-other-node':
    'Ein anderer Server bearbeitet diese Aufnahme noch. Versuchen Sie es gleich noch einmal.',
  'recorded-on-this-node':
    'Dieser Server bearbeitet diese Aufnahme noch. Versuchen Sie es gleich noch einmal.',
  'browsers-recording': {
    detail: {
      one: 'Sie nehmen bereits in 1 Browser auf. Beenden Sie zuerst diese Aufnahme.',
      other:
        'Sie nehmen bereits in {count} Browsern auf. Beenden Sie zuerst eine dieser Aufnahmen.',
    },
  },
  'sample-rate-differs': 'Diese Aufnahme hat {rate} Abtastwerte pro Sekunde.',
  'uploader-gone':
    'Der Benutzer dieses Uploads existiert nicht mehr oder ist gesperrt. Der Upload wurde nicht gespeichert.',
  'too-many-uploads-open':
    'Zu viele Uploads sind nicht abgeschlossen. Schließen Sie zuerst einige ab, oder löschen Sie sie.',
  'too-many-uploads-yours':
    'Sie laden zu viele Dateien gleichzeitig hoch. Versuchen Sie es erneut, wenn ein Upload fertig ist.',
  'too-many-uploads':
    'Es werden zu viele Dateien gleichzeitig hochgeladen. Versuchen Sie es erneut, wenn ein Upload fertig ist.',
  'upload-elsewhere': 'Diese Datei wird bereits in einem anderen Tab oder Fenster hochgeladen.',
  'file-too-large': {
    detail: 'Die Datei ist größer als {limit}, die maximale Dateigröße.',
    admin: 'Einstellung: Maximale Dateigröße (`limits.upload_mb`).',
  },
  'upload-too-large': {
    detail:
      'Die Datei ist größer als {limit}, die maximale Dateigröße, oder die Felder daneben sind größer als {fields}.',
    admin: 'Einstellung: Maximale Dateigröße (`limits.upload_mb`).',
  },
  'more-than-announced': {
    detail:
      'Es wurde mehr gesendet als angekündigt oder mehr als {limit}, die maximale Dateigröße.',
    admin: 'Einstellung: Maximale Dateigröße (`limits.upload_mb`).',
  },
  'document-too-large': 'Das Dokument ist größer als {limit} und wurde nicht gespeichert.',
  'body-too-large': 'Der Inhalt darf hier höchstens {limit} groß sein.',
  'body-too-deep': 'Der Inhalt hat zu viele oder zu tief verschachtelte Werte.',
  'body-not-json': 'Der Inhalt ist kein gültiges JSON.',
  'form-unreadable':
    'Das Formular ist unvollständig, oder ein Header eines Teils ist ungültig. Schreiben Sie Dateinamen in Anführungszeichen, ohne Anführungs- oder Steuerzeichen darin.',
  'body-cut-off': 'Die Verbindung brach ab, bevor alles gesendet war. Versuchen Sie es erneut.',
  'body-late': 'Der Inhalt muss innerhalb von {limit} ankommen.',
  'upload-slow':
    'Die Verbindung ist zu langsam für einen Upload (weniger als {least} pro Sekunde). Prüfen Sie die Verbindung und versuchen Sie es erneut.',
  'content-type-needed': 'Senden Sie `Content-Type: {type}`.',
  'content-encoding': 'Senden Sie den Inhalt ohne `Content-Encoding`.',
  'not-an-upload': 'Die Anfrage entspricht nicht tus 1.0.',
  'host-sent-twice': 'Senden Sie `Host` nur einmal.',
  'path-encoding': 'Der Pfad ist kein gültiges UTF-8 in Prozentkodierung.',
  'disk-low': {
    detail:
      'Die Festplatte des Servers ist fast voll ({free} frei); deshalb wird nichts Neues angenommen. Informieren Sie einen Administrator, oder löschen Sie Aufnahmen.',
    admin:
      'Es müssen mindestens {least} frei sein (Minimaler freier Speicherplatz, `limits.free_mb`).',
  },
  'disk-full-free':
    'Die Festplatte des Servers ist voll ({free} frei); deshalb kann nichts Neues gespeichert werden. Vorhandenes lässt sich weiter lesen und löschen.',
  'user-space-full': {
    detail:
      'Sie belegen {taken} von Ihren {limit} Speicherplatz. Löschen Sie Aufnahmen, oder bitten Sie einen Administrator, das Limit zu erhöhen.',
    admin: 'Einstellung: Speicherplatz pro Person (`limits.user_gb`).',
  },
  'user-space-too-small': {
    detail:
      'Dafür sind {more} nötig[ (davon {later} nur während der Transkription)], Sie belegen aber bereits {taken} von Ihren {limit} Speicherplatz. Löschen Sie Aufnahmen, oder bitten Sie einen Administrator, das Limit zu erhöhen.',
    admin: 'Einstellung: Speicherplatz pro Person (`limits.user_gb`).',
  },
  'total-space-full': {
    detail:
      'Alle Personen zusammen belegen {taken} von {limit} Speicherplatz. Löschen Sie Aufnahmen, oder bitten Sie einen Administrator, das Limit zu erhöhen.',
    admin: 'Einstellung: Speicherplatz für alle (`limits.spaces_gb`).',
  },
  'total-space-too-small': {
    detail:
      'Dafür sind {more} nötig[ (davon {later} nur während der Transkription)], alle Personen zusammen belegen aber bereits {taken} von {limit} Speicherplatz. Löschen Sie Aufnahmen, oder bitten Sie einen Administrator, das Limit zu erhöhen.',
    admin: 'Einstellung: Speicherplatz für alle (`limits.spaces_gb`).',
  },
} satisfies Words<typeof detailsOfDevices>;
