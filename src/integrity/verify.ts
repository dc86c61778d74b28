import { setTimeout as delay } from 'node:timers/promises';
import type { Damage, EventLog } from '../../events/event-log.ts';
import type { KeyStore } from '../../events/key-store.ts';
import type { DataFolder } from '../shared/data-directory.ts';
import {
  type FilesChecked,
  type KeysChecked,
  type RecordedFiles,
  checkFiles,
  checkKeys,
  keyPath,
  leftLookMs,
  looksMax,
  nothingRecorded,
  recordedAfter,
} from './verify-files.ts';
import { type Finding, findingsMax, openFindings } from './findings.ts';
import { type KeptPlace, keptFiles } from './kept-files.ts';
import { harmedTables } from './tables/tables.ts';
import { type LoggedFact, schemaOf } from '../../events/facts/catalogue.ts';
import { recordingOf } from '../../events/facts/recording.ts';
import { EventStoreError } from '../../events/store.ts';
import { type LogCheck, checkLog } from '../recordings/check-log.ts';
import { check } from '../words/checks.ts';
import type { Sentence } from '../words/params.ts';
import { finding } from '../words/findings.ts';

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
  advice: Sentence[];
};

/**
 * Checks everything a data directory holds against what the log says: the log itself, its tables, the schemas,
 * the machine's states, audio, documents, keys. Goes on behind damage and changes nothing; damage of
 * the log is in the log's health afterwards. Memory does not grow with the log.
 */
export async function verifyData(
  deps: { store: EventLog; keys: KeyStore; data: DataFolder } & KeptPlace,
  signal?: AbortSignal,
): Promise<VerifyReport> {
  const { store } = deps;
  const findings = openFindings();
  const streams = { streams: 0, facts: 0, recordings: 0, audio: 0, documents: 0 };
  const { records, keys } = await verifyLogAndKeys(deps, findings.add, signal);
  for await (const stream of store.streams()) {
    signal?.throwIfAborted();
    streams.streams += 1;
    const one = await checkStream(deps, stream, findings.add);
    for (const count of ['facts', 'recordings', 'audio', 'documents'] as const) {
      streams[count] += one[count];
    }
  }
  // What was met since.
  const { damage, more } = store.health();
  for (const finding of unnamed(damage, findings.list)) findings.add(finding);
  return {
    sound: findings.damages === 0,
    checked: { records, ...streams, keys },
    damages: findings.damages + more,
    findings: findings.list,
    more: findings.more + more,
    advice: adviceOn(findings.list),
  };
}

/** Checks what the other checks rest on: records, tables, contents and the keys that open them. */
export async function verifyLogAndKeys(
  deps: { store: EventLog; keys: KeyStore } & KeptPlace,
  report: (finding: Finding) => void,
  signal?: AbortSignal,
): Promise<{ records: number; keys: KeysChecked }> {
  const { store } = deps;
  const { records } = await store.verify({ contents: true, ...(signal ? { signal } : {}) });
  const found: Finding[] = [];
  const keys = await checkKeys({ ...deps, kept: keptFiles(deps) }, (finding) =>
    found.push(finding),
  );
  const { directory } = store;
  const tables = directory === null ? [] : await harmedTables(directory, { signal });
  for (const table of tables) found.push(...table.findings);
  for (const finding of [...found, ...unnamed(store.health().damage, found)]) report(finding);
  return { records, keys };
}

/** Damage that the log met, without the keys that were found already. */
function unnamed(damage: readonly Damage[], found: readonly Finding[]): Finding[] {
  const keys = new Set(found.map(({ path }) => path));
  return damage.map(asFinding).filter(({ path }) => path === undefined || !keys.has(path));
}

/** Damage that the log met, as a finding. */
const asFinding = ({ subject, ...where }: Damage): Finding => ({
  ...where,
  ...(subject === undefined ? {} : { path: keyPath(subject) }),
  severity: 'damage',
});

/** What a person can do, by what is damaged. Nothing is ever repaired by itself. */
export function adviceOn(findings: readonly Pick<Finding, 'severity' | 'kind'>[]): Sentence[] {
  const kinds = new Set(
    findings.filter(({ severity }) => severity === 'damage').map(({ kind }) => kind),
  );
  const advice: Sentence[] = [];
  if (kinds.has('record') || kinds.has('index')) advice.push(check('restore-or-salvage'));
  if (kinds.has('table')) advice.push(check('table-damaged'));
  if (kinds.has('key')) advice.push(check('keys-from-backup'));
  if (kinds.has('user')) advice.push(check('recreate-users'));
  if (kinds.has('audio')) advice.push(check('audio-from-backup'));
  if (kinds.has('left')) advice.push(check('delete-leftovers'));
  if (kinds.has('state') || kinds.has('fact')) advice.push(check('events-unexpected'));
  return advice;
}

/**
 * Checks one stream: its facts hold to their schemas, the machine's states are those that were
 * recorded, and the recording's files have the hashes recorded for them. Damage in the stream's
 * records ends the check of this stream; the log keeps it in its health.
 */
export async function checkStream(
  deps: { store: EventLog } & KeptPlace,
  stream: string,
  report: (finding: Finding) => void,
  pause?: () => Promise<void>,
): Promise<StreamChecked> {
  const checked: StreamChecked = { facts: 0, recordings: 0, audio: 0, documents: 0 };
  let files = nothingRecorded;
  const nameless = namelessUsers();
  let whole = true;
  try {
    for await (const fact of deps.store.read(stream)) {
      checked.facts += 1;
      checkSchema(fact, report);
      files = recordedAfter(files, fact);
      nameless.note(fact);
    }
    nameless.report(report);
  } catch (error) {
    unreadable(stream, error, report);
    whole = false;
  }
  const recordingId = recordingOf(stream);
  if (recordingId === undefined) return checked;
  checked.recordings = 1;
  try {
    const { differences } = checked.facts > 0 ? await checkLog(deps.store, recordingId) : nothing;
    for (const { version, said } of differences) {
      report({ kind: 'state', severity: 'damage', stream, version, said });
    }
  } catch (error) {
    unreadable(stream, error, report);
  }
  const place = { recordingId, stream };
  const kept = keptFiles(deps);
  for (let looks = 1, version = checked.facts; ; looks += 1) {
    const found: Finding[] = [];
    const counted = await checkFiles(kept, place, files, (one) => found.push(one), pause);
    const now = !whole || found.length === 0 ? version : await deps.store.version(stream);
    // A deletion is stored before it is carried out.
    const isLeft = found.some(({ kind }) => kind === 'left') && looks < looksMax;
    if (isLeft) await delay(leftLookMs);
    if ((now === version && !isLeft) || looks >= looksMax) {
      for (const finding of found) report(finding);
      return { ...checked, ...counted };
    }
    // The recording went on meanwhile (erased, processed again): what was found may be past.
    version = now;
    files = await filesNow(deps.store, stream);
  }
}

/** Of a stream whose first fact cannot be read. */
const nothing: Pick<LogCheck, 'differences'> = { differences: [] };

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
  advice: Sentence[];
};

/** Joins what the log knows of its own damage with what was found in files and keys. */
export function healthOf(
  store: Pick<EventLog, 'health'>,
  inFiles: Iterable<Finding>,
): ServiceHealth {
  const { state, damage, more, reason } = store.health();
  const harmed = [...inFiles].filter(({ severity }) => severity === 'damage');
  const found = [...unnamed(damage, harmed), ...harmed]
    .slice(0, findingsMax)
    .map(({ severity: _severity, ...finding }) => finding);
  return {
    state: state === 'ok' && found.length > 0 ? 'damaged' : state,
    writable: state === 'ok',
    damage: found,
    more,
    advice: [
      ...(reason === undefined ? [] : [reason]),
      ...adviceOn(found.map(({ kind }) => ({ kind, severity: 'damage' }))),
    ],
  };
}

/** While the disk is full for the rows nothing new is taken either: its result could not be read. */
export const withRows = (health: ServiceHealth, full: Sentence | undefined): ServiceHealth =>
  full === undefined || health.state !== 'ok'
    ? health
    : {
        ...health,
        state: 'recovering',
        writable: false,
        advice: [full, ...health.advice],
      };

/** What the log lost before this start is told for as long as the service runs: it is for a person to look after. */
export const withLoss = (health: ServiceHealth, lost: Sentence | null): ServiceHealth =>
  lost === null ? health : { ...health, advice: [lost, ...health.advice] };

type StreamChecked = FilesChecked & Pick<LogCheck, 'facts' | 'recordings'>;

async function filesNow(store: EventLog, stream: string): Promise<RecordedFiles> {
  let files = nothingRecorded;
  for await (const fact of store.read(stream)) files = recordedAfter(files, fact);
  return files;
}

function checkSchema(fact: LoggedFact, report: (finding: Finding) => void): void {
  const schema = schemaOf(fact.type);
  const parts = [
    ['data', schema?.data.safeParse(fact.data)],
    ['content', fact.content === undefined ? undefined : schema?.content?.safeParse(fact.content)],
  ] as const;
  for (const [part, result] of parts) {
    if (result === undefined || result.success) continue;
    const { position, stream, version } = fact;
    const place = [part, ...(result.error.issues[0]?.path.map(String) ?? [])].join('.');
    const said = finding('event-invalid', { type: fact.type, place });
    report({ kind: 'fact', severity: 'damage', position, stream, version, said });
  }
}

/** Anything but damage ends the whole check. */
function unreadable(stream: string, error: unknown, report: (finding: Finding) => void): void {
  if (!(error instanceof EventStoreError) || error.code !== 'DAMAGED') throw error;
  report({ kind: 'record', severity: 'damage', stream, said: finding('stream-unreadable') });
}

/**
 * Finds users whose key was destroyed although nobody deleted them: they cannot log in, and are in no list. A key that is
 * lost is a finding of its own. Memory: one entry a deleted user.
 */
function namelessUsers(): {
  note(fact: LoggedFact): void;
  report(add: (finding: Finding) => void): void;
} {
  const found = new Map<string, Finding>();
  return {
    note(fact) {
      if (fact.type === 'user.deleted') found.delete(fact.data.user_id);
      if (fact.type !== 'user.registered' || fact.erased !== true) return;
      const { data, stream, version, subject } = fact;
      const said = finding('user-nameless', { user: data.user_id });
      const path = keyPath(subject ?? data.user_id);
      found.set(data.user_id, { severity: 'damage', kind: 'user', stream, version, path, said });
    },
    report(add) {
      for (const finding of found.values()) add(finding);
    },
  };
}
