import { access } from 'node:fs/promises';
import { openConfig } from '../config/config.ts';
import type { Host } from '../shared/data-directory.ts';
import { type Settings, settingsFrom } from '../config/environment.ts';
import { askService } from '../control/socket.ts';
import { openLogAlone } from '../event-log.ts';

/**
 * The settings of this data directory: from a running service; without one from its log, if it has
 * one, else from the environment.
 * @throws {SettingsError}, {EventStoreError}, {ConfigError}
 */
export async function presentSettings({
  data,
}: Pick<Host, 'data'>): Promise<{ settings: Settings; running: boolean }> {
  const running = await askService<Settings>(data.controlSocket, 'settings');
  if (running) return { settings: running, running: true };
  const isThere = await access(data.log).then(
    () => true,
    () => false,
  );
  if (!isThere) return { settings: settingsFrom(process.env), running: false };
  const { store, openSecrets, close } = await openLogAlone(data);
  try {
    const quiet = { info() {}, warn() {} };
    const config = await openConfig({ store, openSecrets, env: process.env, log: quiet });
    return { settings: config.settings(), running: false };
  } finally {
    await close();
  }
}
