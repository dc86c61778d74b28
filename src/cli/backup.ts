import { resolve } from 'node:path';
import { hostFrom } from '../host.ts';
import { backup as backUp, type BackupReport } from '../integrity/backup.ts';
import { withLogAlone } from '../integrity/open-alone.ts';
import { askService } from './control.ts';

/** Backs up the data directory; beside a running service the service does it. */
export async function backup(directory: string, options: { json: boolean }): Promise<void> {
  const { data } = hostFrom(process.env);
  const path = resolve(directory);
  const report =
    (await askService<BackupReport>(data.controlSocket, 'backup', { directory: path })) ??
    (await withLogAlone(data, (opened) => backUp({ ...opened, data }, path)));
  if (options.json) {
    console.log(JSON.stringify(report));
    return;
  }
  const { facts, newFacts, files } = report;
  console.log(
    `${path}: ${facts} facts (${newFacts} new), ${files.copied} files copied, ${files.linked} already there`,
  );
}
