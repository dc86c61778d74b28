import { resolve } from 'node:path';
import { hostFrom } from '../host.ts';
import { restore as restoreFrom } from '../integrity/restore.ts';
import { printReport } from './verify.ts';

/** Makes the (empty) data directory of a backup, and checks it. Exit code 1 when something is damaged. */
export async function restore(
  directory: string,
  options: { erasures?: string; json: boolean },
): Promise<void> {
  const { data } = hostFrom(process.env);
  const { erasures } = options;
  const report = await restoreFrom(
    resolve(directory),
    data,
    erasures === undefined ? {} : { erasures: resolve(erasures) },
  );
  if (options.json) {
    console.log(JSON.stringify(report));
  } else {
    console.log(`${report.directory}: ${report.facts} facts, as of ${report.at}`);
    if (report.erasedAgain > 0)
      console.log(`${report.erasedAgain} recordings and users erased again`);
    printReport(report.verified);
  }
  if (!report.verified.sound) process.exitCode = 1;
}
