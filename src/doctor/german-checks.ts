import type { Phrases } from '../shared/german.ts';

/** What the doctor finds and advises, in German. */
export const germanChecks: Phrases = {
  // Titles
  Node: 'Node',
  ffmpeg: 'ffmpeg',
  bzip2: 'bzip2',
  HTTPS: 'HTTPS',
  Address: 'Adresse',
  Devices: 'Geräte',
  Disk: 'Platte',
  Keys: 'Schlüssel',
  Permissions: 'Rechte',
  'Native packages': 'Übersetzte Pakete',
  'Environment variables': 'Umgebungsvariablen',
  'Time zone and clock': 'Zeitzone und Uhr',
  'Audio server': 'Audioserver',
  'Microphone and speakers together': 'Mikrofon und Lautsprecher zusammen',
  'Data directory': 'Datenverzeichnis',
  'Documents and recordings': 'Dokumente und Aufnahmen',
  'Event log and tables': 'Protokoll und Tabellen',
  'Vault of notes': 'Notizenordner',
  'Notes folders of users': 'Notizordner der Benutzer',
  'Speech to text': 'Spracherkennung',
  'Language model': 'Sprachmodell',
  'Speakers of meetings': 'Sprecher in Besprechungen',

  // A check itself
  'It did not come to an end within {seconds} seconds.':
    'In {seconds} Sekunden kam das zu keinem Ende.',
  'Something there hangs or is overloaded: look again; if it stays so, restart what is asked.':
    'Dort hängt etwas oder ist überlastet: erneut prüfen; bleibt es so, neu starten, was gefragt wird.',
  'It could not be looked at: {why}': 'Das ließ sich nicht prüfen: {why}',
  'Mend what the sentence names, and look again.':
    'Beheben, was der Satz nennt, und erneut prüfen.',

  // Speakers
  'They are not told apart: a meeting is written down as of one speaker.':
    'Sie werden nicht unterschieden: Eine Besprechung wird aufgeschrieben, als spräche nur einer.',
  'They are told apart only where the speech-to-text server does that.':
    'Sie werden nur unterschieden, wo das der Spracherkennungs-Server tut.',
  'Install a model that tells speakers apart.':
    'Ein Modell installieren, das Sprecher unterscheidet.',
  'They are told apart.': 'Sie werden unterschieden.',
  'Voices of {recordings} are being measured again.':
    'Stimmen aus {recordings} werden neu gemessen.',
  'Voices of {recordings} stay as they are: no audio is kept.':
    'Stimmen aus {recordings} bleiben, wie sie sind: Der Ton ist nicht aufbewahrt.',
  'Voices of {recordings} could not be measured.':
    'Stimmen aus {recordings} ließen sich nicht messen.',
  'The log of the service says why. They are tried again after its next start.':
    'Das Protokoll des Dienstes sagt, warum. Nach seinem nächsten Start wird es wieder versucht.',
  '1 recording': '1 Aufnahme',
  '{count} recordings': '{count} Aufnahmen',

  // Node, packages, programs, variables
  'Install Node 24 (nodejs.org), then run npm install again.':
    'Node 24 installieren (nodejs.org), dann noch einmal npm install ausführen.',
  'Mitschrift {version} runs on Node {node}': 'Mitschrift {version} läuft mit Node {node}',
  '{here}; it needs {oldest} or newer.': '{here}; es braucht {oldest} oder neuer.',
  '{here}; it is tested on {tested}.': '{here}; geprüft ist es mit {tested}.',
  'Mitschrift {version} runs on Node {node}.': 'Mitschrift {version} läuft mit Node {node}.',
  'All that are compiled for this machine can be loaded.':
    'Alle, die für diesen Rechner übersetzt sind, lassen sich laden.',
  'Cannot be loaded: {list}.': 'Nicht zu laden: {list}.',
  'the data cannot be opened': 'die Daten lassen sich nicht öffnen',
  'users cannot log in': 'niemand kann sich anmelden',
  'speech is not recognised on this machine': 'Sprache wird auf diesem Rechner nicht erkannt',
  'devices of this machine cannot be recorded':
    'Geräte dieses Rechners lassen sich nicht aufnehmen',
  '{name} ({without}): {why}': '{name} ({without}): {why}',
  'its process ended': 'sein Prozess endete',
  'it is not installed': 'nicht installiert',
  'Install the compiler and Python (apt), then install the packages again for this Node.':
    'Compiler und Python installieren (apt), dann die Pakete für dieses Node neu.',
  'It is there: all audio formats are taken.': 'Vorhanden: Jedes Audioformat wird angenommen.',
  'It is not on the PATH, or does not run: only WAV files are taken.':
    'Nicht im PATH oder nicht lauffähig: Nur WAV-Dateien werden angenommen.',
  'Install ffmpeg.': 'ffmpeg installieren.',
  'It is there: speech models can be unpacked.':
    'Vorhanden: Modelle für Spracherkennung lassen sich entpacken.',
  'Install bzip2.': 'bzip2 installieren.',
  'It is not on the PATH, or does not run: most speech models cannot be unpacked.':
    'Nicht im PATH oder nicht lauffähig: Die meisten Modelle für Spracherkennung lassen sich nicht entpacken.',
  'These settings are wrong: {list}': 'Diese Einstellungen sind falsch: {list}',
  'Correct the values where the service is started: it does not start with them.':
    'Die Werte dort berichtigen, wo der Dienst gestartet wird: Mit ihnen startet er nicht.',
  'Each that begins with MITSCHRIFT_ is read.':
    'Alle, die mit MITSCHRIFT_ beginnen, werden gelesen.',
  'Correct the name where the service is started, or remove the variable.':
    'Den Namen dort berichtigen, wo der Dienst gestartet wird, oder die Variable entfernen.',
  'Nothing reads the environment variable {variable}.':
    'Die Umgebungsvariable {variable} liest niemand.',
  'Was {nearest} meant?': 'War {nearest} gemeint?',

  // Time
  'Set the time zone of this machine (of a container: the variable TZ, such as Europe/Berlin).':
    'Die Zeitzone dieses Rechners setzen (in einem Container die Variable TZ, etwa Europe/Berlin).',
  'TZ is “{set}”, which is no time zone: times are {zone}.':
    'TZ ist „{set}“, und das ist keine Zeitzone: Es gilt {zone}.',
  'The clock is behind: something was recorded at {when}.':
    'Die Uhr geht nach: Etwas wurde um {when} aufgenommen.',
  'Have the clock set by the network.': 'Die Uhr vom Netz stellen lassen.',
  'No time zone is set: documents are dated in UTC.':
    'Es ist keine Zeitzone gesetzt: Dokumente sind in UTC datiert.',
  'Documents are dated in {zone}.': 'Dokumente sind in der Zeit von {zone} datiert.',

  // Sound
  'Start the audio server of your session again.': 'Den Audioserver der Sitzung neu starten.',
  'It answers.': 'Er antwortet.',
  'It answers, and has neither a loudspeaker nor a microphone.':
    'Er antwortet und hat weder Lautsprecher noch Mikrofon.',
  'Devices have ALSA’s names, and none are joined.':
    'Geräte haben die Namen von ALSA, und keine werden verbunden.',
  'Install the program, and ALSA’s way to the audio server.':
    'Das Programm installieren und den Weg von ALSA zum Audioserver.',
  'The capture library is not installed: files and browsers alone are recorded.':
    'Die Aufnahmebibliothek ist nicht installiert: Nur Dateien und Browser werden aufgenommen.',
  'Install the compiler, then the packages again.':
    'Den Compiler installieren, dann die Pakete neu.',
  'Connect a microphone, or record with a browser.':
    'Ein Mikrofon anschließen oder mit einem Browser aufnehmen.',
  'None is there: files and browsers alone are recorded.':
    'Keines ist da: Nur Dateien und Browser werden aufgenommen.',
  'Connect it, or choose another one (audio.device).':
    'Es anschließen oder ein anderes wählen (audio.device).',
  '“{device}” is not there. There is: {devices}.': '„{device}“ ist nicht da. Da ist: {devices}.',
  '{devices}. None is the default.': '{devices}. Keines ist das Standardgerät.',
  '{devices}. “{used}” is used.': '{devices}. „{used}“ wird verwendet.',
  'Choose a microphone and a loudspeaker that are there (settings, sound).':
    'Ein Mikrofon und einen Lautsprecher wählen, die da sind (Einstellungen, Aufnahme).',
  'Microphone and speakers cannot be recorded together.':
    'Mikrofon und Lautsprecher lassen sich nicht zusammen aufnehmen.',
  '{device} is to be recorded, and nothing was chosen for it.':
    '{device} soll aufgenommen werden, und nichts wurde dafür gewählt.',
  'Nothing was chosen to be recorded together, and nothing has to be.':
    'Zum gemeinsamen Aufnehmen ist nichts gewählt, und das muss auch nicht sein.',
  '“{microphone}” and “{monitor}” are there.': '„{microphone}“ und „{monitor}“ sind da.',
  '{device} is not there.': '{device} ist nicht da.',
  '{devices} are not there.': '{devices} sind nicht da.',
  'The program pactl is missing (Debian and Ubuntu: pulseaudio-utils).':
    'Das Programm pactl fehlt (Debian und Ubuntu: pulseaudio-utils).',
  'The audio server did not answer within {seconds} seconds.':
    'Der Audioserver hat in {seconds} Sekunden nicht geantwortet.',
  'Neither PulseAudio nor PipeWire is running.': 'Weder PulseAudio noch PipeWire läuft.',
  'The audio server refused: {what}.': 'Der Audioserver hat abgelehnt: {what}.',

  // Addresses
  'Port {port} is free for the service.': 'Port {port} ist für den Dienst frei.',
  'Another program listens on {places}.': 'Auf {places} horcht ein anderes Programm.',
  'End that program, or set MITSCHRIFT_PORT to another port.':
    'Dieses Programm beenden oder mit MITSCHRIFT_PORT einen anderen Port setzen.',
  'It does not answer on {places}.': 'Er antwortet nicht unter {places}.',
  'Look into the log of the service, and restart it.':
    'In das Protokoll des Dienstes sehen und ihn neu starten.',
  'It answers on {places}: to this machine alone (MITSCHRIFT_HOST).':
    'Er antwortet unter {places}: nur diesem Rechner (MITSCHRIFT_HOST).',
  'It answers on {places}, as far as no firewall is in the way.':
    'Er antwortet unter {places}, soweit keine Firewall im Weg ist.',
  'Put a certificate and its key there (server.tls_cert, server.tls_key): they are read again by themselves.':
    'Ein Zertifikat und seinen Schlüssel dorthin legen (server.tls_cert, server.tls_key): Sie werden von selbst neu gelesen.',
  'The one before it is still used.': 'Das vorige gilt noch.',
  '{one} is set and {other} is not.': '{one} ist gesetzt und {other} nicht.',
  '{cert} and {key} cannot be used as certificate and key: {why}.':
    '{cert} und {key} sind als Zertifikat und Schlüssel nicht zu gebrauchen: {why}.',
  'The certificate for {names} ended on {day}.': 'Das Zertifikat für {names} lief am {day} ab.',
  'The certificate for {names} ends on {day}.': 'Das Zertifikat für {names} läuft am {day} ab.',
  'The service speaks it itself, as {names}; the certificate is good until {day}.':
    'Der Dienst spricht es selbst, als {names}; das Zertifikat gilt bis {day}.',
  'A proxy in front speaks it (server.trusted_proxies).':
    'Ein Proxy davor spricht es (server.trusted_proxies).',
  'It is not needed on this machine itself; browsers elsewhere would need it.':
    'Auf diesem Rechner selbst ist es nicht nötig; Browser anderswo brauchten es.',
  'Browsers on other machines and phones give their microphone to https only.':
    'Browser auf anderen Rechnern und Telefonen geben ihr Mikrofon nur über https frei.',
  'Take a certificate of your own (server.tls_cert, server.tls_key), Caddy in front, or that of an overlay network.':
    'Ein eigenes Zertifikat nehmen (server.tls_cert, server.tls_key), Caddy davor oder das eines Overlay-Netzes.',

  // Data
  '{folder} cannot be written: {why}.': '{folder} ist nicht beschreibbar: {why}.',
  'Make it writable, or set MITSCHRIFT_DATA to a folder of yours.':
    'Es beschreibbar machen oder mit MITSCHRIFT_DATA einen eigenen Ordner setzen.',
  '{folder} can be written.': '{folder} ist beschreibbar.',
  '{folder} can be written, the folder of models cannot: {why}.':
    '{folder} ist beschreibbar, der Ordner der Modelle nicht: {why}.',
  'Make it writable, or set MITSCHRIFT_MODELS to a folder of yours; models in it are used as they are.':
    'Ihn beschreibbar machen oder mit MITSCHRIFT_MODELS einen eigenen setzen; Modelle darin werden verwendet, wie sie sind.',
  '{free} are free.': '{free} sind frei.',
  'Only {free} are free: below {needed} nothing new is taken.':
    'Nur {free} sind frei: Unter {needed} wird nichts Neues angenommen.',
  'Make room on the disk of {folder}.': 'Auf der Platte von {folder} Platz machen.',
  'Make room on the disk of {folder}, or lower limits.free_mb.':
    'Auf der Platte von {folder} Platz machen oder limits.free_mb senken.',
  'They take {size}; no limit is set.': 'Sie belegen {size}; eine Grenze ist nicht gesetzt.',
  'They take {size} of {limit} (limits.spaces_gb).':
    'Sie belegen {size} von {limit} (limits.spaces_gb).',
  'They take {size} of {limit} (limits.spaces_gb): nothing new is taken.':
    'Sie belegen {size} von {limit} (limits.spaces_gb): Nichts Neues wird angenommen.',
  'Delete recordings, or have an administrator raise the limit.':
    'Aufnahmen löschen, oder ein Administrator erhöht die Grenze.',
  'These belong to another user than the service’s: {list}.':
    'Diese gehören einem anderen Benutzer als dem des Dienstes: {list}.',
  'Give them to the user that the service runs as.':
    'Sie dem Benutzer geben, unter dem der Dienst läuft.',
  'Others on this machine may read: {list}.': 'Andere auf diesem Rechner dürfen lesen: {list}.',
  'Take the rights of others away.': 'Anderen die Rechte nehmen.',
  'Only the service’s own user can read the data.':
    'Nur der Benutzer des Dienstes kann die Daten lesen.',
  '{list}, and {more} more': '{list} und {more} weitere',
  '{list} and {more} more': '{list} und {more} weitere',
  'Do what the sentence says; mitschrift verify names every place.':
    'Tun, was der Satz sagt; mitschrift verify nennt jede Stelle.',
  'All that was looked at is as it was written.':
    'Alles, was geprüft wurde, ist, wie es geschrieben wurde.',
  'They could not be compared with the log, which cannot be opened.':
    'Sie ließen sich nicht mit dem Protokoll vergleichen, das nicht zu öffnen ist.',
  'Mend the log first.': 'Erst das Protokoll in Ordnung bringen.',
  'All are readable.': 'Alle sind lesbar.',
  '{count} missing or damaged: {list}.': '{count} fehlen oder sind beschädigt: {list}.',
  'The log is damaged and takes nothing new. Stop the service and restore the last backup into a new data directory (mitschrift restore), or salvage what can be read (mitschrift repair --out).':
    'Das Protokoll ist beschädigt und nimmt nichts Neues auf. Den Dienst beenden und die letzte Sicherung in einem neuen Datenverzeichnis wiederherstellen (mitschrift restore) oder retten, was lesbar ist (mitschrift repair --out).',
  'A table of the database is damaged, and the database may end the service when it comes to it. Stop the service and restore the last backup into a new data directory (mitschrift restore), or salvage what can be read (mitschrift repair --out).':
    'Eine Tabelle der Datenbank ist beschädigt, und die Datenbank kann den Dienst beenden, wenn sie an sie gerät. Den Dienst beenden und die letzte Sicherung in einem neuen Datenverzeichnis wiederherstellen (mitschrift restore) oder retten, was lesbar ist (mitschrift repair --out).',
  'Put the named keys back from a backup, or delete their recordings and users.':
    'Die genannten Schlüssel aus einer Sicherung zurücklegen oder ihre Aufnahmen und Benutzer löschen.',
  'Put the named audio files back from a backup.':
    'Die genannten Audiodateien aus einer Sicherung zurücklegen.',
  'Something that was deleted is still there: delete it again, or remove the named files.':
    'Gelöschtes ist noch da: es noch einmal löschen oder die genannten Dateien entfernen.',
  'Facts are not what this release would have recorded: report it, with the output of this command.':
    'Ereignisse sind nicht, was diese Version aufgezeichnet hätte: melden, mit der Ausgabe dieses Befehls.',
  'None is set: documents are opened where they lie.':
    'Keiner ist gesetzt: Dokumente werden geöffnet, wo sie liegen.',
  'Make the folder, or set notes.vault to the one of the notes application.':
    'Den Ordner anlegen oder notes.vault auf den der Notiz-App setzen.',
  'No user has a notes folder of their own.': 'Niemand hat einen eigenen Notizordner.',
  '{count} notes folders of users can be written.':
    '{count} Notizordner von Benutzern sind beschreibbar.',
  '{folder} of {user} is not there.': '{folder} von {user} ist nicht da.',
  '{folder} of {user} is no folder.': '{folder} von {user} ist kein Ordner.',
  '{folder} of {user} cannot be written: {why}.':
    '{folder} von {user} ist nicht beschreibbar: {why}.',
  '{folder} of {user} is the notes folder of another user as well, or lies in it or around it.':
    '{folder} von {user} ist auch der Notizordner eines anderen Benutzers, liegt darin oder umgibt ihn.',
  '{folder} of {user} is in the data of the service, or around it.':
    '{folder} von {user} liegt in den Daten des Dienstes oder umgibt sie.',
  'Mend the folder, or choose another one for this user under Settings › People.':
    'Den Ordner in Ordnung bringen oder diesem Benutzer unter Einstellungen › Personen einen anderen wählen.',
  'Mend the folder, or choose another one for this user under Settings › People. Notes folders with a fault besides this one: {count}.':
    'Den Ordner in Ordnung bringen oder diesem Benutzer unter Einstellungen › Personen einen anderen wählen. Weitere Notizordner mit Fehlern: {count}.',
  '{folder} (notes.vault) is not there.': '{folder} (notes.vault) ist nicht da.',
  '{folder} (notes.vault) is no folder.': '{folder} (notes.vault) ist kein Ordner.',
  '{folder} (notes.vault) cannot be written: {why}.':
    '{folder} (notes.vault) ist nicht beschreibbar: {why}.',
  'Make it writable for the user that the service runs as.':
    'Ihn für den Benutzer beschreibbar machen, unter dem der Dienst läuft.',

  // Engines
  '{who} hears nothing in {length} of speech.': '{who} hört nichts in {length} Sprache.',
  '{who} heard “{text}” in {time} ({length} long).':
    '{who} hörte „{text}“ in {time} ({length} lang).',
  'The server': 'Der Server',
  'Start the server, or correct the settings that begin with stt.':
    'Den Server starten oder die Einstellungen berichtigen, die mit stt beginnen.',
  'Install the package that recognises here.': 'Das Paket installieren, das hier erkennt.',
  'This machine is too small for a speech model: set stt.base_url to a speech-to-text server.':
    'Dieser Rechner ist zu klein für ein Modell für Spracherkennung: mit stt.base_url einen Server für Spracherkennung angeben.',
  'Install {title}, which is recommended here: {advice} It is put into {folder}. Or set stt.base_url to a speech-to-text server.':
    '{title} installieren, hier empfohlen: {advice} Es kommt nach {folder}. Oder mit stt.base_url einen Server für Spracherkennung angeben.',
  'What was recognised while recording is not recognised once more: {why}':
    'Was während der Aufnahme erkannt wurde, wird nicht noch einmal erkannt: {why}',
  'Choose a model that is there (stt.second_pass), or none.':
    'Ein Modell wählen, das da ist (stt.second_pass), oder keines.',
  'Install {title}.': '{title} installieren.',
  'None is set: summary and title are extracts of the talk.':
    'Keines ist gesetzt: Zusammenfassung und Titel sind Auszüge aus dem Gespräch.',
  'Set llm.base_url (MITSCHRIFT_LLM_BASE_URL) to a server.':
    'Mit llm.base_url (MITSCHRIFT_LLM_BASE_URL) einen Server angeben.',
  'Start the server, or correct the settings that begin with llm.':
    'Den Server starten oder die Einstellungen berichtigen, die mit llm beginnen.',
  '{model} answered in {time} (about {speed} tokens a second); its context has {context} tokens.':
    '{model} antwortete in {time} (etwa {speed} Token in der Sekunde); der Kontext hat {context} Token.',
  'It does not keep to JSON: summaries may come without lines.':
    'Es hält sich nicht an JSON: Zusammenfassungen kommen vielleicht ohne Zeilen.',
  'Take a larger model, or one that follows instructions (llm.model).':
    'Ein größeres Modell nehmen oder eines, das Anweisungen folgt (llm.model).',
  'That is short: long talks are summarised in parts.':
    'Das ist wenig: Lange Gespräche werden in Teilen zusammengefasst.',
  'Give the model a context of {tokens} tokens or more in the server, or say how much it has (llm.context).':
    'Dem Modell im Server einen Kontext von mindestens {tokens} Token geben oder sagen, wie viel es hat (llm.context).',
  'That is slow: documents of a long meeting take long.':
    'Das ist langsam: Dokumente einer langen Besprechung dauern.',
  'Take a smaller model (llm.model), or a faster machine for the server.':
    'Ein kleineres Modell nehmen (llm.model) oder einen schnelleren Rechner für den Server.',
};
