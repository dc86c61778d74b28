import type { Log as EventLog } from '../../events/level-log.ts';
import type { KeyStore } from '../../events/keys.ts';
import { streamNames } from '../../events/stream-names.ts';
import type { DataFolder } from '../host.ts';
import { checkKeys, type KeysChecked } from './check-keys.ts';
import { checkStream, type StreamChecked } from './check-stream.ts';
import { openFindings, type Finding } from './findings.ts';
import { harmedTables } from './tables/check-tables.ts';

/** What `mitschrift verify` found. */
export type VerifyReport = {
  /** Nothing is damaged. */
  sound: boolean;
  /** How much was looked at. */
  checked: { records: number; streams: number; keys: KeysChecked } & StreamChecked;
  damages: number;
  findings: readonly Finding[];
  /** Findings that are not listed. */
  more: number;
  /** What to do about it; empty when nothing is damaged. */
  advice: string[];
};

/**
 * Checks everything a data directory holds against what the log says: the log itself, its tables, the schemas,
 * the machine's states, audio, documents, keys. Goes on behind damage and changes nothing; damage of
 * the log is in the log's health afterwards. Memory does not grow with the log.
 */
export async function verifyData(
  deps: { store: EventLog; keys: KeyStore; data: DataFolder },
  signal?: AbortSignal,
): Promise<VerifyReport> {
  const { store } = deps;
  const findings = openFindings();
  const streams = { streams: 0, facts: 0, recordings: 0, audio: 0, documents: 0 };
  const { records } = await store.verify({ contents: true, ...(signal ? { signal } : {}) });
  const keys = await checkKeys(deps, findings.add);
  for await (const stream of streamNames(store.db)) {
    signal?.throwIfAborted();
    streams.streams += 1;
    const one = await checkStream(deps, stream, findings.add);
    for (const count of ['facts', 'recordings', 'audio', 'documents'] as const) {
      streams[count] += one[count];
    }
  }
  const harmed = await harmedTables(deps.data.log, { signal });
  for (const table of harmed) table.findings.forEach(findings.add);
  const { damage, more } = store.health();
  for (const { kind, message, ...where } of damage) {
    findings.add({ ...where, kind, severity: 'damage', what: message });
  }
  return {
    sound: findings.damages === 0,
    checked: { records, ...streams, keys },
    damages: findings.damages + more,
    findings: findings.list,
    more: findings.more + more,
    advice: adviceOn(findings.list),
  };
}

/** What a person can do, by what is damaged. Nothing is ever repaired by itself. */
export function adviceOn(findings: readonly Pick<Finding, 'severity' | 'kind'>[]): string[] {
  const kinds = new Set(
    findings.filter(({ severity }) => severity === 'damage').map(({ kind }) => kind),
  );
  const advice: string[] = [];
  if (kinds.has('record') || kinds.has('index')) {
    advice.push(
      'The log is damaged and takes nothing new. Stop the service and restore the last backup into a ' +
        'new data directory (mitschrift restore), or salvage what can be read (mitschrift repair --out).',
    );
  }
  if (kinds.has('table')) {
    advice.push(
      'A table of the database is damaged, and the database may end the service when it comes to it. ' +
        'Stop the service and restore the last backup into a new data directory (mitschrift restore), ' +
        'or salvage what can be read (mitschrift repair --out).',
    );
  }
  if (kinds.has('key')) {
    advice.push('Put the named keys back from a backup, or erase their recordings.');
  }
  if (kinds.has('audio')) advice.push('Put the named audio files back from a backup.');
  if (kinds.has('state') || kinds.has('fact')) {
    advice.push(
      'Facts are not what this release would have recorded: report it, with the output of this command.',
    );
  }
  return advice;
}
