import { EventStoreError } from '../../events/store.ts';
import { KeyError } from '../../events/keys.ts';
import { hostFrom, type DataFolder } from '../host.ts';
import { placeOf } from '../integrity/findings.ts';
import { withLogAlone } from '../integrity/open-alone.ts';
import { harmedTables } from '../integrity/tables/check-tables.ts';
import { adviceOn, verifyData, type VerifyReport } from '../integrity/verify-data.ts';
import { askService } from './control.ts';

/** Checks everything in the data directory; beside a running service the service does it. Exit code 1 on damage. */
export async function verify(options: { json: boolean }): Promise<void> {
  const { data } = hostFrom(process.env);
  const report =
    (await askService<VerifyReport>(data.controlSocket, 'verify')) ?? (await verifyAlone(data));
  if (options.json) console.log(JSON.stringify(report));
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
  for (const finding of findings) {
    const mark = finding.severity === 'damage' ? '✖' : '–';
    const place = placeOf(finding);
    console.log(`${mark} ${finding.kind}${place === '' ? '' : ` (${place})`}: ${finding.what}`);
  }
  if (more > 0) console.log(`… and ${more} more`);
  const { records, recordings, audio, documents, keys } = checked;
  console.log(
    `${records} records, ${recordings} recordings, ${audio} audio files, ${documents} documents, ` +
      `${keys.sound} keys (${keys.erased} erased): ${sound ? 'all sound' : `${damages} damaged`}`,
  );
  for (const sentence of advice) console.log(`→ ${sentence}`);
}

async function verifyAlone(data: DataFolder): Promise<VerifyReport> {
  try {
    return await withLogAlone(data, ({ store, keys }) => verifyData({ store, keys, data }));
  } catch (error) {
    const damaged =
      (error instanceof EventStoreError || error instanceof KeyError) && error.code === 'DAMAGED';
    if (!damaged) throw error;
    const kind = error instanceof KeyError ? 'key' : 'record';
    const refusal = { severity: 'damage', kind, what: error.message } as const;
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
