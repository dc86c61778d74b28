import type { SettingKey } from './schema.ts';

export type GroupId = 'recording' | 'speech' | 'language' | 'notes' | 'server';

/** The groups of settings in German. */
export const germanGroups: Readonly<Record<GroupId, string>> = {
  recording: 'Aufnahme',
  speech: 'Spracherkennung',
  language: 'Sprachmodell',
  notes: 'Notizen und Stimmen',
  server: 'Server und Grenzen',
};

type GermanSetting = { title: string; description: string; fallbackText?: string };

/** Each setting in German: what it is called, and the sentence about it. */
export const germanSettings: Readonly<Record<SettingKey, GermanSetting>> = {
  'audio.device': {
    title: 'Eingabegerät',
    description: 'Gerät, von dem aufgenommen wird; ohne Angabe das Standardgerät.',
  },
  'audio.keep': {
    title: 'Ton behalten',
    description: 'Was vom Ton bleibt, wenn die Dokumente geschrieben sind.',
  },
  'audio.combined_channels': {
    title: 'Kanäle der gemeinsamen Aufnahme',
    description: 'Mikrofon und Lautsprecher zusammen aufgenommen: gemischt oder je ein Kanal.',
  },
  'audio.recorders': {
    title: 'Wer hier aufnehmen darf',
    description:
      'Wer mit den Eingabegeräten des Computers aufnehmen darf, auf dem Mitschrift läuft: alle, Personen an diesem Computer und Administratoren (here), oder nur Administratoren.',
  },
  'stt.base_url': {
    title: 'Server',
    description: 'Server, der Sprache erkennt. Ohne Angabe wird auf diesem Rechner erkannt.',
  },
  'stt.backend': {
    title: 'Protokoll',
    description:
      'Wie mit dem Server gesprochen wird: compat (OpenAI), native (whisper.cpp), asr (whisper-asr-webservice, WhisperX).',
  },
  'stt.api_key': {
    title: 'Schlüssel',
    description: 'Schlüssel für den Server der Spracherkennung.',
  },
  'stt.model': {
    title: 'Modell des Servers',
    description: 'Modell, das der Server der Spracherkennung verwenden soll.',
  },
  'stt.language': {
    title: 'Gesprochene Sprache',
    description: 'Sprache, die gesprochen wird, etwa de oder en-US; auto: wird erkannt.',
  },
  'stt.local_model': {
    title: 'Modell auf diesem Rechner',
    description: 'Ohne Angabe das erste installierte, das die Sprache kann.',
  },
  'stt.live': {
    title: 'Wann erkannt wird',
    description:
      'Während gesprochen wird (while-recording), dann ist der Text am Ende schon da; oder danach (after-the-stop).',
    fallbackText: 'while-recording; mit nur einem Kern after-the-stop',
  },
  'stt.second_pass': {
    title: 'Danach noch einmal',
    description:
      'Besseres Modell, von diesem Rechner oder dem Server, das aus dem während der Aufnahme Erkannten eine weitere Fassung macht.',
  },
  'llm.base_url': {
    title: 'Server',
    description:
      'Server eines Sprachmodells (wie OpenAI). Ohne Angabe werden Zusammenfassung und Titel aus den Worten selbst gemacht.',
  },
  'llm.model': {
    title: 'Modell',
    description: 'Modell, das der Server verwenden soll; ohne Angabe sein erstes.',
  },
  'llm.api_key': { title: 'Schlüssel', description: 'Schlüssel für den Server des Sprachmodells.' },
  'llm.context': {
    title: 'Kontext',
    description: 'Kontext des Sprachmodells in Token; ohne Angabe wie der Server sagt, sonst 4096.',
  },
  'llm.timeout': {
    title: 'Geduld',
    description: 'Sekunden, die eine Antwort des Sprachmodells dauern darf.',
  },
  'llm.ahead': {
    title: 'Satzzeichen voraus',
    description:
      'Ob das Sprachmodell Satzzeichen setzt, während eine Person noch spricht, solange die Erkennung mitkommt.',
  },
  'documents.times': {
    title: 'Zeiten im Transkript',
    description:
      'Ob jeder Absatz eines Transkripts seine Zeit hat; vorhandene Dokumente bekommen sie beim nächsten Sichern.',
  },
  'notes.vault': {
    title: 'Ablage',
    description:
      'Ordner der Notizen-Anwendung (Vault), in den Dokumente kopiert werden, wenn sie dort geöffnet werden.',
  },
  'speakers.links': {
    title: 'Personen verlinken',
    description: 'Ob Dokumente Personen als Links auf Notizen über sie nennen, etwa [[Anna]].',
  },
  'speakers.profiles': {
    title: 'Stimmen merken',
    description: 'Ob Stimmen gemerkt werden, um Namen vorzuschlagen.',
  },
  'models.mirror': {
    title: 'Quelle der Modelle',
    description:
      'Adresse oder Ordner, woher Modelle geholt werden statt von ihren eigenen Adressen, jede Datei unter ihrem Namen.',
  },
  'ui.language': {
    title: 'Sprache',
    description: 'Sprache der Seiten sowie der Überschriften und Beschriftungen in Dokumenten.',
    fallbackText: 'wie das System',
  },
  'auth.password_hash': {
    title: 'Verfahren für Passwörter',
    description: 'Wie neue Passwörter als Prüfsumme gesichert werden.',
  },
  'auth.session_hours': {
    title: 'Angemeldet für',
    description:
      'Stunden, die eine Anmeldung nach der letzten Nutzung gilt. 90 Tage nach der Anmeldung endet jede.',
  },
  'server.allowed_hosts': {
    title: 'Namen des Rechners',
    description:
      'Namen, unter denen der Dienst antwortet, außer localhost, seiner Adresse und dem Namen des Rechners.',
  },
  'server.public_url': {
    title: 'Adresse der Seiten',
    description:
      'Adresse, unter der Mitschrift geöffnet wird, etwa https://notizen.example.org; Notizen verweisen dort auf ihre Aufnahme.',
  },
  'server.trusted_proxies': {
    title: 'Reverse Proxys',
    description: 'Adressen oder Bereiche von Reverse Proxys, deren X-Forwarded-For geglaubt wird.',
  },
  'server.tls_cert': {
    title: 'Zertifikat',
    description:
      'Datei des Zertifikats (PEM, mit seiner Kette), mit dem der Dienst selbst https spricht; wird neu gelesen, wenn sie sich ändert.',
  },
  'server.tls_key': {
    title: 'Schlüssel des Zertifikats',
    description: 'Datei des privaten Schlüssels, der dazugehört (PEM, ohne Passwort).',
  },
  'metrics.token': {
    title: 'Token für Metriken',
    description: 'Token, das GET /metrics lesen darf.',
  },
  'limits.upload_mb': {
    title: 'Größte Datei',
    description: 'Was höchstens hochgeladen wird, in MB.',
  },
  'limits.recording_hours': {
    title: 'Längste Aufnahme',
    description: 'Stunden, nach denen eine Aufnahme von einem Gerät beendet wird.',
  },
  'limits.free_mb': {
    title: 'Platz, der frei bleibt',
    description:
      'Freier Platz in MB auf dem Datenträger, unter dem nichts Neues angenommen wird; ohne Angabe 500, auf einem kleinen weniger.',
  },
  'limits.spaces_gb': {
    title: 'Platz für alle',
    description:
      'Was alle Dokumente und Aufnahmen zusammen belegen dürfen, in GB; ohne Angabe unbegrenzt.',
  },
  'limits.user_gb': {
    title: 'Platz je Person',
    description:
      'Was Dokumente, Aufnahmen und hochgeladene Dateien einer Person belegen dürfen, in GB; ohne Angabe unbegrenzt.',
  },
};
