import type { Log as EventLog } from '../../events/level-log.ts';
import { findingsMax, type Finding } from './findings.ts';
import { adviceOn } from './verify-data.ts';

/** Whether everything is as it was recorded, as far as it has been looked at. */
export type ServiceHealth = {
  /** `recovering`: a write failed and the log is being opened again; this passes by itself. */
  state: 'ok' | 'damaged' | 'recovering';
  /** Whether anything new is taken. */
  writable: boolean;
  /** Damaged records, keys and audio files, the first of them. */
  damage: Omit<Finding, 'severity'>[];
  /** How many more there are. */
  more: number;
  /** What a person can do about it; empty when nothing is damaged. */
  advice: string[];
};

/** Joins what the log knows of its own damage with what was found in files and keys. */
export function healthOf(
  store: Pick<EventLog, 'health'>,
  inFiles: Iterable<Finding>,
): ServiceHealth {
  const { state, damage, more } = store.health();
  const found: Omit<Finding, 'severity'>[] = damage.map(({ message, ...where }) => ({
    ...where,
    what: message,
  }));
  for (const { severity, ...finding } of inFiles) {
    if (severity === 'damage' && found.length < findingsMax) found.push(finding);
  }
  return {
    state: state === 'ok' && found.length > 0 ? 'damaged' : state,
    writable: state === 'ok',
    damage: found,
    more,
    advice: adviceOn(found.map(({ kind }) => ({ kind, severity: 'damage' }))),
  };
}
