import { resolve } from 'node:path';
import { hostFrom } from '../host.ts';
import { exportLog as exportTo, type Exported } from '../integrity/export-log.ts';
import { withLogAlone } from '../integrity/open-alone.ts';
import { askService } from './control.ts';

/** Writes the log as JSON lines; beside a running service the service does it. */
export async function exportLog(file: string, options: { decrypt: boolean }): Promise<void> {
  const { data } = hostFrom(process.env);
  const { decrypt } = options;
  const path = resolve(file);
  const { facts } =
    (await askService<Exported>(data.controlSocket, 'export-log', { file: path, decrypt })) ??
    (await withLogAlone(data, (opened) => exportTo(opened, path, { decrypt })));
  console.log(`${path}: ${facts} facts`);
  if (decrypt) console.error('What people said is readable in this file. Keep it accordingly.');
}
