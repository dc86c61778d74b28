import { keepRunning } from './service/begin-again.ts';
import { checkEnvironment, settingsFrom } from './config/environment.ts';
import { listen } from './http/server.ts';
import { type StartingApp, createStartingApp } from './http/starting.ts';
import { assertNoneIsBuilt } from './integrity/new-directory.ts';
import { isHeldByAnother } from './integrity/open-mark.ts';
import { openLogOf } from './service/open-log.ts';
import type { ServiceOptions } from './service/compose.ts';
import { begin } from './service/run.ts';
import { prepare } from './shared/data-directory.ts';
import { packageVersion } from './shared/package.ts';

export type Service = {
  /** Where it is reached, e.g. `http://127.0.0.1:8765`; when it is known whether it speaks https, with that. */
  url: string;
  /**
   * Resolves when all is ready: projections have caught up and unfinished recordings are taken up.
   * @throws {EventStoreError} when the log cannot be opened; then the service has ended.
   */
  ready: Promise<void>;
  /** The page that creates the first administrator, with the setup code; null when there are users. */
  setupLink: Promise<string | null>;
  /** Resolves when it was closed. @throws why it could not go on by itself: the process has to be started again */
  over: Promise<void>;
  /** Finishes what is being written, then ends. */
  close(): Promise<void>;
};

/**
 * Starts the service. Resolves when the port answers: `/health` and pages from then on, all else when
 * what it needs is ready (503 `starting` until then).
 * @throws {SettingsError} the environment is wrong; {EventStoreError} `LOCKED` another service has the data
 *   directory open; what listening throws.
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { host, env, log } = options;
  checkEnvironment(env, log);
  await assertNoneIsBuilt(host.data);
  await prepare(host.data);
  // A second service ends before it listens. Otherwise the log is not waited for: opening it may take long.
  const early = (await isHeldByAnother(host.data)) ? await openLogOf(options) : undefined;
  const server = await listen(startingApp(options), host).catch(async (error: unknown) => {
    await early?.close();
    throw error;
  });
  log.info({ url: server.url }, 'listening');
  const service = keepRunning(early ? Promise.resolve(early) : openLogOf(options), {
    open: () => openLogOf(options),
    begin: (eventLog, lost) => begin({ ...options, lost }, eventLog, server),
    server,
    log,
    endWithinMs: 30_000,
  });
  return {
    get url() {
      return server.url;
    },
    ready: service.ready,
    setupLink: service.link,
    over: service.over,
    close: service.close,
  };
}

/** What answers until the log is open. */
function startingApp({ host, env, log }: ServiceOptions): StartingApp {
  const fromEnvironment = settingsFrom(env);
  const { address } = host;
  return createStartingApp({
    log,
    version: packageVersion(),
    address,
    settings: () => fromEnvironment,
  });
}
