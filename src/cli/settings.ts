import { openConfig } from '../config/config.ts';
import type { Host } from '../shared/data-directory.ts';
import { type Settings, settingsFrom } from '../config/environment.ts';
import { askService } from '../service/control/socket.ts';
import { openLogAlone } from '../service/event-log.ts';
import { exists } from '../shared/files.ts';

/**
 * The settings of this data directory: from a running service; without one from its log, if it has
 * one, else from the environment. A log in files that lies there is not that of a cluster.
 * @throws {SettingsError}, {EventStoreError}, {ConfigError}
 */
export async function presentSettings({
  data,
  cluster,
}: Pick<Host, 'data' | 'cluster'>): Promise<{ settings: Settings; running: boolean }> {
  const running = await askService<Settings>(data.controlSocket, 'settings');
  if (running) return { settings: running, running: true };
  if (cluster !== null || !(await exists(data.log)))
    return { settings: settingsFrom(process.env), running: false };
  const { store, openSecrets, close } = await openLogAlone(data);
  try {
    const quiet = { info() {}, warn() {} };
    const config = await openConfig({
      store,
      openSecrets,
      env: process.env,
      data,
      log: quiet,
    });
    return { settings: config.settings(), running: false };
  } finally {
    await close();
  }
}
