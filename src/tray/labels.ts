import type { StatusView } from '../../projections/status.ts';

/** What the service is at; `AWAY` when it does not answer. */
export type TrayState = StatusView['status'] | 'AWAY';

export type TrayLabels = {
  state: Record<TrayState, string>;
  solo: string;
  meeting: string;
  stop: string;
  reset: string;
  open: string;
  quit: string;
};

/** In the language of the desktop session. */
export const labelsFor = (env: NodeJS.ProcessEnv): TrayLabels =>
  (env['LC_ALL'] || env['LC_MESSAGES'] || env['LANG'] || '').startsWith('de') ? german : english;

/** Names of the freedesktop icon naming specification: every icon theme has them. */
export const icons: Record<TrayState, string> = {
  IDLE: 'audio-input-microphone',
  RECORDING: 'media-record',
  TRANSCRIBING: 'document-save',
  AWAITING_SPEAKERS: 'dialog-question',
  ERROR: 'dialog-error',
  AWAY: 'network-offline',
};

const english: TrayLabels = {
  state: {
    IDLE: 'Ready',
    RECORDING: 'Recording',
    TRANSCRIBING: 'Writing notes',
    AWAITING_SPEAKERS: 'Who spoke?',
    ERROR: 'Something went wrong',
    AWAY: 'The service does not run',
  },
  solo: 'Record',
  meeting: 'Record a meeting',
  stop: 'Stop',
  reset: 'Clear errors',
  open: 'Open web page',
  quit: 'Remove this icon',
};

const german: TrayLabels = {
  state: {
    IDLE: 'Bereit',
    RECORDING: 'Nimmt auf',
    TRANSCRIBING: 'Schreibt Notizen',
    AWAITING_SPEAKERS: 'Wer hat gesprochen?',
    ERROR: 'Etwas ist schiefgegangen',
    AWAY: 'Der Dienst läuft nicht',
  },
  solo: 'Aufnehmen',
  meeting: 'Besprechung aufnehmen',
  stop: 'Beenden',
  reset: 'Fehler verwerfen',
  open: 'Webseite öffnen',
  quit: 'Dieses Symbol entfernen',
};
