import { openAccounts } from './accounts/accounts.ts';
import { acceptsAudio } from './audio/accepts-audio.ts';
import { openControl } from './cli/control.ts';
import type { Host } from './host.ts';
import { createApp } from './http/app.ts';
import { listen } from './http/server.ts';
import type { Log } from './log.ts';
import { packageVersion } from './package-root.ts';
import { openPipeline } from './pipeline.ts';
import { checkLog } from './recordings/check-log.ts';
import type { Settings } from './settings.ts';
import { levelSessionRows } from './storage/level-sessions.ts';

export type Service = {
  /** Where it listens, e.g. `http://127.0.0.1:8765`. */
  url: string;
  /** Finishes what is being written, then ends. */
  close(): Promise<void>;
};

/** Sessions that are over are swept at start and this often, in milliseconds. */
const sweepEveryMs = 3_600_000;

/**
 * Puts the service together and starts it: log, projections, door, accounts, HTTP, control socket.
 * @throws {EventStoreError} when the log cannot be opened; what listening throws.
 */
export async function startService(options: {
  host: Host;
  settings: () => Settings;
  log: Log;
  /** How long a language model may stay away on a first run; for tests. */
  firstRunPatienceMs?: number;
}): Promise<Service> {
  const { host, settings, log } = options;
  const { data } = host;
  const pipeline = await openPipeline({ ...options, data });
  const { store, keys, storage, projections, desk } = pipeline;
  const closing: (() => Promise<unknown>)[] = [() => pipeline.close()];
  try {
    const accounts = await openAccounts({
      store,
      keys,
      sessions: levelSessionRows(store.db),
      settings,
      clock: () => new Date(),
      dataDir: data.root,
      log,
    });
    await accounts.sweepSessions();
    const sweep = setInterval(() => {
      accounts.sweepSessions().catch((error: unknown) => log.warn({ err: error }, 'sweeping'));
    }, sweepEveryMs).unref();
    closing.unshift(async () => clearInterval(sweep));

    const takenUp = await pipeline.restart();
    if (takenUp > 0) log.info({ recordings: takenUp }, 'went on with unfinished recordings');

    const services = {
      log,
      settings,
      desk,
      store,
      storage,
      projections,
      accounts,
      acceptsAudio,
      version: packageVersion(),
      address: host.address,
      dataDir: data.root,
    };
    const server = await listen(createApp(services), services, { port: host.port });
    closing.unshift(() => server.close());
    const control = await openControl(data.controlSocket, {
      settings: async () => settings(),
      'replay-check': async (recording) =>
        await checkLog(store, typeof recording === 'string' ? recording : undefined),
    });
    closing.unshift(() => new Promise((resolve) => control.close(resolve)));
    log.info({ url: server.url }, 'listening');
    return { url: server.url, close: () => closeAll(closing) };
  } catch (error) {
    await closeAll(closing);
    throw error;
  }
}

/** One after the other, in order; the first error is thrown when all have been tried. */
async function closeAll(closing: readonly (() => Promise<unknown>)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const close of closing) await close().catch((error: unknown) => errors.push(error));
  if (errors.length > 0) throw errors[0];
}
