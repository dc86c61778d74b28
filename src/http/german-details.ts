import type { Phrases } from '../shared/german.ts';

/** Details of problems that say more than their type, and warnings, in German. */
export const germanDetails: Phrases = {
  'There is no such version.': 'Diese Fassung gibt es nicht.',
  'There was no such recording yet.': 'Diese Aufnahme gab es da noch nicht.',
  'There is no transcript of this recording yet.': 'Diese Aufnahme hat noch kein Transkript.',
  'There is no audio of this recording, or it was not kept.':
    'Zu dieser Aufnahme gibt es keinen Ton, oder er wurde nicht behalten.',
  'There is no such document.': 'Dieses Dokument gibt es nicht.',
  'There is no user of that name.': 'Diesen Benutzer gibt es nicht.',
  'These recordings are not yours to see.': 'Diese Aufnahmen gehören anderen.',
  'The document belongs to no recording of yours.':
    'Das Dokument gehört zu keiner eigenen Aufnahme.',
  'The document is another one by now. Read it again and repeat your changes.':
    'Das Dokument ist inzwischen ein anderes. Es neu lesen und die Änderungen wiederholen.',
  'The web app is not built: run npm run build.': 'Die Web-App ist nicht gebaut: npm run build.',
  'Only an administrator hands a recording over.': 'Übergeben kann nur ein Administrator.',
  'Only an administrator sees what others do.': 'Was andere tun, sieht nur ein Administrator.',
  'Only an administrator tries devices.': 'Geräte probiert nur ein Administrator aus.',
  'The transcript is being replaced. Try again in a moment.':
    'Das Transkript wird gerade ersetzt. Gleich noch einmal versuchen.',
  'The last try failed. Try that again (POST /recordings/{id}/retry), or clear its error first (POST /recordings/{id}/clear): then it can be processed from any stage on.':
    'Der letzte Versuch ist gescheitert. Ihn wiederholen oder erst den Fehler verwerfen: Dann lässt sich ab jeder Stufe neu verarbeiten.',
  'The audio of this recording was removed when its documents were written (audio.keep: none), so it cannot be listened to again. Its words are still there: process it again from language-model.':
    'Der Ton dieser Aufnahme wurde entfernt, als die Dokumente geschrieben waren (audio.keep: none), und kann nicht noch einmal angehört werden. Der Text ist noch da: ab dem Sprachmodell neu verarbeiten.',

  'What a deleted user left can be handed over or erased, and not changed.':
    'Was ein gelöschter Benutzer hinterlassen hat, lässt sich übergeben oder löschen, aber nicht ändern.',
  'There is no such recording.': 'Diese Aufnahme gibt es nicht.',
  'No recording of yours waits.': 'Keine eigene Aufnahme wartet.',
  'The audio has {size} bytes.': 'Der Ton hat {size} Bytes.',

  'The key of the recording is missing or damaged.':
    'Der Schlüssel der Aufnahme fehlt oder ist beschädigt.',

  'Mitschrift does not accept requests under the host name {host}. Start it with MITSCHRIFT_SERVER_ALLOWED_HOSTS={host}, or have an administrator add the name in the settings (Host names, server.allowed_hosts).':
    'Unter dem Hostnamen {host} nimmt Mitschrift keine Anfragen an. Starten Sie es mit MITSCHRIFT_SERVER_ALLOWED_HOSTS={host}, oder ein Administrator fügt den Namen in den Einstellungen hinzu (Hostnamen, server.allowed_hosts).',

  'Speech recognition is not set up yet. Ask an administrator.':
    'Die Spracherkennung ist noch nicht eingerichtet. Wenden Sie sich an einen Administrator.',

  // Users
  'The user name or the password is wrong.': 'Name oder Passwort ist falsch.',
  'This user is disabled. Ask an administrator.':
    'Dieses Konto ist gesperrt. Ein Administrator kann es wieder freigeben.',
  'Too many attempts. Wait {seconds} seconds.': 'Zu viele Versuche. {seconds} Sekunden warten.',
  'The current password is wrong.': 'Das jetzige Passwort ist falsch.',
  'A user name has 2 to 32 letters, digits and signs @ . + - _.':
    'Ein Benutzername hat 2 bis 32 Buchstaben, Ziffern und Zeichen @ . + - _.',
  'A user name begins with a letter or a digit.':
    'Ein Benutzername beginnt mit einem Buchstaben oder einer Ziffer.',
  'The letters of a user name belong to one script, such as Latin or Greek.':
    'Die Buchstaben eines Benutzernamens gehören zu einer Schrift, etwa der lateinischen.',
  'The name {name} looks like that of another user. Choose another name.':
    'Der Name {name} sieht aus wie der eines anderen Benutzers. Wählen Sie einen anderen.',
  'The name {name} is reserved.': 'Der Name {name} ist vergeben.',
  'A password has {least} to {most} characters.': 'Ein Passwort hat {least} bis {most} Zeichen.',
  'This password is one of the most common ones. Choose another one.':
    'Dieses Passwort gehört zu den häufigsten. Wählen Sie ein anderes.',
  'The password must not consist of the user name or the name of this program. Choose another one.':
    'Das Passwort darf nicht aus dem Benutzernamen oder dem Namen dieses Programms bestehen. Wählen Sie ein anderes.',
  'The new password has to differ from the present one.':
    'Das neue Passwort muss sich vom bisherigen unterscheiden.',
  'is wrong': 'ist falsch',
  'is not a user': 'ist kein Benutzer',

  // Fields
  'must not be empty': 'darf nicht leer sein',
  'must be one line': 'muss eine Zeile sein',
  'must be an absolute path': 'muss ein absoluter Pfad sein',
  'must be an http:// or https:// address': 'muss eine Adresse mit http:// oder https:// sein',
  'must be an http:// or https:// address, or an absolute path':
    'muss eine Adresse mit http:// oder https:// oder ein absoluter Pfad sein',
  'must not carry a user name or password': 'darf weder Benutzername noch Passwort enthalten',
  'must not be a link-local or metadata address':
    'darf keine link-lokale oder Metadaten-Adresse sein',
  'must not hold control characters': 'darf keine Steuerzeichen enthalten',
  'must be a language that recognisers know, such as de or en-US, or auto':
    'muss eine Sprache sein, die erkannt wird, etwa de oder en-US, oder auto',
  'must be a language that recognisers know, such as `de` or `en-US`, or `auto`':
    'muss eine Sprache sein, die erkannt wird, etwa de oder en-US, oder auto',
  'must be visible ASCII characters without spaces':
    'muss aus sichtbaren ASCII-Zeichen ohne Leerzeichen bestehen',
  'must be a host name, with a port if you like': 'muss ein Hostname sein, auf Wunsch mit Port',
  'must be an IP address or a range like 10.0.0.0/8':
    'muss eine IP-Adresse oder ein Bereich wie 10.0.0.0/8 sein',
  'must be a range of your own, not much of the internet':
    'muss ein eigener Bereich sein, nicht das halbe Internet',
  'must be ranges of your own: together they cover more than four /8 (of IPv6 four /16)':
    'müssen eigene Bereiche sein: zusammen umfassen sie mehr als vier /8 (bei IPv6 vier /16)',
  'must be a time such as 2026-05-04T10:00:00+02:00':
    'muss eine Zeit wie 2026-05-04T10:00:00+02:00 sein',
  'must be between 1900 and today': 'muss zwischen 1900 und heute liegen',
  'must be a number from 1 to 20': 'muss eine Zahl von 1 bis 20 sein',
  'must be names with commas between, or a JSON array':
    'muss aus Namen mit Kommas dazwischen oder einem JSON-Array bestehen',
  'must name each utterance once': 'muss jeden Beitrag einmal nennen',
  'must say what to look for: /search?q=budget': 'muss sagen, was gesucht wird: /search?q=budget',
  'is missing': 'fehlt',
  'must be {values}': 'muss {values} sein',
  'must be {values} or {last}': 'muss {values} oder {last} sein',
  'a whole number': 'eine ganze Zahl',
  'a number': 'eine Zahl',
  'a text': 'ein Text',
  'true or false': 'true oder false',
  'a list': 'eine Liste',
  'an object': 'ein Objekt',
  'must be at least {least}': 'muss mindestens {least} sein',
  'must be at most {most}': 'darf höchstens {most} sein',
  'must have at least {least} character': 'muss mindestens {least} Zeichen haben',
  'must have at least {least} characters': 'muss mindestens {least} Zeichen haben',
  'must have at most {most} character': 'darf höchstens {most} Zeichen haben',
  'must have at most {most} characters': 'darf höchstens {most} Zeichen haben',
  'must have at least {least} entry': 'muss mindestens {least} Eintrag haben',
  'must have at least {least} entries': 'muss mindestens {least} Einträge haben',
  'must have at most {most} entry': 'darf höchstens {most} Eintrag haben',
  'must have at most {most} entries': 'darf höchstens {most} Einträge haben',
  'must have at least {least} field': 'muss mindestens {least} Feld haben',
  'must have at least {least} fields': 'muss mindestens {least} Felder haben',
  'must have at most {most} field': 'darf höchstens {most} Feld haben',
  'must have at most {most} fields': 'darf höchstens {most} Felder haben',
  'has none of the forms that are taken here': 'hat keine der Formen, die hier gelten',
  'is not of the form that is taken here': 'hat nicht die Form, die hier gilt',
  'is given twice: give it once': 'ist doppelt angegeben',
  'is not a setting': 'ist keine Einstellung',
  'Set by the environment: {keys}.': 'Von der Umgebung festgelegt: {keys}.',
  'is set by the environment of the service': 'ist von der Umgebung des Dienstes festgelegt',
  'is not there: make the folder first, or name another':
    'ist nicht da: erst den Ordner anlegen oder einen anderen nennen',
  'is no folder': 'ist kein Ordner',
  'is in the folder of the service’s own data, or around it: choose another':
    'liegt im Ordner der eigenen Daten des Dienstes oder um ihn herum: einen anderen wählen',
  'is no certificate that the service can read: name a PEM file':
    'ist kein Zertifikat, das der Dienst lesen kann: eine PEM-Datei nennen',
  'is no private key that the service can read: name a PEM file without a password':
    'ist kein privater Schlüssel, den der Dienst lesen kann: eine PEM-Datei ohne Passwort nennen',
  'is the notes folder of another user': 'ist der Notizordner eines anderen Benutzers',
  'The folder lies on the server. Choose one at that computer, or ask an administrator.':
    'Der Ordner liegt auf dem Server. Wählen Sie ihn an diesem Computer, oder fragen Sie einen Administrator.',
  'You have no notes folder on this server. Ask an administrator for one.':
    'Sie haben keinen Notizordner auf diesem Server. Ihr Administrator kann einen einrichten.',
  'Choose a notes folder of your own in your account, or set one for all (`notes.vault`) first.':
    'Wählen Sie zuerst einen eigenen Notizordner in Ihrem Konto, oder legen Sie einen für alle fest (`notes.vault`).',
  'cannot be written by the service: {why}': 'ist für den Dienst nicht beschreibbar: {why}',
  'is for a run from speech-to-text': 'gilt nur ab der Spracherkennung',
  'is too much for so long a recording': 'ist zu viel für eine so lange Aufnahme',
  'has unknown keys: {keys}': 'hat unbekannte Schlüssel: {keys}',
  'has unknown keys (see `errors`)': 'hat unbekannte Schlüssel (siehe errors)',
  '{more} more are not settings': '{more} weitere sind keine Einstellungen',

  // Sound
  'The input device “{name}” is not there. Devices now: {there}.':
    'Das Eingabegerät „{name}“ ist nicht da. Geräte jetzt: {there}.',
  'You are not allowed to record with the devices of this server. Use the microphone of your own device.':
    'Sie dürfen mit den Geräten dieses Servers nicht aufnehmen. Verwenden Sie das Mikrofon Ihres eigenen Geräts.',
  'There is no device to record from: connect a microphone.':
    'Es gibt kein Gerät zum Aufnehmen: ein Mikrofon anschließen.',
  'The input devices could not be listed: the sound system does not answer. Restarting the audio server (PipeWire or PulseAudio) helps as a rule.':
    'Die Eingabegeräte ließen sich nicht auflisten: Das Tonsystem antwortet nicht. Meist hilft es, den Audioserver neu zu starten (PipeWire oder PulseAudio).',
  'A device is being tried already.': 'Ein Gerät wird schon ausprobiert.',
  '“{device}” is being recorded already.': '„{device}“ wird schon aufgenommen.',
  '“{device}” is not there.': '„{device}“ ist nicht da.',
  '“{device}” cannot be opened: {why}': '„{device}“ lässt sich nicht öffnen: {why}',
  '“{device}” failed: {why}': '„{device}“ ist ausgefallen: {why}',
  '“{device}” has ended.': '„{device}“ ist zu Ende.',
  '“{device}” gives no data.': '„{device}“ liefert nichts.',
  '“{device}” gave no sound, not even silence.': '„{device}“ gab keinen Ton, nicht einmal Stille.',
  'The audio server moved the recording to “{other}”.':
    'Der Audioserver hat die Aufnahme auf „{other}“ umgelegt.',
  'The audio server has ended.': 'Der Audioserver ist fort.',
  'No microphone and loudspeakers have been selected to be combined.':
    'Es sind kein Mikrofon und keine Lautsprecher zum Verbinden gewählt.',
  'A source cannot be combined with itself, nor the combined source with anything.':
    'Eine Quelle lässt sich nicht mit sich selbst verbinden und die verbundene mit nichts.',
  'The {what} “{gone}” is not there any more.': '„{gone}“ ist nicht mehr da.',
  '“{monitor}” is not the monitor of a loudspeaker.': '„{monitor}“ gehört zu keinem Lautsprecher.',
  'Another sink on the audio server has the name of the combined source.':
    'Eine andere Senke des Audioservers hat den Namen der verbundenen Quelle.',
  'The audio server kept a module of the combined source.':
    'Der Audioserver hat ein Modul der verbundenen Quelle behalten.',
  'The combined source is being recorded.': 'Die verbundene Quelle wird gerade aufgenommen.',
  'The combined source is incomplete.': 'Die verbundene Quelle ist unvollständig.',
  'A recording of yours is running already.': 'Eine eigene Aufnahme läuft schon.',
  'Nothing is being recorded.': 'Es wird nichts aufgenommen.',
  'This recording is not being captured.': 'Diese Aufnahme läuft nicht.',
  'Another node of this service still has this recording. Try again in a moment.':
    'Ein anderer Knoten dieses Dienstes hat diese Aufnahme noch. Gleich noch einmal versuchen.',
  'The recording was interrupted and goes on.': 'Die Aufnahme war unterbrochen und geht weiter.',
  'The recording ended before there was any sound.': 'Die Aufnahme endete, bevor es Ton gab.',
  'The recording could not be started: {why}': 'Die Aufnahme ließ sich nicht beginnen: {why}',
  'It ended as soon as it had started.': 'Sie endete, sobald sie begonnen hatte.',
  'It did not come up in time.': 'Sie kam nicht rechtzeitig zustande.',
  'It ended with {how}.': 'Sie endete mit {how}.',
  'No signal from {who} for {seconds} s: is it connected, and not muted?':
    'Seit {seconds} s kein Signal von {who}: angeschlossen und nicht stumm?',
  'the microphone': 'Mikrofon',
  'the loudspeakers': 'Lautsprechern',
  'Nothing has been said for {minutes} minutes. Is the recording still wanted?':
    'Seit {minutes} Minuten wurde nichts gesagt. Soll die Aufnahme noch laufen?',
  '{seconds} are missing from the recording.': '{seconds} fehlen in der Aufnahme.',
  'The space for your recordings is nearly used up: this recording ends in about {minutes} min. Everything recorded until then is kept.':
    'Der Speicherplatz für Ihre Aufnahmen ist fast aufgebraucht: Diese Aufnahme endet in etwa {minutes} min. Alles bis dahin Aufgenommene bleibt erhalten.',
  'The browser is not connected since {time}. What it sent is kept; the recording goes on when it is back, and ends if it stays away.':
    'Der Browser ist seit {time} nicht verbunden. Was er gesendet hat, bleibt; die Aufnahme geht weiter, wenn er zurück ist, und endet, wenn er fortbleibt.',
  'The recorder is not connected since {time}. What it sent is kept; the recording goes on when it is back, and ends if it stays away for a week.':
    'Der Rekorder ist seit {time} nicht verbunden. Was er gesendet hat, bleibt; die Aufnahme geht weiter, wenn er zurück ist, und endet, wenn er eine Woche fortbleibt.',
  'This recording has ended, or is just ending.': 'Diese Aufnahme ist zu Ende oder endet gerade.',
  'This recording has {rate} samples a second.': 'Diese Aufnahme hat {rate} Werte in der Sekunde.',
  'The recording is paused: resume it first.': 'Die Aufnahme macht Pause: sie erst fortsetzen.',
  'No browser is recorded there any more.': 'Dort wird kein Browser mehr aufgenommen.',
  'There is no audio any more to which this could be added.':
    'Es gibt keinen Ton mehr, zu dem dies käme.',
  'A device is recorded there, and no browser.': 'Dort wird ein Gerät aufgenommen, kein Browser.',
  '{count} browsers of yours are being recorded.': '{count} eigene Browser werden aufgenommen.',

  // Uploads and room
  'The user of this upload is disabled or gone.':
    'Das Konto dieses Uploads ist gesperrt oder nicht mehr da.',
  'The user of this upload is gone.': 'Das Konto dieses Uploads gibt es nicht mehr.',
  'Too many uploads are unfinished. Finish or delete some first.':
    'Zu viele Uploads sind unvollendet. Erst einige beenden oder löschen.',
  'A file may have {file} MB here (limits.upload_mb), the other fields {fields} KB together.':
    'Eine Datei darf hier {file} MB haben (limits.upload_mb), die übrigen Felder zusammen {fields} KB.',
  'It is more than was announced, or than {most}.': 'Das ist mehr als angekündigt oder als {most}.',
  'The document is larger than {size} MB.': 'Das Dokument ist größer als {size} MB.',
  'The body is larger than the limit.': 'Was gesendet wurde, ist zu groß.',
  'The body may have {size} KB here.': 'Hier dürfen es {size} KB sein.',
  'You send too many uploads at once. Try again when one has ended.':
    'Zu viele Uploads auf einmal. Wieder versuchen, wenn einer zu Ende ist.',
  'Too many uploads at once. Try again when one has ended.':
    'Zu viele Uploads auf einmal. Wieder versuchen, wenn einer zu Ende ist.',
  'The disk of the service has {free} free, and nothing new is taken below {low} (limits.free_mb).':
    'Auf der Platte des Dienstes sind {free} frei, und unter {low} wird nichts Neues angenommen (limits.free_mb).',
  'The disk has only {free} free: nothing new is taken.':
    'Auf der Platte sind nur {free} frei: Nichts Neues wird angenommen.',
  'Make room on this disk, or delete recordings.':
    'Auf dieser Platte Platz machen oder Aufnahmen löschen.',
  'The disk of the service is full.': 'Die Platte des Dienstes ist voll.',
  'Documents, recordings and uploads of all users take {taken} of the {most} they may: what runs goes on, nothing new is taken.':
    'Dokumente, Aufnahmen und Uploads aller belegen {taken} von {most}: Was läuft, geht weiter, Neues wird nicht angenommen.',
  '{whose} take {taken} of the {limit} they may ({setting}).':
    '{whose} belegen {taken} von {limit} ({setting}).',
  '{whose} take {taken} of the {limit} they may ({setting}), and this would be {more} more.':
    '{whose} belegen {taken} von {limit} ({setting}), und hiermit kämen {more} dazu.',
  '{size} ({later} of it while it is recognised)': '{size} (davon {later}, solange erkannt wird)',
  'Your documents, recordings and uploads': 'Die eigenen Dokumente, Aufnahmen und Uploads',
  'Documents, recordings and uploads of all users': 'Dokumente, Aufnahmen und Uploads aller',
  'Delete recordings, or have an administrator raise the limit.':
    'Aufnahmen löschen, oder ein Administrator erhöht die Grenze.',

  // The machine
  'is not installed': 'ist nicht installiert',
  'Nothing on this host could open it ({reasons}).':
    'Auf diesem Rechner konnte es nichts öffnen ({reasons}).',
  'The service runs without a desktop session (neither DISPLAY nor WAYLAND_DISPLAY is set). Where there is one: `systemctl --user import-environment DISPLAY WAYLAND_DISPLAY`, then restart it.':
    'Der Dienst läuft ohne Desktop-Sitzung (weder DISPLAY noch WAYLAND_DISPLAY ist gesetzt). Wo es eine gibt: systemctl --user import-environment DISPLAY WAYLAND_DISPLAY, dann ihn neu starten.',
  'The folder of the vault (notes.vault) is not there, or not to be entered.':
    'Der Notizenordner (notes.vault) ist nicht da oder nicht zu betreten.',
  'The service may not write into the vault (notes.vault).':
    'Der Dienst darf nicht in den Notizenordner schreiben (notes.vault).',
  'Something else in the vault is where the document has to be written.':
    'Im Notizenordner liegt etwas anderes, wo das Dokument hingehört.',
  'The log is in the database {where}: back that up by pg_basebackup, then what is in {folder}, which has the audio, the documents and the keys.':
    'Das Protokoll ist in der Datenbank {where}: sie mit pg_basebackup sichern, dann, was in {folder} ist: Ton, Dokumente und Schlüssel.',
  'A backup into {path} is being made.': 'Eine Sicherung nach {path} läuft gerade.',
  '{directory} is a backup of another log ({log}). Choose another directory.':
    '{directory} ist eine Sicherung anderer Daten ({log}). Einen anderen Ordner wählen.',
  '{directory} goes on differently from this log, which was restored since. Choose another directory.':
    '{directory} enthält Neueres als diese Daten, die seitdem wiederhergestellt wurden. Einen anderen Ordner wählen.',
  '{file} is damaged or of a newer release.':
    '{file} ist beschädigt oder von einer neueren Version.',
  'The folder {directory} cannot be made or written ({why}). Choose another directory.':
    'Der Ordner {directory} lässt sich nicht anlegen oder beschreiben ({why}). Einen anderen Ordner wählen.',
  'A backup inside the data directory would be lost with it.':
    'Eine Sicherung im Datenverzeichnis ginge mit diesem verloren.',
  '{directory} holds something else ({foreign}). Choose an empty directory.':
    '{directory} enthält anderes ({foreign}). Einen leeren Ordner wählen.',
  'This service is to speak https, and its certificate cannot be used. On its machine `mitschrift doctor` says why.':
    'Dieser Dienst soll https sprechen, und sein Zertifikat ist nicht zu gebrauchen. Auf seinem Rechner sagt `mitschrift doctor`, warum.',
  'This service speaks https: open {address}': 'Dieser Dienst spricht https: {address} öffnen',
};
