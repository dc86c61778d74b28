/** Marks the moment of what is recorded: a side note without words, at its second. */
import { toast } from '../app/toasts.ts';
import type { Surface } from '../client/microphone/recording-surface.ts';
import { writeSidenote } from '../client/unsent-sidenotes.ts';
import { clock } from '../components/durations.ts';
import { words } from './words.ts';

/** In these what is said goes on and has a second. */
const marked = ['recording', 'network', 'memory', 'silent', 'room'];

export const mayMark = (now: Surface | null): now is Surface & { recordingId: string } =>
  now !== null && now.recordingId !== null && !now.isPaused && marked.includes(now.state);

/** At once; what the service does not hear is told again when it answers, once. */
export const markMoment = ({ recordingId, seconds }: Surface & { recordingId: string }): void =>
  markAt(recordingId, seconds);

/** Removes the message of the last mark. */
let removeTold = () => {};

/** Marks a second of a recording. Every page shows and says so, of the last mark alone. */
export function markAt(recordingId: string, seconds: number): void {
  const at = Math.floor(seconds * 10) / 10;
  removeTold();
  removeTold = toast(words.get().marked({ time: clock(at) }));
  writeSidenote({ recordingId, at, text: '', mark: true }, () => toast(words.get().notMarked));
}
