import type { Sentence } from '../words/params.ts';
import { keysOf } from '../shared/keys-of.ts';
import { availableParallelism } from 'node:os';
import * as z from 'zod';
import { serverUrl } from '../servers/server.ts';
import { loginSettings } from './login-settings.ts';
import * as a from './setting.ts';
import { languageSettings } from './language-settings.ts';
import { retentionSettings } from './retention-settings.ts';
import { sharingSettings } from './sharing-settings.ts';
import { signOnSettings } from './sign-on-settings.ts';
import { messageFor, sentenceFor } from '../words/say.ts';

/**
 * Every setting there is. From here come the validation of `PUT /config`, the settings page, the
 * environment variables, OpenAPI and the table in settings.md.
 */
export const settingSchemas = {
  'audio.device': a.text(a.line.nullable(), null, {
    title: { en: 'Input device', de: 'Eingabegerät' },
    hint: {
      en: 'The device to record from. If empty, the default device.',
      de: 'Das Gerät, von dem aufgenommen wird. Ohne Angabe das Standardgerät.',
    },
  }),
  'audio.keep': a.choice('wav', {
    title: { en: 'Keep audio', de: 'Audio aufbewahren' },
    hint: {
      en: 'What is kept of the audio once the documents are written.',
      de: 'Was vom Audio aufbewahrt wird, wenn die Dokumente geschrieben sind.',
    },
    choices: {
      wav: { en: 'WAV, exactly as recorded', de: 'WAV, genau wie aufgenommen' },
      flac: { en: 'FLAC, half the size, lossless', de: 'FLAC, halb so groß, verlustfrei' },
      none: { en: 'No audio', de: 'Kein Audio' },
    },
  }),
  'audio.combined_channels': a.choice('split', {
    title: { en: 'Channels of combined recordings', de: 'Kanäle kombinierter Aufnahmen' },
    hint: {
      en: 'How the microphone and the other side (speakers or browser tab) are kept. Separate channels tell people in a call apart better. Mixed needs half the space.',
      de: 'Wie Mikrofon und Gegenseite (Lautsprecher oder Browsertab) gespeichert werden. Getrennte Kanäle unterscheiden die Personen in einem Anruf besser. Gemischt braucht halb so viel Speicherplatz.',
    },
    choices: {
      mix: { en: 'Mixed', de: 'Gemischt' },
      split: { en: 'Separate channels', de: 'Getrennte Kanäle' },
    },
  }),
  'audio.echo_cancellation': a.yesOrNo(true, {
    title: { en: 'Echo cancellation', de: 'Echounterdrückung' },
    hint: {
      en: 'In combined recordings, what the microphone picks up from the speakers is removed.',
      de: 'In kombinierten Aufnahmen wird entfernt, was das Mikrofon von den Lautsprechern aufnimmt.',
    },
  }),
  'audio.recorders': a.choice('everyone', {
    title: { en: 'Who may record on the server', de: 'Wer am Server aufnehmen darf' },
    hint: {
      en: 'Who may record with the input devices of the server.',
      de: 'Wer mit den Eingabegeräten des Servers aufnehmen darf.',
    },
    choices: {
      everyone: { en: 'Everyone', de: 'Alle' },
      here: {
        en: 'People at the server itself, and administrators',
        de: 'Personen am Server selbst und Administratoren',
      },
      administrators: { en: 'Administrators', de: 'Administratoren' },
    },
  }),
  'calls.ask': a.yesOrNo(true, {
    title: { en: 'Ask about calls', de: 'Bei Anrufen fragen' },
    hint: {
      en: 'When a program on this server’s computer uses the microphone and plays audio, people there are asked whether to record.',
      de: 'Wenn ein Programm auf dem Computer des Servers das Mikrofon verwendet und Audio wiedergibt, wird dort gefragt, ob aufgenommen werden soll.',
    },
  }),
  'calls.never': a.list(a.line, {
    title: { en: 'Programs never asked about', de: 'Programme, bei denen nie gefragt wird' },
    hint: {
      en: 'By the names of their program files, such as firefox.',
      de: 'Nach den Namen ihrer Programmdateien, etwa firefox.',
    },
  }),
  'stt.base_url': a.text(serverUrl.nullable(), null, {
    title: { en: 'Speech recognition server', de: 'Spracherkennungsserver' },
    hint: {
      en: 'If empty, recordings are transcribed on this server.',
      de: 'Ohne Angabe werden Aufnahmen auf diesem Server transkribiert.',
    },
  }),
  'stt.backend': a.choice('compat', {
    title: { en: 'Protocol', de: 'Protokoll' },
    hint: {
      en: 'The protocol of the speech recognition server.',
      de: 'Das Protokoll des Spracherkennungsservers.',
    },
    choices: {
      compat: { en: 'OpenAI-compatible', de: 'OpenAI-kompatibel' },
      native: a.same('whisper.cpp'),
      asr: a.same('whisper-asr-webservice, WhisperX'),
    },
  }),
  'stt.api_key': a.text(a.key.nullable(), null, {
    title: { en: 'API key', de: 'API-Schlüssel' },
    hint: { en: 'For the speech recognition server.', de: 'Für den Spracherkennungsserver.' },
    secret: true,
  }),
  'stt.model': a.text(a.line.nullable(), null, {
    title: { en: 'Model on the server', de: 'Modell auf dem Server' },
    hint: {
      en: 'The model that the speech recognition server should use.',
      de: 'Das Modell, das der Spracherkennungsserver verwenden soll.',
    },
  }),
  'stt.language': a.text(a.language, 'auto', {
    title: { en: 'Spoken language', de: 'Gesprochene Sprache' },
    hint: {
      en: 'Such as de or en-US. “auto” detects it automatically.',
      de: 'Zum Beispiel de oder en-US. „auto“ erkennt sie automatisch.',
    },
  }),
  'stt.languages': a.list(a.language, {
    title: { en: 'Languages spoken here', de: 'Hier gesprochene Sprachen' },
    hint: {
      en: 'Such as de and en. When the language is detected, these are preferred. If empty, any.',
      de: 'Zum Beispiel de und en. Wenn die Sprache erkannt wird, werden diese bevorzugt. Ohne Angabe jede.',
    },
  }),
  'stt.terms': a.text(a.terms.nullable(), null, {
    title: { en: 'Names and terms', de: 'Namen und Begriffe' },
    hint: {
      en: 'With commas between. Speech recognition and language model spell them so, where they can.',
      de: 'Durch Kommas getrennt. Spracherkennung und Sprachmodell schreiben sie so, wo sie es können.',
    },
  }),
  'stt.local_model': a.text(a.line.nullable(), null, {
    title: { en: 'Model on this server', de: 'Modell auf diesem Server' },
    hint: {
      en: 'If empty, the first installed model that supports the language.',
      de: 'Ohne Angabe das erste installierte Modell, das die Sprache unterstützt.',
    },
  }),
  'stt.live': a.choice(availableParallelism() > 1 ? 'while-recording' : 'after-the-stop', {
    title: { en: 'When to transcribe', de: 'Zeitpunkt der Transkription' },
    hint: {
      en: 'During the recording, so that the transcript is ready at the end, or after it.',
      de: 'Während der Aufnahme, dann ist das Transkript am Ende fertig, oder danach.',
    },
    choices: {
      'while-recording': { en: 'During the recording', de: 'Während der Aufnahme' },
      'after-the-stop': { en: 'After the recording', de: 'Nach der Aufnahme' },
    },
    fallbackText: {
      en: 'During the recording; on one core, after the recording',
      de: 'Während der Aufnahme; mit nur einem Kern danach',
    },
    former: a.formerly('while-recording', 'after-the-stop'),
  }),
  'stt.second_pass': a.text(a.line.nullable(), null, {
    title: { en: 'Transcribe again afterwards', de: 'Danach neu transkribieren' },
    hint: {
      en: 'After a live transcription, transcribe again with this slower, better model and keep the result as a new version.',
      de: 'Nach einer Live-Transkription wird mit diesem langsameren, besseren Modell noch einmal transkribiert und das Ergebnis als neue Version gespeichert.',
    },
    former: a.formerly(null, null),
  }),
  ...languageSettings,
  'documents.times': a.yesOrNo(true, {
    title: { en: 'Times in transcripts', de: 'Zeitangaben im Transkript' },
    hint: {
      en: 'Shows the time of every paragraph. Existing documents get it when they are next saved.',
      de: 'Gibt bei jedem Absatz die Zeit an. Vorhandene Dokumente erhalten sie beim nächsten Speichern.',
    },
  }),
  'notes.vault': a.text(a.folder.nullable(), null, {
    title: { en: 'Shared notes folder (vault)', de: 'Gemeinsamer Notizordner (Vault)' },
    hint: {
      en: 'For administrators, and for people at this computer, who have no notes folder of their own. A note is copied there when it is opened in the notes app.',
      de: 'Für Administratoren und für Personen an diesem Computer, die keinen eigenen Notizordner haben. Eine Notiz wird dorthin kopiert, wenn sie in der Notizen-App geöffnet wird.',
    },
  }),
  'speakers.links': a.yesOrNo(false, {
    title: { en: 'Link people', de: 'Personen verlinken' },
    hint: {
      en: 'Writes names in documents as links to notes about the people, such as [[Anna]].',
      de: 'Schreibt Namen in Dokumenten als Links auf Notizen über die Personen, etwa [[Anna]].',
    },
  }),
  'speakers.profiles': a.yesOrNo(true, {
    title: { en: 'Remember voices', de: 'Stimmen speichern' },
    hint: {
      en: 'Voices you have named are used to suggest names in later meetings.',
      de: 'Mit benannten Stimmen werden in späteren Besprechungen Namen vorgeschlagen.',
    },
  }),
  ...sharingSettings,
  ...retentionSettings,
  'models.mirror': a.text(a.mirror.nullable(), null, {
    title: { en: 'Download source for models', de: 'Downloadquelle für Modelle' },
    hint: {
      en: 'An address or folder to use instead of the models’ own addresses. It must contain each file under its own name.',
      de: 'Adresse oder Ordner statt der eigenen Adressen der Modelle. Jede Datei muss dort unter ihrem Namen liegen.',
    },
  }),
  'ui.language': a.choice(
    Intl.DateTimeFormat().resolvedOptions().locale.startsWith('de') ? 'de' : 'en',
    {
      title: { en: 'Language of documents', de: 'Sprache der Dokumente' },
      hint: {
        en: 'For headings and labels of new notes. The language of the pages is chosen in the account.',
        de: 'Für Überschriften und Beschriftungen neuer Notizen. Die Sprache der Seiten wird im Konto gewählt.',
      },
      choices: { de: a.same('Deutsch'), en: a.same('English') },
      fallbackText: { en: 'same as system', de: 'wie das System' },
    },
  ),
  ...loginSettings,
  ...signOnSettings,
  'server.allowed_hosts': a.list(a.hostName, {
    title: { en: 'Host names', de: 'Hostnamen' },
    hint: {
      en: 'Additional names under which Mitschrift can be reached, besides localhost, its address and the name of the computer.',
      de: 'Weitere Namen, unter denen Mitschrift erreichbar ist, außer localhost, seiner Adresse und dem Namen des Computers.',
    },
  }),
  'server.public_url': a.text(serverUrl.nullable(), null, {
    title: { en: 'Address of the pages', de: 'Adresse der Seiten' },
    hint: {
      en: 'The address at which people open Mitschrift, such as https://notes.example.org. Notes link to their recordings there.',
      de: 'Die Adresse, unter der Mitschrift geöffnet wird, etwa https://notizen.example.org. Notizen verweisen dort auf ihre Aufnahmen.',
    },
  }),
  'server.trusted_proxies': a.list(
    a.network,
    {
      title: { en: 'Trusted reverse proxies', de: 'Vertrauenswürdige Reverse Proxys' },
      hint: {
        en: 'Addresses or ranges whose X-Forwarded-For header is trusted.',
        de: 'Adressen oder Bereiche, deren X-Forwarded-For-Header vertraut wird.',
      },
    },
    a.notMuchOfTheInternet,
  ),
  'server.tls_cert': a.text(a.folder.nullable(), null, {
    title: { en: 'Certificate file', de: 'Zertifikatsdatei' },
    hint: {
      en: 'PEM with its chain, for https without a proxy. It is read again when it changes.',
      de: 'PEM mit Kette, für https ohne Proxy. Sie wird bei Änderungen neu gelesen.',
    },
  }),
  'server.tls_key': a.text(a.folder.nullable(), null, {
    title: { en: 'Private key file', de: 'Datei des privaten Schlüssels' },
    hint: {
      en: 'The key of the certificate (PEM, without a password).',
      de: 'Der Schlüssel des Zertifikats (PEM, ohne Passwort).',
    },
  }),
  'metrics.token': a.text(a.longKey.nullable(), null, {
    title: { en: 'Metrics token', de: 'Token für Metriken' },
    hint: {
      en: 'The token that allows reading GET /metrics.',
      de: 'Das Token, mit dem GET /metrics gelesen werden darf.',
    },
    secret: true,
  }),
  'limits.upload_mb': a.number(a.whole(1, 1_000_000), 4096, {
    title: { en: 'Maximum upload size', de: 'Maximale Dateigröße' },
    hint: { en: 'In MB.', de: 'Für Uploads, in MB.' },
  }),
  'limits.recording_hours': a.number(a.whole(1, 168), 8, {
    title: { en: 'Maximum recording length', de: 'Maximale Aufnahmedauer' },
    hint: {
      en: 'A recording, also in a browser, ends after this many hours, or when its file has 4 GB: after 6 hours (48 kHz, two channels) to 37 (16 kHz, one channel).',
      de: 'Nach so vielen Stunden endet eine Aufnahme, auch im Browser, oder wenn ihre Datei 4 GB hat: nach 6 Stunden (48 kHz, zwei Kanäle) bis 37 (16 kHz, ein Kanal).',
    },
  }),
  'limits.free_mb': a.number(a.whole(0, 100_000_000).nullable(), null, {
    title: { en: 'Minimum free disk space', de: 'Minimaler freier Speicherplatz' },
    hint: {
      en: 'In MB. Below this, nothing new is accepted. If empty, 500, or less on a small disk.',
      de: 'In MB. Darunter wird nichts Neues angenommen. Ohne Angabe 500, auf kleinen Festplatten weniger.',
    },
  }),
  'limits.spaces_gb': a.number(z.number().positive().max(1_000_000).nullable(), null, {
    title: { en: 'Disk space for all users', de: 'Speicherplatz für alle' },
    hint: {
      en: 'In GB, for all documents and recordings together. If empty, unlimited.',
      de: 'In GB, für alle Dokumente und Aufnahmen zusammen. Ohne Angabe unbegrenzt.',
    },
  }),
  'limits.user_gb': a.number(z.number().positive().max(1_000_000).nullable(), null, {
    title: { en: 'Disk space per user', de: 'Speicherplatz pro Person' },
    hint: {
      en: 'In GB, for documents, recordings and uploads. If empty, unlimited.',
      de: 'In GB, für Dokumente, Aufnahmen und Uploads. Ohne Angabe unbegrenzt.',
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
/** One thing that is wrong with an update: the key it is about, and what it is. */
export type ConfigFault = { path: string; fault: Sentence };

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
  /** As of `EventStoreError`. */
  readonly sentence: Sentence | undefined;
  constructor(
    code: ConfigErrorCode,
    said: string | Sentence,
    options: { faults?: readonly ConfigFault[]; cause?: unknown } = {},
  ) {
    super(messageFor(said), options.cause === undefined ? undefined : { cause: options.cause });
    this.sentence = sentenceFor(said);
    this.code = code;
    this.faults = options.faults ?? [];
  }
}
