import { ulid } from 'ulid';
import type { Stage } from '../events/facts/recording.ts';
import { status, statusOf } from '../projections/status.ts';
import { openAccounts } from './accounts/accounts.ts';
import { acceptsAudio } from './audio/accepts-audio.ts';
import { retireSpace } from './accounts/retired-spaces.ts';
import type { BrowserLimits } from './capture/browser/browser-writer.ts';
import { openControl } from './control/socket.ts';
import { integrityHandlers, quarantineCommands } from './control/data-commands.ts';
import { userCommands } from './control/user-commands.ts';
import { settingsFrom, unknownVariables } from './config/environment.ts';
import { openConfig } from './config/config.ts';
import type { Host } from './shared/data-directory.ts';
import { guest } from './http/visible-recording.ts';
import { toggleSchema } from './http/routes/toggle.ts';
import { createApp } from './http/app.ts';
import { listen } from './http/server.ts';
import type { HttpServices } from './http/services.ts';
import { startScrub } from './integrity/scrub.ts';
import type { Log } from './shared/log.ts';
import { openMetrics } from './metrics/metrics.ts';
import { packageVersion } from './shared/package.ts';
import { openEventLog, pipelineOver } from './pipeline.ts';
import { endWorkOf } from './recordings/end-work.ts';
import type { StageActivity } from './recordings/run-stage.ts';
import { openToggle } from './capture/toggle.ts';
import { levelSessionRows } from './storage/session-rows.ts';
import { openDiskRoom } from './storage/disk-room.ts';
import { measureTaken, openSpaceLimit } from './storage/quota.ts';

export type Service = {
  /** Where it listens, e.g. `http://127.0.0.1:8765`. */
  url: string;
  /** Finishes what is being written, then ends. */
  close(): Promise<void>;
};

/** Sessions that are over are swept at start and this often, in milliseconds. */
const sweepEveryMs = 3_600_000;

/**
 * Puts the service together and starts it: log, projections, configuration, door, accounts, HTTP,
 * control socket.
 * @throws {SettingsError} the environment is wrong; {EventStoreError} when the log cannot be opened; what listening throws.
 */
export async function startService(options: {
  host: Host;
  /** Settings that it says cannot be changed while the service runs. */
  env: NodeJS.ProcessEnv;
  log: Log;
  /** How long a language model may stay away on a first run; for tests. */
  firstRunPatienceMs?: number;
  /** What recordings from browsers are limited to; for tests. */
  browserLimits?: Partial<BrowserLimits>;
  /** Activities in the place of the service's own; for tests. */
  activities?: Partial<Record<Stage, StageActivity>>;
  /** Sees what requests are answered with, and may put other parts in its place; for tests. */
  withServices?: (own: HttpServices) => HttpServices;
}): Promise<Service> {
  const { host, env, log } = options;
  const { data } = host;
  // Thrown before anything is opened.
  settingsFrom(env);
  for (const { variable, nearest } of unknownVariables(env)) {
    const meant = nearest === null ? '' : ` Was ${nearest} meant?`;
    log.warn(`Nothing reads the environment variable ${variable}.${meant}`);
  }
  const opened = await openEventLog(data, log);
  const closing: (() => Promise<unknown>)[] = [() => opened.close()];
  try {
    const { store, keys } = opened;
    const config = await openConfig({ store, secretsPath: data.secrets, env, log });
    const { settings } = config;
    const pipeline = pipelineOver(opened, { ...options, settings, data, recordsDevices: true });
    const { storage, projections, desk, captures } = pipeline;
    closing.splice(0, 1, () => pipeline.close());
    const clock = () => new Date();
    const upToDate = () => projections.applied(status.name, store.head());
    const work = { storage, upToDate, desk, captures, log };
    const accounts = await openAccounts({
      store,
      keys,
      endWork: (userId, onBehalf) => endWorkOf(userId, onBehalf, work),
      retireSpace: retireSpace(data, clock),
      sessions: levelSessionRows(store.db),
      settings,
      clock,
      dataDir: data.root,
      log,
    });
    const sweep = setInterval(() => {
      accounts.sweepSessions().catch((error: unknown) => log.warn({ err: error }, 'sweeping'));
    }, sweepEveryMs).unref();
    closing.unshift(async () => clearInterval(sweep));

    const takenUp = await pipeline.restart();
    if (takenUp > 0) log.info({ recordings: takenUp }, 'went on with unfinished recordings');
    // Not waited for: a capture that does not end must not keep everybody else from the service.
    void accounts.finishDeletions();

    const scrub = await startScrub({
      store,
      keys,
      data,
      log,
      notTakenUp: () => [...desk.notTakenUp()],
    });
    closing.unshift(() => scrub.stop());

    const disk = openDiskRoom({ root: data.root, settings, log });
    closing.unshift(() => disk.stop());
    const space = openSpaceLimit({
      disk,
      measure: (signal) => measureTaken(data, signal),
      settings,
      log,
    });
    closing.unshift(() => space.stop());

    const toggle = openToggle({
      desk,
      captures,
      space,
      storage,
      settings,
      upToDate,
      head: () => store.head(),
    });
    const trigger = await openControl(data.triggerSocket, {
      toggle: async (request) =>
        await toggle(
          { owner: guest, trigger: 'hotkey', command: `${guest}:${ulid()}` },
          toggleSchema.parse(request),
        ),
      status: async () => await statusOf(storage, guest),
    });
    closing.unshift(() => new Promise((resolve) => trigger.close(resolve)));

    const metrics = openMetrics({
      store,
      storage,
      projections,
      desk,
      scrub: scrub.progress,
      space,
      process: true,
    });
    closing.unshift(async () => metrics.stop());

    const own: HttpServices = {
      metrics,
      space,
      disk,
      toggle,
      captures,
      log,
      settings,
      config,
      desk,
      store,
      storage,
      projections,
      accounts,
      acceptsAudio,
      version: packageVersion(),
      address: host.address,
      dataDir: data.root,
      health: scrub.health,
    };
    const services = options.withServices?.(own) ?? own;
    const server = await listen(createApp(services), services, { port: host.port });
    closing.unshift(() => server.close());
    const control = await openControl(data.controlSocket, {
      settings: async () => settings(),
      ...userCommands(accounts),
      ...quarantineCommands({ data, log }),
      ...integrityHandlers({ store, keys, data, scrub, whileFilesStay: desk.whileFilesStay }),
      'replay-from': async (body) => {
        const { recording, from } = body as { recording: string; from: string };
        const { replayFrom } = await import('./recordings/replay-from.ts');
        return await replayFrom(pipeline, recording, from);
      },
      'replay-check': async (recording) =>
        await (
          await import('./recordings/check-log.ts')
        ).checkLog(store, typeof recording === 'string' ? recording : undefined),
    });
    closing.unshift(() => new Promise((resolve) => control.close(resolve)));
    // Before the socket, which waits for the commands that are being answered.
    closing.unshift(() => scrub.stop());
    log.info({ url: server.url }, 'listening');
    void space.start();
    void disk.start();
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
