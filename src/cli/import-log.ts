import { resolve } from 'node:path';
import { hostFrom } from '../host.ts';
import { importLog as importFrom } from '../integrity/import-log.ts';
import { withLogAlone } from '../integrity/open-alone.ts';
import { verifyData } from '../integrity/verify-data.ts';
import { printReport } from './verify.ts';

/** Makes a log of an exported file in a data directory without one, and checks it. Exit code 1 on damage. */
export async function importLog(file: string): Promise<void> {
  const { data } = hostFrom(process.env);
  await importFrom(data, resolve(file));
  const report = await withLogAlone(data, (opened) => verifyData({ ...opened, data }));
  printReport(report);
  if (!report.sound) process.exitCode = 1;
}
