import { resolve } from 'node:path';
import { hostFrom } from '../host.ts';
import { repair as salvage, sourceOfBackup, sourceOfData } from '../integrity/repair.ts';
import { askService } from './control.ts';
import { printReport } from './verify.ts';

/** Salvages a damaged data directory, or a damaged backup, into a new one. The source is only read. */
export async function repair(options: {
  out: string;
  backup?: string;
  json: boolean;
}): Promise<void> {
  const { data } = hostFrom(process.env);
  if (options.backup === undefined && (await askService(data.controlSocket, 'settings')) !== null) {
    throw new Error('The service runs. Stop it first: its files must not change meanwhile.');
  }
  const source =
    options.backup === undefined
      ? sourceOfData(data.root)
      : await sourceOfBackup(resolve(options.backup));
  const report = await salvage(source, options.out);
  if (options.json) {
    console.log(JSON.stringify(report));
  } else {
    for (const sentence of report.tables) console.log(`✖ ${sentence}`);
    for (const { position, upTo, what } of report.unreadable) {
      console.log(
        `✖ ${position === upTo ? `position ${position}` : `positions ${position} to ${upTo}`}: ${what}`,
      );
    }
    for (const { stream, lastVersion, setAside } of report.cut) {
      console.log(
        `✖ ${stream}: ends at version ${lastVersion}, ${setAside} facts behind that set aside`,
      );
    }
    if (report.more > 0) console.log(`… and ${report.more} more`);
    console.log(`${report.facts} facts taken over into ${report.directory}`);
    if (report.leftOver !== null) console.log(`What was not is in ${report.leftOver}`);
    printReport(report.verified);
  }
  if (!report.verified.sound) process.exitCode = 1;
}
