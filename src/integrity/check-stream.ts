import { schemaOf, type LoggedFact } from '../../events/catalogue.ts';
import type { Log as EventLog } from '../../events/level-log.ts';
import { recordingOf } from '../../events/recording-facts.ts';
import { EventStoreError } from '../../events/store.ts';
import type { DataFolder } from '../host.ts';
import { checkLog, type LogCheck } from '../recordings/check-log.ts';
import { checkFiles, type FilesChecked } from './check-files.ts';
import type { Finding } from './findings.ts';
import { noFiles, noteFiles, type RecordedFiles } from './recorded-files.ts';

/** How often a recording that goes on while its files are looked at is looked at again. */
const looksMax = 3;

export type StreamChecked = FilesChecked & Pick<LogCheck, 'facts' | 'recordings'>;

/**
 * Checks one stream: its facts hold to their schemas, the machine's states are those that were
 * recorded, and the recording's files have the hashes recorded for them. Damage in the stream's
 * records ends the check of this stream; the log keeps it in its health.
 */
export async function checkStream(
  deps: { store: EventLog; data: Pick<DataFolder, 'root' | 'recordings'> },
  stream: string,
  report: (finding: Finding) => void,
  pause?: () => Promise<void>,
): Promise<StreamChecked> {
  const checked: StreamChecked = { facts: 0, recordings: 0, audio: 0, documents: 0 };
  let files = noFiles();
  let whole = true;
  try {
    for await (const fact of deps.store.read(stream)) {
      checked.facts += 1;
      checkSchema(fact, report);
      noteFiles(files, fact);
    }
  } catch (error) {
    unreadable(stream, error, report);
    whole = false;
  }
  const recordingId = recordingOf(stream);
  if (recordingId === undefined) return checked;
  checked.recordings = 1;
  try {
    const { differences } = await checkLog(deps.store, recordingId);
    for (const { version, difference } of differences) {
      report({ kind: 'state', severity: 'damage', stream, version, what: `${difference}.` });
    }
  } catch (error) {
    unreadable(stream, error, report);
  }
  const place = { recordingId, stream };
  for (let looks = 1, version = checked.facts; ; looks += 1) {
    const found: Finding[] = [];
    const counted = await checkFiles(deps.data, place, files, (one) => found.push(one), pause);
    const now = !whole || found.length === 0 ? version : await deps.store.version(stream);
    if (now === version || looks >= looksMax) {
      for (const finding of found) report(finding);
      return { ...checked, ...counted };
    }
    // The recording went on meanwhile (erased, processed again): what was found may be past.
    version = now;
    files = await filesNow(deps.store, stream);
  }
}

async function filesNow(store: EventLog, stream: string): Promise<RecordedFiles> {
  const files = noFiles();
  for await (const fact of store.read(stream)) noteFiles(files, fact);
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
    const where = [part, ...(result.error.issues[0]?.path.map(String) ?? [])].join('.');
    const what = `${fact.type} does not hold to its schema at ${where}.`;
    report({ kind: 'fact', severity: 'damage', position, stream, version, what });
  }
}

/** Anything but damage ends the whole check. */
function unreadable(stream: string, error: unknown, report: (finding: Finding) => void): void {
  if (!(error instanceof EventStoreError) || error.code !== 'DAMAGED') throw error;
  report({ kind: 'record', severity: 'damage', stream, what: 'It cannot be read to its end.' });
}
