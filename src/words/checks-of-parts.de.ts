import type { Words } from './sentences.ts';
import type { checksOfParts } from './checks-of-parts.ts';

const sourceWords = {
  set: 'laut Einstellungen',
  server: 'laut Server',
  table: 'bekannt für dieses Modell',
  learnt: 'gelernt aus einer zu langen Anfrage',
  assumed: 'angenommen, bis der Server eine Anfrage als zu lang ablehnt',
} as const;

export const checksOfPartsInGerman = {
  'audio-server-ok': 'Der Audioserver antwortet.',
  'audio-server-empty': 'Der Audioserver antwortet, hat aber weder Lautsprecher noch Mikrofon.',
  'audio-server-none':
    'Weder PulseAudio noch PipeWire läuft: Geräte haben ALSA-Namen und lassen sich nicht kombinieren.',
  'pactl-missing': {
    detail: 'Das Programm pactl fehlt: Geräte haben ALSA-Namen und lassen sich nicht kombinieren.',
    todo: 'Installieren Sie pactl und das PulseAudio-Plug-in für ALSA.',
  },
  'devices-ok': '{devices}. Verwendet wird „{used}“.',
  'devices-no-default': '{devices}. Keines ist das Standardgerät.',
  'devices-none': {
    detail:
      'Es ist kein Eingabegerät angeschlossen: Aufnehmen geht nur im Browser oder per Upload.',
    todo: 'Schließen Sie ein Mikrofon an, oder nehmen Sie im Browser auf.',
  },
  'device-chosen-gone': {
    detail: '„{device}“ ist nicht angeschlossen. Angeschlossen: {devices}.',
    todo: 'Schließen Sie es an, oder wählen Sie ein anderes Eingabegerät (`audio.device`).',
  },
  'capture-not-installed': {
    detail:
      'Das Paket für Aufnahmen von Geräten ist nicht installiert: Aufnehmen geht nur im Browser oder per Upload.',
    todo: 'Installieren Sie den Compiler und danach die Pakete erneut.',
  },
  'combined-ok': '„{microphone}“ und „{speakers}“ sind angeschlossen.',
  'combined-not-wanted':
    'Es sind keine Geräte zum gemeinsamen Aufnehmen ausgewählt; das ist optional.',
  'combined-not-chosen': {
    detail:
      'Als Eingabegerät ist die kombinierte Quelle eingestellt, aber Mikrofon und Lautsprecher sind nicht ausgewählt.',
    todo: 'Wählen Sie in den Einstellungen (Aufnahme) ein Mikrofon und Lautsprecher aus.',
  },
  'combined-gone': {
    detail: {
      one: '{devices} ist nicht angeschlossen.',
      other: '{devices} sind nicht angeschlossen.',
    },
    todo: 'Wählen Sie in den Einstellungen (Aufnahme) ein Mikrofon und Lautsprecher aus.',
  },
  'combined-no-server':
    '{cause} Mikrofon und Lautsprecher können nicht zusammen aufgenommen werden.',
  'speech-ok': '{model} hat eine Probe von {length} in {time} transkribiert: „{text}“.',
  'speech-none':
    'Es ist keine Spracherkennung eingerichtet: Aufnahmen werden gespeichert, aber nicht transkribiert.',
  'speech-hears-nothing': '{model} hat in einer Probe von {length} keine Wörter gefunden.',
  'speech-busy':
    'Die Spracherkennung ist ausgelastet: Innerhalb von {limit} wurde keine Probe transkribiert.',
  'second-model-missing': {
    detail:
      '{model} hat eine Probe von {length} in {time} transkribiert: „{text}“. Aufnahmen werden danach nicht neu transkribiert: {cause}',
    todo: 'Wählen Sie unter „Danach neu transkribieren“ (`stt.second_pass`) ein vorhandenes Modell oder keines.',
  },
  'language-not-set': {
    detail:
      'Es ist kein Sprachmodell eingerichtet: Die Zusammenfassung wird dem Transkript entnommen, der Titel dem Transkript oder dem Dateinamen.',
    todo: 'Geben Sie einen Sprachmodell-Server an (`llm.base_url`, MITSCHRIFT_LLM_BASE_URL).',
  },
  'language-ok': {
    detail:
      '{model} hat in {time} geantwortet (etwa {speed} Token pro Sekunde); das Kontextfenster hat {context} Token, {source}.',
    choices: { source: sourceWords },
  },
  'language-no-json': {
    detail:
      '{model} hat in {time} geantwortet (etwa {speed} Token pro Sekunde); das Kontextfenster hat {context} Token, {source}. Die Antworten halten das verlangte Format nicht ein: Zusammenfassungen enthalten vielleicht keine Listen.',
    todo: 'Wählen Sie ein größeres Modell oder eines, das Anweisungen befolgt (`llm.model`).',
    choices: { source: sourceWords },
  },
  'language-short-context': {
    detail:
      '{model} hat in {time} geantwortet (etwa {speed} Token pro Sekunde); das Kontextfenster hat {context} Token, {source}. Das ist wenig: Lange Aufnahmen werden in Teilen zusammengefasst.',
    todo: 'Geben Sie dem Modell auf seinem Server mindestens 8.192 Token, oder tragen Sie sein Kontextfenster ein (`llm.context`).',
    choices: { source: sourceWords },
  },
  'language-slow': {
    detail:
      '{model} hat in {time} geantwortet (etwa {speed} Token pro Sekunde); das Kontextfenster hat {context} Token, {source}. Das ist langsam: Die Dokumente einer langen Besprechung brauchen lange.',
    todo: 'Wählen Sie ein kleineres Modell (`llm.model`), oder betreiben Sie den Server auf einem schnelleren Computer.',
    choices: { source: sourceWords },
  },
  'passages-waiting': {
    detail: {
      one: '{count} Notiz wird noch für die Suche nach Bedeutung vorbereitet.',
      other: '{count} Notizen werden noch für die Suche nach Bedeutung vorbereitet.',
    },
  },
  'passages-failed': {
    detail: {
      one: '{count} Notiz kann nicht nach ihrer Bedeutung gefunden werden, weil der Embedding-Server nichts für sie geliefert hat.',
      other:
        '{count} Notizen können nicht nach ihrer Bedeutung gefunden werden, weil der Embedding-Server nichts für sie geliefert hat.',
    },
    todo: 'Den Grund nennt das Log. Jede wird wieder versucht, wenn sie das nächste Mal gespeichert wird, und beim Start von Mitschrift.',
  },
  'speakers-ok': 'In Besprechungen werden die Sprecher unterschieden.',
  'speakers-no-model': {
    detail:
      'Sprecher werden nicht unterschieden: Eine Besprechung wird geschrieben, als hätte eine Person gesprochen.',
    todo: 'Installieren Sie ein Modell für Sprechererkennung.',
  },
  'speakers-only-server': {
    detail: 'Sprecher werden nur unterschieden, wenn der Spracherkennungsserver das tut.',
    todo: 'Installieren Sie ein Modell für Sprechererkennung.',
  },
  'voices-measured': {
    detail: {
      one: 'Stimmen aus {count} Aufnahme werden aktualisiert.',
      other: 'Stimmen aus {count} Aufnahmen werden aktualisiert.',
    },
  },
  'voices-without-audio': {
    detail: {
      one: 'Stimmen aus {count} Aufnahme bleiben unverändert, da kein Audio aufbewahrt wurde.',
      other: 'Stimmen aus {count} Aufnahmen bleiben unverändert, da kein Audio aufbewahrt wurde.',
    },
  },
  'voices-failed': {
    detail: {
      one: 'Stimmen aus {count} Aufnahme konnten nicht aktualisiert werden.',
      other: 'Stimmen aus {count} Aufnahmen konnten nicht aktualisiert werden.',
    },
    todo: 'Den Grund nennt das Log. Nach dem nächsten Start versucht es Mitschrift erneut.',
  },
  'port-free': 'Port {port} ist frei.',
  'port-taken': {
    detail: 'Ein anderes Programm verwendet {places}.',
    todo: 'Beenden Sie dieses Programm, oder setzen Sie MITSCHRIFT_PORT auf einen anderen Port.',
  },
  'address-silent': {
    detail: 'Mitschrift antwortet nicht unter {places}.',
    todo: 'Sehen Sie im Log nach und starten Sie Mitschrift neu.',
  },
  'address-local':
    'Mitschrift ist unter {places} erreichbar, nur von diesem Computer aus (MITSCHRIFT_HOST).',
  'address-network':
    'Mitschrift ist unter {places} erreichbar, sofern keine Firewall das verhindert.',
  'https-own': 'Mitschrift verwendet ein eigenes Zertifikat für {names}, gültig bis {until}.',
  'https-proxy': 'Ein Reverse Proxy stellt https bereit (`server.trusted_proxies`).',
  'https-not-needed':
    'Auf diesem Computer selbst ist https nicht nötig; Browser auf anderen Geräten bräuchten es.',
  'https-missing': {
    detail: 'Browser auf anderen Geräten geben das Mikrofon nur über https frei.',
    todo: 'Verwenden Sie ein eigenes Zertifikat (`server.tls_cert`, `server.tls_key`), einen Proxy wie Caddy oder das Zertifikat eines Overlay-Netzwerks.',
  },
  'certificate-expired': {
    detail: 'Das Zertifikat für {names} ist am {until} abgelaufen.',
    todo: 'Ersetzen Sie Zertifikat und Schlüssel (`server.tls_cert`, `server.tls_key`): Mitschrift liest sie automatisch neu.',
  },
  'certificate-expires': {
    detail: 'Das Zertifikat für {names} läuft am {until} ab.',
    todo: 'Ersetzen Sie Zertifikat und Schlüssel (`server.tls_cert`, `server.tls_key`): Mitschrift liest sie automatisch neu.',
  },
  'certificate-half-set': {
    detail: '{set} ist festgelegt, {other} aber nicht.',
    todo: 'Ersetzen Sie Zertifikat und Schlüssel (`server.tls_cert`, `server.tls_key`): Mitschrift liest sie automatisch neu.',
  },
  'certificate-unusable': {
    detail: '{cert} und {key} sind als Zertifikat und Schlüssel nicht verwendbar: {cause}.',
    todo: 'Ersetzen Sie Zertifikat und Schlüssel (`server.tls_cert`, `server.tls_key`): Mitschrift liest sie automatisch neu.',
  },
  'fix-server-or-settings': {
    detail: 'Starten Sie den Server, oder korrigieren Sie seine Einstellungen ({settings}).',
    choices: { settings: { stt: 'stt.…', llm: 'llm.…', embeddings: 'embeddings.…' } },
  },
  'fix-install-package': 'Installieren Sie das Paket für Spracherkennung.',
  'fix-install-model':
    'Installieren Sie {title}, das empfohlene Modell. {advice} Das Modell wird in {folder} gespeichert. Oder geben Sie einen Spracherkennungsserver an (`stt.base_url`).',
  'fix-install-second-model': 'Installieren Sie {title}.',
  'fix-choose-model': 'Wählen Sie ein installiertes Modell (`stt.local_model`).',
  'fix-computer-too-small':
    'Dieser Computer ist zu klein für ein Modell für Spracherkennung. Geben Sie einen Spracherkennungsserver an (`stt.base_url`).',
  'fix-restart-audio-server': 'Starten Sie den Audioserver Ihrer Sitzung neu.',
  'fix-no-session':
    'Hier läuft keine Desktop-Sitzung, und nur eine Sitzung hat einen Audioserver. Nehmen Sie im Browser auf, oder starten Sie Mitschrift in einer Sitzung mit PipeWire.',
  'fix-install-packages': 'Installieren Sie die Pakete erneut.',
  'fix-node-headers':
    'Zum Kompilieren sind die Header von Node nötig, die npm von nodejs.org holt und nicht holen konnte. Erlauben Sie diese Adresse, oder setzen Sie `npm_config_nodedir` auf einen Ordner mit include/node; installieren Sie danach die Pakete erneut.',
  'fix-install-pactl': 'Installieren Sie pactl und das PulseAudio-Plug-in für ALSA.',
  'certificate-kept': {
    detail: '{problem} Das vorherige Zertifikat wird weiter verwendet.',
    todo: 'Ersetzen Sie Zertifikat und Schlüssel (`server.tls_cert`, `server.tls_key`): Mitschrift liest sie automatisch neu.',
  },
  'language-none':
    'Es ist kein Sprachmodell-Server angegeben: Die Zusammenfassung wird dem Transkript entnommen, der Titel dem Transkript oder dem Dateinamen.',
  'embeddings-none':
    'Es ist kein Embedding-Server angegeben: Notizen werden nur nach ihren Wörtern gefunden.',
  'embeddings-ok': '{model} hat in {time} einen Satz eingebettet, als {dimensions} Zahlen.',
  'local-ready': 'Die Spracherkennung auf diesem Server funktioniert.',
  'server-ready': '{server} ist bereit.',
  'server-no-list': '{server} antwortet, listet aber keine Modelle auf.',
  'server-at-work': '{server} antwortet nicht; vielleicht transkribiert er gerade.',
  'backend-compat':
    '{server} ist ein OpenAI-kompatibler Server: Stellen Sie „Protokoll“ (`stt.backend`) auf compat.',
  'backend-native':
    '{server} ist ein whisper.cpp-Server: Stellen Sie „Protokoll“ (`stt.backend`) auf native.',
  'not-whisper-cpp': '{server} ist kein whisper.cpp-Server (kein /health).',
  'not-whisper-asr': '{server} ist kein whisper-asr-webservice (kein /docs).',
  'cannot-transcribe': '{server} kann nicht transkribieren: Es gibt kein /audio/transcriptions.',
  'no-choice-of-models': 'Server mit dem Protokoll {protocol} bieten keine Auswahl an Modellen.',
  'model-not-there': 'Das Modell {model} ist nicht verfügbar ({key}). Verfügbar: {models}.',
} satisfies Words<typeof checksOfParts>;
