import { keysOf } from '../shared/keys-of.ts';
import { availableParallelism } from 'node:os';
import * as z from 'zod';
import { serverUrl } from '../shared/outbound.ts';
import * as a from './setting.ts';

/**
 * Every setting there is. From here come the validation of `PUT /config`, the settings page, the
 * environment variables, OpenAPI and the table in settings.md.
 */
export const settingSchemas = {
  'audio.device': a.text(
    a.line.nullable(),
    null,
    'Input device to record from; the default input if unset.',
  ),
  'audio.keep': a.text(
    z.enum(['wav', 'flac', 'none']),
    'wav',
    'What is kept of the audio once the documents are written.',
  ),
  'audio.combined_channels': a.text(
    z.enum(['mix', 'split']),
    'mix',
    'Microphone and speaker of a combined recording: mixed, or a channel each.',
  ),
  'audio.recorders': a.text(
    z.enum(['everyone', 'here', 'administrators']),
    'everyone',
    'Who may record with the input devices of the service’s computer: everyone, people at that computer and administrators (here), or administrators.',
  ),
  'stt.base_url': a.text(
    serverUrl.nullable(),
    null,
    'Speech-to-text server. Unset: recognise on this machine.',
  ),
  'stt.backend': a.text(
    z.enum(['compat', 'native', 'asr']),
    'compat',
    'Protocol of the server: compat (OpenAI), native (whisper.cpp), asr (whisper-asr-webservice, WhisperX).',
  ),
  'stt.api_key': a.text(a.key.nullable(), null, 'Key for the speech-to-text server.', {
    secret: true,
  }),
  'stt.model': a.text(a.line.nullable(), null, 'Model to ask the speech-to-text server for.'),
  'stt.language': a.text(
    a.language,
    'auto',
    'Language that is spoken, such as de or en-US, or auto.',
  ),
  'stt.local_model': a.text(
    a.line.nullable(),
    null,
    'Local model; the first installed one that speaks the language if unset.',
  ),
  'stt.live': a.text(
    z.enum(['while-recording', 'after-the-stop']),
    availableParallelism() > 1 ? 'while-recording' : 'after-the-stop',
    'When recordings are recognised: while people talk, so that the transcript is there at the stop; or after it.',
    {
      fallbackText: 'while-recording; after-the-stop on one core',
      former: a.formerly('while-recording', 'after-the-stop'),
    },
  ),
  'stt.second_pass': a.text(
    a.line.nullable(),
    null,
    'Better model, of this machine or the server, that makes another version of what was recognised while recording.',
    { former: a.formerly(null, null) },
  ),
  'llm.base_url': a.text(
    serverUrl.nullable(),
    null,
    'Language-model server (OpenAI-compatible). Unset: built-in summary and title.',
  ),
  'llm.model': a.text(
    a.line.nullable(),
    null,
    'Model to ask the language-model server for; its first one if unset.',
  ),
  'llm.api_key': a.text(a.key.nullable(), null, 'Key for the language-model server.', {
    secret: true,
  }),
  'llm.context': a.number(
    a.whole(512, 100_000_000).nullable(),
    null,
    'Context of the language model in tokens; asked from the server, else 4096.',
  ),
  'llm.timeout': a.number(a.whole(1, 86_400), 600, 'Seconds a language-model answer may take.'),
  'llm.ahead': a.yesOrNo(
    false,
    'Whether the language model punctuates what one person says while it is recorded, as long as recognition keeps up.',
  ),
  'documents.times': a.yesOrNo(
    true,
    'Whether every paragraph of a transcript has its time; documents that exist get it when they are saved again.',
  ),
  'notes.vault': a.text(
    a.folder.nullable(),
    null,
    'Folder of the notes application’s vault, into which documents are copied when opened there.',
  ),
  'speakers.links': a.yesOrNo(
    false,
    'Whether documents name people as links to notes about them, as in [[Anna]].',
  ),
  'speakers.profiles': a.yesOrNo(true, 'Whether voices are remembered to suggest names.'),
  'models.mirror': a.text(
    a.mirror.nullable(),
    null,
    'Address or folder where models are fetched from instead of their own addresses, each file under its own name.',
  ),
  'ui.language': a.text(
    z.enum(['de', 'en']),
    Intl.DateTimeFormat().resolvedOptions().locale.startsWith('de') ? 'de' : 'en',
    'Language of the pages, and of headings and labels in the documents.',
    { fallbackText: 'from the locale' },
  ),
  'auth.password_hash': a.text(
    z.enum(['argon2id', 'pbkdf2']),
    'argon2id',
    'How new passwords are hashed.',
  ),
  'auth.session_hours': a.number(
    a.whole(1, 87_600),
    336,
    'Hours a session lives after its last use. 90 days after the login every session ends.',
  ),
  'server.allowed_hosts': a.list(
    a.hostName,
    'Host names the service answers to besides localhost, the bound address and the host name.',
  ),
  'server.public_url': a.text(
    serverUrl.nullable(),
    null,
    'Address at which people open Mitschrift, such as https://notes.example.org; notes link to their recording there.',
  ),
  'server.trusted_proxies': a.list(
    a.network,
    'Addresses or ranges of reverse proxies whose X-Forwarded-For is believed.',
    a.notMuchOfTheInternet,
  ),
  'server.tls_cert': a.text(
    a.folder.nullable(),
    null,
    'File of the certificate (PEM, with its chain) by which the service speaks https itself; read again when it changes.',
  ),
  'server.tls_key': a.text(
    a.folder.nullable(),
    null,
    'File of the private key that belongs to it (PEM, without a password).',
  ),
  'metrics.token': a.text(a.longKey.nullable(), null, 'Token that may read GET /metrics.', {
    secret: true,
  }),
  'limits.upload_mb': a.number(a.whole(1, 1_000_000), 4096, 'Largest upload in MB.'),
  'limits.recording_hours': a.number(
    a.whole(1, 168),
    8,
    'Hours after which a recording from a device is stopped.',
  ),
  'limits.free_mb': a.number(
    a.whole(0, 100_000_000).nullable(),
    null,
    'Free space in MB on the disk of the data below which nothing new is taken; 500 if unset, less on a small disk.',
  ),
  'limits.spaces_gb': a.number(
    z.number().positive().max(1_000_000).nullable(),
    null,
    'What all spaces and recordings together may take, in GB; unlimited if unset.',
  ),
  'limits.user_gb': a.number(
    z.number().positive().max(1_000_000).nullable(),
    null,
    'What the documents, recordings and uploads of one user may take, in GB; unlimited if unset.',
  ),
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
