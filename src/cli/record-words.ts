import type { DeskState } from '../recorder/desk-state.ts';
import { clock } from '../shared/time.ts';

/** Says on standard error how recordings of this desk are. */
export interface RecordWords {
  show(states: readonly DeskState[]): void;
  /** A line of its own. */
  say(text: string): void;
  /** The last state gets its own line. */
  end(): void;
}

/** On a terminal one line that changes; elsewhere a line when something other than the time has changed. */
export function recordWords(stream: NodeJS.WriteStream = process.stderr): RecordWords {
  let shown = '';
  const clear = () => (stream.isTTY && shown !== '' ? '\r\u001B[K' : '');
  return {
    show(states) {
      const line = states.map((state) => stateInWords(state, stream.isTTY)).join(' · ');
      if (line === shown || line === '') return;
      stream.write(stream.isTTY ? `${clear()}${line.slice(0, stream.columns - 1)}` : `${line}\n`);
      shown = line;
    },
    say(text) {
      stream.write(`${clear()}${text}\n`);
      shown = '';
    },
    end() {
      if (stream.isTTY && shown !== '') stream.write('\n');
      shown = '';
    },
  };
}

const phases: Record<DeskState['phase'], string> = {
  starting: 'starting',
  recording: 'recording',
  paused: 'paused',
  sending: 'sending the rest',
};

/** @param isLive with what changes all the time */
function stateInWords(state: DeskState, isLive: boolean): string {
  const { phase, seconds, unsentSeconds, level, device, away } = state;
  const parts = [phases[phase]];
  if (isLive) parts.push(clock(seconds));
  if (isLive && phase === 'recording') parts.push(`level ${bar(level)}`);
  if (device !== null) parts.push(device);
  if (away !== null) parts.push(away);
  // A second or two are always on their way.
  const unsent = unsentSeconds < 3 ? '' : `${clock(unsentSeconds)} not sent yet`;
  if (isLive && phase !== 'starting') parts.push(unsent === '' ? 'all sent' : unsent);
  else if (away !== null && phase !== 'starting') parts.push('it is kept here');
  return parts.filter((part) => part !== '').join(', ');
}

const bars = 10;
/** Quieter is nothing, in decibels below full scale. */
const floorDb = -60;

/** Of a peak from 0 to 1. */
function bar(level: number | null): string {
  const db = level === null || level === 0 ? floorDb : 20 * Math.log10(level);
  const filled = Math.round(bars * Math.min(1, Math.max(0, 1 - db / floorDb)));
  return '█'.repeat(filled) + '░'.repeat(bars - filled);
}
