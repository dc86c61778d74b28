import { keysOf } from '../shared/keys-of.ts';
import { availableParallelism } from 'node:os';
import * as z from 'zod';
import { serverUrl } from '../servers/server.ts';
import * as a from './setting.ts';

/**
 * Every setting there is. From here come the validation of `PUT /config`, the settings page, the
 * environment variables, OpenAPI and the table in settings.md.
 */
export const settingSchemas = {
  'audio.device': a.text(a.line.nullable(), null, {
    title: { en: 'Input device', de: 'Eingabegerät' },
    hint: {
      en: 'Input device to record from; the default input if unset.',
      de: 'Gerät, von dem aufgenommen wird; ohne Angabe das Standardgerät.',
    },
  }),
  'audio.keep': a.choice('wav', {
    title: { en: 'Audio kept', de: 'Ton behalten' },
    hint: {
      en: 'What is kept of the audio once the documents are written.',
      de: 'Was vom Ton bleibt, wenn die Dokumente geschrieben sind.',
    },
    choices: {
      wav: { en: 'WAV, exactly as recorded', de: 'WAV, genau wie aufgenommen' },
      flac: { en: 'FLAC, half the size, nothing lost', de: 'FLAC, halb so groß, ohne Verlust' },
      none: { en: 'None', de: 'Nichts' },
    },
  }),
  'audio.combined_channels': a.choice('mix', {
    title: { en: 'Channels of a combined recording', de: 'Kanäle der gemeinsamen Aufnahme' },
    hint: {
      en: 'Microphone and speaker of a combined recording: mixed, or a channel each.',
      de: 'Mikrofon und Lautsprecher zusammen aufgenommen: gemischt oder je ein Kanal.',
    },
    choices: {
      mix: { en: 'Mixed', de: 'Gemischt' },
      split: { en: 'A channel each', de: 'Je ein Kanal' },
    },
  }),
  'audio.recorders': a.choice('everyone', {
    title: { en: 'Who may record here', de: 'Wer hier aufnehmen darf' },
    hint: {
      en: 'Who may record with the input devices of the service’s computer: everyone, people at that computer and administrators (here), or administrators.',
      de: 'Wer mit den Eingabegeräten des Computers aufnehmen darf, auf dem Mitschrift läuft: alle, Personen an diesem Computer und Administratoren (here), oder nur Administratoren.',
    },
    choices: {
      everyone: { en: 'Everyone', de: 'Alle' },
      here: {
        en: 'People at that computer, and administrators',
        de: 'Personen an diesem Computer und Administratoren',
      },
      administrators: { en: 'Administrators', de: 'Administratoren' },
    },
  }),
  'stt.base_url': a.text(serverUrl.nullable(), null, {
    title: a.same('Server'),
    hint: {
      en: 'Speech-to-text server. Unset: recognise on this machine.',
      de: 'Server, der Sprache erkennt. Ohne Angabe wird auf diesem Rechner erkannt.',
    },
  }),
  'stt.backend': a.choice('compat', {
    title: { en: 'Protocol', de: 'Protokoll' },
    hint: {
      en: 'Protocol of the server: compat (OpenAI), native (whisper.cpp), asr (whisper-asr-webservice, WhisperX).',
      de: 'Wie mit dem Server gesprochen wird: compat (OpenAI), native (whisper.cpp), asr (whisper-asr-webservice, WhisperX).',
    },
    choices: {
      compat: { en: 'OpenAI-compatible', de: 'Wie OpenAI' },
      native: a.same('whisper.cpp'),
      asr: a.same('whisper-asr-webservice, WhisperX'),
    },
  }),
  'stt.api_key': a.text(a.key.nullable(), null, {
    title: { en: 'Key', de: 'Schlüssel' },
    hint: {
      en: 'Key for the speech-to-text server.',
      de: 'Schlüssel für den Server der Spracherkennung.',
    },
    secret: true,
  }),
  'stt.model': a.text(a.line.nullable(), null, {
    title: { en: 'Model of the server', de: 'Modell des Servers' },
    hint: {
      en: 'Model to ask the speech-to-text server for.',
      de: 'Modell, das der Server der Spracherkennung verwenden soll.',
    },
  }),
  'stt.language': a.text(a.language, 'auto', {
    title: { en: 'Spoken language', de: 'Gesprochene Sprache' },
    hint: {
      en: 'Language that is spoken, such as de or en-US, or auto.',
      de: 'Sprache, die gesprochen wird, etwa de oder en-US; auto: wird erkannt.',
    },
  }),
  'stt.local_model': a.text(a.line.nullable(), null, {
    title: { en: 'Local model', de: 'Modell auf diesem Rechner' },
    hint: {
      en: 'Local model; the first installed one that speaks the language if unset.',
      de: 'Ohne Angabe das erste installierte, das die Sprache kann.',
    },
  }),
  'stt.live': a.choice(availableParallelism() > 1 ? 'while-recording' : 'after-the-stop', {
    title: { en: 'When it is recognised', de: 'Wann erkannt wird' },
    hint: {
      en: 'When recordings are recognised: while people talk, so that the transcript is there at the stop; or after it.',
      de: 'Während gesprochen wird (while-recording), dann ist der Text am Ende schon da; oder danach (after-the-stop).',
    },
    choices: {
      'while-recording': { en: 'While people talk', de: 'Während gesprochen wird' },
      'after-the-stop': { en: 'After the stop', de: 'Nach dem Ende' },
    },
    fallbackText: {
      en: 'while-recording; after-the-stop on one core',
      de: 'while-recording; mit nur einem Kern after-the-stop',
    },
    former: a.formerly('while-recording', 'after-the-stop'),
  }),
  'stt.second_pass': a.text(a.line.nullable(), null, {
    title: { en: 'Once more afterwards', de: 'Danach noch einmal' },
    hint: {
      en: 'Better model, of this machine or the server, that makes another version of what was recognised while recording.',
      de: 'Besseres Modell, von diesem Rechner oder dem Server, das aus dem während der Aufnahme Erkannten eine weitere Fassung macht.',
    },
    former: a.formerly(null, null),
  }),
  'llm.base_url': a.text(serverUrl.nullable(), null, {
    title: a.same('Server'),
    hint: {
      en: 'Language-model server (OpenAI-compatible). Unset: built-in summary and title.',
      de: 'Server eines Sprachmodells (wie OpenAI). Ohne Angabe werden Zusammenfassung und Titel aus den Worten selbst gemacht.',
    },
  }),
  'llm.model': a.text(a.line.nullable(), null, {
    title: { en: 'Model', de: 'Modell' },
    hint: {
      en: 'Model to ask the language-model server for; its first one if unset.',
      de: 'Modell, das der Server verwenden soll; ohne Angabe sein erstes.',
    },
  }),
  'llm.api_key': a.text(a.key.nullable(), null, {
    title: { en: 'Key', de: 'Schlüssel' },
    hint: {
      en: 'Key for the language-model server.',
      de: 'Schlüssel für den Server des Sprachmodells.',
    },
    secret: true,
  }),
  'llm.context': a.number(a.whole(512, 100_000_000).nullable(), null, {
    title: { en: 'Context', de: 'Kontext' },
    hint: {
      en: 'Context of the language model in tokens; asked from the server, else 4096.',
      de: 'Kontext des Sprachmodells in Token; ohne Angabe wie der Server sagt, sonst 4096.',
    },
  }),
  'llm.timeout': a.number(a.whole(1, 86_400), 600, {
    title: { en: 'Patience', de: 'Geduld' },
    hint: {
      en: 'Seconds a language-model answer may take.',
      de: 'Sekunden, die eine Antwort des Sprachmodells dauern darf.',
    },
  }),
  'llm.ahead': a.yesOrNo(false, {
    title: { en: 'Punctuate ahead', de: 'Satzzeichen voraus' },
    hint: {
      en: 'Whether the language model punctuates what one person says while it is recorded, as long as recognition keeps up.',
      de: 'Ob das Sprachmodell Satzzeichen setzt, während eine Person noch spricht, solange die Erkennung mitkommt.',
    },
  }),
  'documents.times': a.yesOrNo(true, {
    title: { en: 'Times in transcripts', de: 'Zeiten im Transkript' },
    hint: {
      en: 'Whether every paragraph of a transcript has its time; documents that exist get it when they are saved again.',
      de: 'Ob jeder Absatz eines Transkripts seine Zeit hat; vorhandene Dokumente bekommen sie beim nächsten Sichern.',
    },
  }),
  'notes.vault': a.text(a.folder.nullable(), null, {
    title: { en: 'Vault', de: 'Ablage' },
    hint: {
      en: 'Folder of the notes application’s vault, into which documents are copied when opened there.',
      de: 'Ordner der Notizen-Anwendung (Vault), in den Dokumente kopiert werden, wenn sie dort geöffnet werden.',
    },
  }),
  'speakers.links': a.yesOrNo(false, {
    title: { en: 'Link people', de: 'Personen verlinken' },
    hint: {
      en: 'Whether documents name people as links to notes about them, as in [[Anna]].',
      de: 'Ob Dokumente Personen als Links auf Notizen über sie nennen, etwa [[Anna]].',
    },
  }),
  'speakers.profiles': a.yesOrNo(true, {
    title: { en: 'Remember voices', de: 'Stimmen merken' },
    hint: {
      en: 'Whether voices are remembered to suggest names.',
      de: 'Ob Stimmen gemerkt werden, um Namen vorzuschlagen.',
    },
  }),
  'models.mirror': a.text(a.mirror.nullable(), null, {
    title: { en: 'Source of models', de: 'Quelle der Modelle' },
    hint: {
      en: 'Address or folder where models are fetched from instead of their own addresses, each file under its own name.',
      de: 'Adresse oder Ordner, woher Modelle geholt werden statt von ihren eigenen Adressen, jede Datei unter ihrem Namen.',
    },
  }),
  'ui.language': a.choice(
    Intl.DateTimeFormat().resolvedOptions().locale.startsWith('de') ? 'de' : 'en',
    {
      title: { en: 'Language', de: 'Sprache' },
      hint: {
        en: 'Language of the pages, and of headings and labels in the documents.',
        de: 'Sprache der Seiten sowie der Überschriften und Beschriftungen in Dokumenten.',
      },
      choices: { de: a.same('Deutsch'), en: a.same('English') },
      fallbackText: { en: 'from the locale', de: 'wie das System' },
    },
  ),
  'auth.password_hash': a.choice('argon2id', {
    title: { en: 'Hash of passwords', de: 'Verfahren für Passwörter' },
    hint: {
      en: 'How new passwords are hashed.',
      de: 'Wie neue Passwörter als Prüfsumme gesichert werden.',
    },
    choices: { argon2id: a.same('Argon2id'), pbkdf2: a.same('PBKDF2') },
  }),
  'auth.session_hours': a.number(a.whole(1, 87_600), 336, {
    title: { en: 'Logged in for', de: 'Angemeldet für' },
    hint: {
      en: 'Hours a session lives after its last use. 90 days after the login every session ends.',
      de: 'Stunden, die eine Anmeldung nach der letzten Nutzung gilt. 90 Tage nach der Anmeldung endet jede.',
    },
  }),
  'server.allowed_hosts': a.list(a.hostName, {
    title: { en: 'Host names', de: 'Namen des Rechners' },
    hint: {
      en: 'Host names the service answers to besides localhost, the bound address and the host name.',
      de: 'Namen, unter denen der Dienst antwortet, außer localhost, seiner Adresse und dem Namen des Rechners.',
    },
  }),
  'server.public_url': a.text(serverUrl.nullable(), null, {
    title: { en: 'Address of the pages', de: 'Adresse der Seiten' },
    hint: {
      en: 'Address at which people open Mitschrift, such as https://notes.example.org; notes link to their recording there.',
      de: 'Adresse, unter der Mitschrift geöffnet wird, etwa https://notizen.example.org; Notizen verweisen dort auf ihre Aufnahme.',
    },
  }),
  'server.trusted_proxies': a.list(
    a.network,
    {
      title: { en: 'Reverse proxies', de: 'Reverse Proxys' },
      hint: {
        en: 'Addresses or ranges of reverse proxies whose X-Forwarded-For is believed.',
        de: 'Adressen oder Bereiche von Reverse Proxys, deren X-Forwarded-For geglaubt wird.',
      },
    },
    a.notMuchOfTheInternet,
  ),
  'server.tls_cert': a.text(a.folder.nullable(), null, {
    title: { en: 'Certificate', de: 'Zertifikat' },
    hint: {
      en: 'File of the certificate (PEM, with its chain) by which the service speaks https itself; read again when it changes.',
      de: 'Datei des Zertifikats (PEM, mit seiner Kette), mit dem der Dienst selbst https spricht; wird neu gelesen, wenn sie sich ändert.',
    },
  }),
  'server.tls_key': a.text(a.folder.nullable(), null, {
    title: { en: 'Key of the certificate', de: 'Schlüssel des Zertifikats' },
    hint: {
      en: 'File of the private key that belongs to it (PEM, without a password).',
      de: 'Datei des privaten Schlüssels, der dazugehört (PEM, ohne Passwort).',
    },
  }),
  'metrics.token': a.text(a.longKey.nullable(), null, {
    title: { en: 'Token for metrics', de: 'Token für Metriken' },
    hint: { en: 'Token that may read GET /metrics.', de: 'Token, das GET /metrics lesen darf.' },
    secret: true,
  }),
  'limits.upload_mb': a.number(a.whole(1, 1_000_000), 4096, {
    title: { en: 'Largest upload', de: 'Größte Datei' },
    hint: { en: 'Largest upload in MB.', de: 'Was höchstens hochgeladen wird, in MB.' },
  }),
  'limits.recording_hours': a.number(a.whole(1, 168), 8, {
    title: { en: 'Longest recording', de: 'Längste Aufnahme' },
    hint: {
      en: 'Hours after which a recording from a device is stopped.',
      de: 'Stunden, nach denen eine Aufnahme von einem Gerät beendet wird.',
    },
  }),
  'limits.free_mb': a.number(a.whole(0, 100_000_000).nullable(), null, {
    title: { en: 'Room left on the disk', de: 'Platz, der frei bleibt' },
    hint: {
      en: 'Free space in MB on the disk of the data below which nothing new is taken; 500 if unset, less on a small disk.',
      de: 'Freier Platz in MB auf dem Datenträger, unter dem nichts Neues angenommen wird; ohne Angabe 500, auf einem kleinen weniger.',
    },
  }),
  'limits.spaces_gb': a.number(z.number().positive().max(1_000_000).nullable(), null, {
    title: { en: 'Room for everybody', de: 'Platz für alle' },
    hint: {
      en: 'What all spaces and recordings together may take, in GB; unlimited if unset.',
      de: 'Was alle Dokumente und Aufnahmen zusammen belegen dürfen, in GB; ohne Angabe unbegrenzt.',
    },
  }),
  'limits.user_gb': a.number(z.number().positive().max(1_000_000).nullable(), null, {
    title: { en: 'Room for each user', de: 'Platz je Person' },
    hint: {
      en: 'What the documents, recordings and uploads of one user may take, in GB; unlimited if unset.',
      de: 'Was Dokumente, Aufnahmen und hochgeladene Dateien einer Person belegen dürfen, in GB; ohne Angabe unbegrenzt.',
    },
  }),
} as const;

export type SettingKey = keyof typeof settingSchemas;
export type Settings = {
  readonly [K in SettingKey]: z.output<(typeof settingSchemas)[K]['schema']>;
};

export const settingKeys: readonly SettingKey[] = keysOf(settingSchemas);

/** The setting behind a key, its type set aside. */
export const settingOf = (key: SettingKey): a.Setting => settingSchemas[key];

/** Whether a key is one of ours; what every object inherits is none. */
export const isSettingKey = (key: string): key is SettingKey => Object.hasOwn(settingSchemas, key);
/** One thing that is wrong with an update: the key it is about, and a sentence. */
export type ConfigFault = { path: string; message: string };

export type ConfigErrorCode =
  | 'CONFIG_INVALID'
  | 'CONFIG_OVERRIDDEN'
  | 'SECRETS_DAMAGED'
  | 'MASTER_KEY_DIFFERS';

/** Why the configuration could not be changed, or opened. Nothing was changed. */
export class ConfigError extends Error {
  override name = 'ConfigError';
  readonly code: ConfigErrorCode;
  readonly faults: readonly ConfigFault[];
  constructor(
    code: ConfigErrorCode,
    message: string,
    options: { faults?: readonly ConfigFault[]; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.faults = options.faults ?? [];
  }
}
