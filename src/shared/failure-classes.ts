import type { ModelServerFailure } from '../words/failures-of-model-servers.ts';
import type { FailureCode } from '../words/failures.ts';
import { prefixed } from '../words/sentences.ts';

/**
 * Why something cannot be done, as a class that programs rely on: in the log (`stage.failed`), in `error.code` and in
 * `warning` frames. What is said of it is finer: a sentence of `src/words/failures.ts`.
 */
export type StageErrorCode =
  // Sound servers, devices and captures
  | 'already-recording'
  | 'audio-server-refused'
  | 'audio-server-silent'
  | 'capture-not-started'
  | 'combined-in-use'
  | 'combined-with-itself'
  | 'device-gone'
  | 'device-taken'
  | 'not-a-recorder'
  | 'device-unavailable'
  | 'devices-unavailable'
  | 'no-audio-server'
  | 'no-device'
  | 'not-a-monitor'
  | 'not-recording'
  | 'nothing-captured'
  | 'nothing-combined'
  | 'program-replaced'
  | 'rate-differs'
  | 'recorded-elsewhere'
  | 'recording-paused'
  | 'socket-unsafe'
  | 'source-gone'
  // Audio files
  | 'audio-damaged'
  | 'audio-empty'
  | 'audio-encrypted'
  | 'audio-missing'
  | 'audio-too-long'
  | 'decoder-stalled'
  | 'ffmpeg-failed'
  | 'ffmpeg-missing'
  | 'flac-differs'
  | 'no-audio-track'
  | 'not-16-bit'
  | 'not-audio'
  | 'unsupported-media'
  // Speech
  | 'engine-answer'
  | 'engine-away'
  | 'engine-busy'
  | 'engine-crashed'
  | 'engine-failed'
  | 'engine-refused'
  | 'engine-stalled'
  | 'language-unknown'
  | 'model-corrupt'
  | 'model-missing'
  | 'no-engine'
  | 'speech-file-damaged'
  // Language models
  | 'answer-cut'
  | 'answer-empty'
  | 'content-filter'
  | 'model-away'
  | 'model-refused'
  | 'no-language-model'
  | 'prompt-truncated'
  // Documents
  | 'disk-full'
  | 'name-in-use'
  | 'not-text'
  | 'not-writable'
  // Configured servers, the service itself
  | 'server-refused'
  | 'took-the-service-down';

/** Of each failure of a language model server, and of an embedding server. */
const ofModelServers = {
  'server-unreachable': 'model-away',
  'server-closes': 'model-away',
  'server-broke-off': 'model-away',
  'server-stopped-answering': 'model-away',
  'server-busy': 'model-away',
  'server-not-ready': 'model-away',
  'server-late': 'model-away',
  'server-failed': 'model-away',
  'answer-broken': 'model-away',
  'server-cannot': 'model-refused',
  'server-not-found': 'model-refused',
  'server-no-https': 'model-refused',
  'server-refused': 'model-refused',
  'server-key-wrong': 'model-refused',
  'server-no-credit': 'model-refused',
  'server-redirects': 'model-refused',
  'server-not-api': 'model-refused',
  'server-certificate': 'model-refused',
  'server-no-model': 'model-refused',
} as const satisfies Record<ModelServerFailure, StageErrorCode>;

/** The class of each failure of a stage; a code without one is none. */
export const failureClasses = {
  // Any step
  'server-crashed-here': 'took-the-service-down',
  'program-updated': 'program-replaced',
  'address-forbidden': 'server-refused',
  // Recording from a device or a browser
  'already-recording': 'already-recording',
  'not-recording': 'not-recording',
  'recording-not-allowed': 'not-a-recorder',
  'call-over': 'not-recording',
  'recording-over': 'not-recording',
  'recording-ending': 'not-recording',
  'recorded-from-device': 'not-recording',
  'browser-recording-over': 'not-recording',
  'late-audio-elsewhere': 'not-recording',
  'late-audio-not-wanted': 'not-recording',
  'recording-paused': 'recording-paused',
  'recorded-on-other-node': 'recorded-elsewhere',
  'sample-rate-differs': 'rate-differs',
  'device-not-found': 'device-gone',
  'no-device-connected': 'no-device',
  'microphone-or-speakers-missing': 'no-device',
  'device-in-use': 'device-taken',
  'device-trial-running': 'device-taken',
  'devices-not-listed': 'devices-unavailable',
  'no-devices-on-nodes': 'devices-unavailable',
  'combined-in-use': 'combined-in-use',
  'combined-not-chosen': 'nothing-combined',
  'combined-with-itself': 'combined-with-itself',
  'combined-microphone-gone': 'source-gone',
  'combined-speakers-gone': 'source-gone',
  'not-a-speaker': 'not-a-monitor',
  'combined-name-taken': 'audio-server-refused',
  'combined-not-removed': 'audio-server-refused',
  'audio-server-refused': 'audio-server-refused',
  'audio-server-silent': 'audio-server-silent',
  'no-audio-server': 'no-audio-server',
  'pactl-missing': 'no-audio-server',
  'device-silent': 'device-unavailable',
  'nothing-recorded': 'nothing-captured',
  'recorder-not-started': 'capture-not-started',
  'recorder-socket-unsafe': 'socket-unsafe',
  'audio-shorter-than-before': 'audio-missing',
  'joined-recording-gone': 'audio-missing',
  // Reading the audio (upload, import, transcribe)
  'audio-empty': 'audio-empty',
  'audio-no-samples': 'audio-empty',
  'audio-protected': 'audio-encrypted',
  'ffmpeg-missing': 'ffmpeg-missing',
  'audio-too-long': 'audio-too-long',
  'wav-damaged': 'audio-damaged',
  'audio-damaged': 'audio-damaged',
  'mp4-incomplete': 'audio-damaged',
  'audio-track-damaged': 'audio-damaged',
  'no-audio-track': 'no-audio-track',
  'not-audio': 'not-audio',
  'audio-needs-memory': 'unsupported-media',
  'no-decoder': 'unsupported-media',
  playlist: 'unsupported-media',
  'audio-file-gone': 'audio-missing',
  'no-audio': 'audio-missing',
  'reading-stalled': 'decoder-stalled',
  'working-copy-damaged': 'speech-file-damaged',
  'flac-failed': 'ffmpeg-failed',
  'flac-differs': 'flac-differs',
  'not-flac': 'ffmpeg-failed',
  'not-16-bit': 'not-16-bit',
  // Transcription (follow, transcribe): on this server
  'no-speech-recognition': 'no-engine',
  'speech-package-missing': 'no-engine',
  'speech-model-not-installed': 'model-missing',
  'language-not-supported': 'language-unknown',
  'model-damaged': 'model-corrupt',
  'speech-crashed': 'engine-crashed',
  'speech-not-started': 'engine-crashed',
  'speech-failed': 'engine-failed',
  'speech-stalled': 'engine-stalled',
  'model-not-choosable': 'engine-refused',
  // Transcription: on a separate server
  'speech-server-unreachable': 'engine-away',
  'speech-server-gave-up': 'engine-away',
  'speech-server-closes': 'engine-away',
  'speech-server-lost': 'engine-away',
  'speech-server-broke-off': 'engine-failed',
  'speech-server-stalled': 'engine-stalled',
  'speech-server-stopped-answering': 'engine-stalled',
  'speech-server-busy': 'engine-busy',
  'speech-server-silent': 'engine-busy',
  'speech-server-not-ready': 'engine-busy',
  'speech-server-loading': 'engine-busy',
  'speech-server-failed': 'engine-failed',
  'speech-server-key-wrong': 'engine-refused',
  'speech-server-not-found': 'engine-refused',
  'speech-server-redirects': 'engine-refused',
  'speech-server-web-page': 'engine-refused',
  'speech-server-too-large': 'engine-refused',
  'speech-server-no-credit': 'engine-refused',
  'speech-server-cannot': 'engine-refused',
  'speech-server-refused': 'engine-refused',
  'speech-server-certificate': 'engine-refused',
  'speech-server-no-https': 'engine-refused',
  'speech-answer-unreadable': 'engine-answer',
  // Speaker recognition (diarize, join, identify)
  'no-names-answered': 'answer-empty',
  // Language model (identify, punctuate, summarise, entitle)
  'no-language-model': 'no-language-model',
  'language-model-removed': 'no-language-model',
  ...prefixed('language', ofModelServers),
  ...prefixed('embedding', ofModelServers),
  'embedding-answer-unusable': 'model-refused',
  'context-too-small': 'prompt-truncated',
  'context-too-small-to-merge': 'prompt-truncated',
  'content-refused': 'content-filter',
  'answer-declined': 'content-filter',
  'answer-unfinished': 'answer-cut',
  'answer-empty': 'answer-empty',
  'no-title-answered': 'answer-empty',
  'no-summary-answered': 'answer-empty',
  // Documents (write)
  'documents-no-space': 'disk-full',
  'documents-not-writable': 'not-writable',
  'document-name-taken': 'name-in-use',
  'document-not-text': 'not-text',
  // A recorder on a desk
  'mitschrift-server-unreachable': 'engine-away',
  'mitschrift-server-closes': 'engine-away',
  'mitschrift-server-broke-off': 'engine-failed',
  'mitschrift-server-stopped-answering': 'engine-stalled',
  'mitschrift-server-certificate': 'engine-refused',
  'mitschrift-server-no-https': 'engine-refused',
  'not-mitschrift': 'engine-answer',
} as const satisfies Partial<Record<FailureCode, StageErrorCode>>;
