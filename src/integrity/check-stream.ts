import { schemaOf, type LoggedFact } from '../../events/catalogue.ts';
import type { Log as EventLog } from '../../events/level-log.ts';
import { recordingOf } from '../../events/recording-facts.ts';
import { EventStoreError } from '../../events/store.ts';
import type { DataFolder } from '../host.ts';
import { checkLog, type LogCheck } from '../recordings/check-log.ts';
import { checkFiles, type FilesChecked } from './check-files.ts';
import type { Finding } from './findings.ts';
import { noFiles, noteFiles } from './recorded-files.ts';

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
  const files = noFiles();
  try {
    for await (const fact of deps.store.read(stream)) {
      checked.facts += 1;
      checkSchema(fact, report);
      noteFiles(files, fact);
    }
  } catch (error) {
    unreadable(stream, error, report);
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
  return { ...checked, ...(await checkFiles(deps.data, place, files, report, pause)) };
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
