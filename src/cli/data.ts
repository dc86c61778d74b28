import { resolve } from 'node:path';
import type { ClusterSettings } from '../shared/cluster-settings.ts';
import { type DataFolder, type Host, hostFrom } from '../shared/data-directory.ts';
import { type BackupReport, backup as backUp } from '../integrity/backup.ts';
import { withSharedLog } from '../integrity/shared-log-alone.ts';
import { withLogAlone } from '../integrity/open-mark.ts';
import { askService } from '../service/control/socket.ts';
import { restore as restoreFrom } from '../integrity/restore.ts';
import { EventStoreError } from '../../events/store.ts';
import { messageOf } from '../shared/errors.ts';
import { KeyError } from '../../events/key-store.ts';
import { type Finding, findingAnswer, findingSaid, whyUnopenable } from '../integrity/findings.ts';
import { harmedTables } from '../integrity/tables/tables.ts';
import { type VerifyReport, adviceOn, verifyData } from '../integrity/verify.ts';
import { repair as salvage, sourceOfBackup, sourceOfData } from '../integrity/repair.ts';
import { type ExportedLog, exportLog as exportTo } from '../integrity/export-log.ts';
import { importLog as importFrom } from '../integrity/import-log.ts';
import { onStopSignals } from './stop-signals.ts';
import { inEnglish } from '../words/say.ts';
import { finding } from '../words/findings.ts';

/** Backs up the data directory; beside a running service the service does it. */
export async function backupCommand(directory: string, options: { json: boolean }): Promise<void> {
  const { data } = hostAlone('backup');
  const path = resolve(directory);
  const stop = new AbortController();
  const interrupted = () => {
    stop.abort(new Error('The backup was cancelled. What was backed up before is as it was.'));
    // The service's ends there, and its answer is then that it was cancelled.
    askService(data.controlSocket, 'backup-cancel').catch(() => undefined);
  };
  onStopSignals(['SIGINT', 'SIGTERM'], interrupted);
  const report =
    (await askService<BackupReport>(data.controlSocket, 'backup', { directory: path })) ??
    (await withLogAlone(data, async (opened) => {
      const made = await backUp({ ...opened, data }, path, stop.signal);
      await opened.counted.note('backup.completed', 'system').catch((error: unknown) => {
        console.error(`What happened doesn’t have this backup: ${messageOf(error)}`);
      });
      return made;
    }));
  if (options.json) {
    console.log(JSON.stringify(report));
    return;
  }
  const { facts, newFacts, files } = report;
  console.log(
    `Backup in ${path}: ${facts} events (${newFacts} new), ${files.copied} files copied, ${files.linked} unchanged`,
  );
}

/** Makes the (empty) data directory of a backup, and checks it. Exit code 1 when something is damaged. */
export async function restoreCommand(
  directory: string,
  options: { erasures?: string | undefined; json: boolean },
): Promise<void> {
  const { data } = hostAlone('restore');
  const { erasures } = options;
  const report = await restoreFrom(
    resolve(directory),
    data,
    erasures === undefined ? {} : { erasures: resolve(erasures) },
  );
  if (options.json) {
    console.log(JSON.stringify({ ...report, verified: verifiedJson(report.verified) }));
  } else {
    console.log(`Restored to ${report.directory}: ${report.facts} events, as of ${report.at}`);
    if (report.erasedAgain > 0)
      console.log(`${report.erasedAgain} recordings and users erased again`);
    printReport(report.verified);
  }
  if (!report.verified.sound) process.exitCode = 1;
}

/** Checks everything in the data directory; beside a running service the service does it. Exit code 1 on damage. */
export async function verify(options: { json: boolean }): Promise<void> {
  const { data, cluster } = hostFrom(process.env);
  const report =
    (await askService<VerifyReport>(data.controlSocket, 'verify')) ??
    (cluster ? await verifyShared(cluster, data) : await verifyAlone(data));
  if (options.json) console.log(JSON.stringify(verifiedJson(report)));
  else printReport(report);
  if (!report.sound) process.exitCode = 1;
}

/** For people: what was found, what was looked at, what to do. */
export function printReport({
  sound,
  checked,
  damages,
  findings,
  more,
  advice,
}: VerifyReport): void {
  for (const one of findings)
    console.log(`${one.severity === 'damage' ? '✖' : '–'} ${findingText(one)}`);
  if (more > 0) console.log(`… and ${more} more`);
  const { records, recordings, audio, documents, keys } = checked;
  console.log(
    `${records} events, ${recordings} recordings, ${audio} audio files, ${documents} documents, ` +
      `${keys.sound} keys (${keys.erased} erased): ${sound ? 'no damage' : `${damages} damaged`}`,
  );
  for (const one of advice) console.log(`→ ${inEnglish(one)}`);
}

/** A server of an earlier release, which goes on after an update, answers in words. */
const findingText = (one: Finding | (Omit<Finding, 'said'> & { what: string })): string =>
  'what' in one ? `${one.kind}: ${one.what}` : inEnglish(findingSaid(one));

/** As `--json` has it: of each finding what is wrong in English, and its code with parameters. */
const verifiedJson = (report: VerifyReport): object => ({
  ...report,
  findings: report.findings.map((one) => findingAnswer(one, 'en')),
  advice: report.advice.map(inEnglish),
});

/** Salvages a damaged data directory, or a damaged backup, into a new one. The source is only read. */
export async function repairCommand(options: {
  out: string;
  backup?: string | undefined;
  json: boolean;
}): Promise<void> {
  const { data } = hostAlone('repair');
  if (options.backup === undefined && (await askService(data.controlSocket, 'settings')) !== null) {
    throw new Error('Mitschrift is running. Stop it first, so that its files don’t change.');
  }
  const source =
    options.backup === undefined
      ? sourceOfData(data.root)
      : await sourceOfBackup(resolve(options.backup));
  const report = await salvage(source, options.out);
  if (options.json) {
    const { tables, verified } = report;
    console.log(
      JSON.stringify({
        ...report,
        tables: tables.map(findingText),
        verified: verifiedJson(verified),
      }),
    );
  } else {
    for (const table of report.tables) console.log(`✖ ${findingText(table)}`);
    for (const { position, upTo, what } of report.unreadable) {
      const positions = `positions ${position} to ${upTo} (${upTo - position + 1} events)`;
      console.log(`✖ ${position === upTo ? `position ${position}` : positions}: ${what}`);
    }
    for (const { stream, lastVersion, setAside } of report.cut) {
      console.log(
        `✖ ${stream}: ends at version ${lastVersion}; ${setAside} later events were set aside`,
      );
    }
    for (const { subject, reason, facts } of report.lostKeys) {
      console.log(`✖ key of ${subject}: ${reason}; ${facts} events can’t be read`);
    }
    if (report.more > 0) console.log(`… and ${report.more} more`);
    console.log(`${report.facts} events saved to ${report.directory}`);
    if (report.leftOver !== null) console.log(`The rest is in ${report.leftOver}`);
    printReport(report.verified);
  }
  if (!report.verified.sound) process.exitCode = 1;
}

/** Writes the log as JSON lines; beside a running service the service does it. */
export async function exportLogCommand(file: string, options: { decrypt: boolean }): Promise<void> {
  const { data, cluster } = hostFrom(process.env);
  const { decrypt } = options;
  const path = resolve(file);
  const stop = new AbortController();
  const cancelled = new Error('The export was cancelled. No file was written.');
  onStopSignals(['SIGINT', 'SIGTERM', 'SIGHUP'], () => stop.abort(cancelled));
  const { signal } = stop;
  const exportAlone = (opened: Parameters<typeof exportTo>[0]) =>
    exportTo(opened, path, { decrypt }, signal);
  const asked = { file: path, decrypt };
  const { facts } =
    (await askService<ExportedLog>(data.controlSocket, 'export-log', asked, signal)) ??
    (await (cluster ? withSharedLog(cluster, null, exportAlone) : withLogAlone(data, exportAlone)));
  console.log(`${path}: ${facts} events`);
  if (decrypt)
    console.error('This file contains what people said as readable text. Store it safely.');
}

/** Makes a log of an exported file in a data directory without one, and checks it. Exit code 1 on damage. */
export async function importLogCommand(file: string): Promise<void> {
  const { data } = hostAlone('import-log');
  await importFrom(data, resolve(file));
  const report = await withLogAlone(data, (opened) => verifyData({ ...opened, data }));
  printReport(report);
  if (!report.sound) process.exitCode = 1;
}

/**
 * The host of a command that works on the files of LevelDB.
 * @throws {Error} the log is in a database: what to use instead
 */
function hostAlone(command: keyof typeof insteadOf): Host {
  const host = hostFrom(process.env);
  if (host.cluster === null) return host;
  throw new Error(
    `mitschrift ${command} works only with a data directory, but MITSCHRIFT_DATABASE_URL is set. ` +
      insteadOf[command],
  );
}

const insteadOf = {
  backup:
    'Back up the database with its own tools (pg_basebackup with WAL), then the shared storage, in this order. ' +
    'Store the folder keys of the shared storage separately.',
  restore:
    'Restore the database with its own tools, then the shared storage of the same time or later. Then run mitschrift verify.',
  repair:
    'Restore PostgreSQL from its own backup if it is damaged; mitschrift verify lists the damage.',
  'import-log': 'To copy a data directory into a database, use mitschrift migrate --from DIR.',
} as const;

/** Log, keys and files of a cluster. Files in a bucket are read from it, one after the other. */
const verifyShared = (cluster: ClusterSettings, data: DataFolder): Promise<VerifyReport> =>
  withSharedLog(cluster, null, (opened) => verifyData({ ...opened, data }));

async function verifyAlone(data: DataFolder): Promise<VerifyReport> {
  try {
    return await withLogAlone(data, ({ store, keys }) => verifyData({ store, keys, data }));
  } catch (error) {
    const damaged =
      (error instanceof EventStoreError || error instanceof KeyError) && error.code === 'DAMAGED';
    if (!damaged) throw error;
    const kind = error instanceof KeyError ? 'key' : 'record';
    const said = finding('log-unopenable', { cause: whyUnopenable(error, data.log) });
    const refusal = { severity: 'damage', kind, said } as const;
    const tables = await harmedTables(data.log);
    const findings = [refusal, ...tables.flatMap((table) => table.findings)];
    return {
      sound: false,
      checked: {
        records: 0,
        streams: 0,
        facts: 0,
        recordings: 0,
        audio: 0,
        documents: 0,
        keys: { sound: 0, erased: 0 },
      },
      damages: findings.length,
      findings,
      more: 0,
      advice: adviceOn(findings),
    };
  }
}
