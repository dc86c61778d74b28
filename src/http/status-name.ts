/** The application's states as the interface names them. */
export type StatusName = 'IDLE' | 'RECORDING' | 'TRANSCRIBING' | 'AWAITING_SPEAKERS' | 'ERROR';

/** `transcribing.finishing(…)` → `TRANSCRIBING`: the top level of a canonical state name. */
export const statusName = (state: string): StatusName =>
  (/^[a-z-]+/.exec(state)?.[0] ?? state).replaceAll('-', '_').toUpperCase() as StatusName;

/** `AWAITING_SPEAKERS` → `awaiting-speakers`; undefined for what is no status. */
export const topLevelState = (status: string): string | undefined =>
  names.has(status.toUpperCase()) ? status.toLowerCase().replaceAll('_', '-') : undefined;

const names = new Set<string>([
  'IDLE',
  'RECORDING',
  'TRANSCRIBING',
  'AWAITING_SPEAKERS',
  'ERROR',
] satisfies StatusName[]);
