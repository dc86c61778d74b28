import { withLoss, withRows } from './integrity/verify.ts';
import { configStream, usersStream } from '../events/facts/catalogue.ts';
import type { Stage } from '../events/facts/recording.ts';
import { recordings } from '../projections/recordings.ts';
import { decideOwnKey } from '../projections/user-key.ts';
import { type Run, keepRunning } from './service/begin-again.ts';
import { type Accounts, openAccounts } from './accounts/accounts.ts';
import { type UserStream, openUserStream } from './accounts/users.ts';
import { endWorkOf, archiveSpace } from './accounts/user-removal.ts';
import { removeUploadsOf } from './storage/uploads/unfinished-uploads.ts';
import { acceptsAudio } from './audio/accepts-audio.ts';
import type { BrowserLimits } from './capture/browser/browser-writer.ts';
import { type Toggle, openToggle } from './capture/toggle.ts';
import { type Config, openConfig } from './config/config.ts';
import { type Settings, checkEnvironment, settingsFrom } from './config/environment.ts';
import { pageAddressFrom } from './config/page-address.ts';
import type { OwnVaults } from './documents/own-vaults.ts';
import { createApp } from './http/app.ts';
import { openSockets } from './http/feed/upgrade.ts';
import type { Readiness } from './http/middleware/ready.ts';
import { type RunningServer, listen } from './http/server.ts';
import type { HttpServices } from './http/services.ts';
import { type StartingApp, createStartingApp } from './http/starting.ts';
import { sweepUploads } from './http/uploads/receive-upload.ts';
import type { Backups } from './integrity/backups.ts';
import { isHeldByAnother } from './integrity/open-mark.ts';
import type { Scrub } from './integrity/scrub.ts';
import type { OpenedLog } from './service/event-log.ts';
import { closeSockets, linkOf, openLocalSockets } from './service/local-sockets.ts';
import { type NodeTrial, openLogOf } from './service/open-log.ts';
import { inOrder } from './shared/mutex.ts';
import { openMetrics, type Metrics } from './metrics/metrics.ts';
import { type Elsewhere, exchangeMoments, withElsewhere } from './capture/moments.ts';
import { pipelineOver, type Pipeline } from './service/pipeline.ts';
import { openReadiness } from './service/readiness.ts';
import { serviceDoctor } from './service/service-doctor.ts';
import { vaultsOver } from './service/service-vaults.ts';
import type { StageActivity } from './recordings/stages/run-stage.ts';
import { type Host, prepare } from './shared/data-directory.ts';
import { followStreams } from '../events/follow-streams.ts';
import type { Log } from './shared/log.ts';
import { packageVersion } from './shared/package.ts';
import { type HostModels, openHostModels } from './speech/catalogue/host-models.ts';
import { openDiskRoom } from './storage/disk.ts';
import { spaceMeasures } from './storage/measure-taken.ts';
import type { Admit } from './capture/browser/intake.ts';
import { type SpaceLimit, openSpaceLimit } from './storage/quota.ts';

export type ServiceOptions = NodeTrial & {
  host: Host;
  /** Settings that it says cannot be changed while the service runs. */
  env: NodeJS.ProcessEnv;
  log: Log;
  /** Called with the users as soon as they are known. */
  onUsers?: (users: Pick<Accounts, 'listUsers'>) => void;
  /** How long a language model may stay away on a first run; for tests. */
  firstRunWaitMs?: number;
  /** What recordings from browsers are limited to; for tests. */
  browserLimits?: Partial<BrowserLimits>;
  /** Activities in the place of the service's own; for tests. */
  activities?: Partial<Record<Stage, StageActivity>>;
  /** Sees what requests are answered with, and may put other parts in its place; for tests. */
  withServices?: (own: HttpServices) => HttpServices;
};

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

/** Sessions that are over are swept at start and this often, in milliseconds. */
const sweepEveryMs = 3_600_000;

/**
 * Starts the service. Resolves when the port answers: `/health` and pages from then on, all else when
 * what it needs is ready (503 `starting` until then).
 * @throws {SettingsError} the environment is wrong; {EventStoreError} `LOCKED` another service has the data
 *   directory open; what listening throws.
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { host, env, log } = options;
  checkEnvironment(env, log);
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

/** @param options.lost what the log had lost when it was opened again */
type RunOptions = ServiceOptions & { lost: string | null };

function begin(options: RunOptions, eventLog: Promise<OpenedLog>, server: RunningServer): Run {
  const closing: Closing = [];
  const opening = openCore(options, eventLog, closing);
  const served = opening.then((core) => serve(core, server, options));
  // Not before the log is locked: the sockets of a service that runs would be replaced.
  const sockets = eventLog.then(() => openLocalSockets(options, served, () => server.url));
  const link = served.then((core) => linkOf(core, server.url));
  const ready = served.then((core) => goOn(core, options.log));
  for (const one of [link, ready]) one.catch(() => undefined);
  let ended: Promise<void> | undefined;
  return {
    served,
    link,
    ready,
    /** In this order: who waits for an answer gets it, then nothing new comes in, then what is below. */
    end: (leave) => (ended ??= endAll(leave)),
  };

  async function endAll(leave: () => Promise<void>): Promise<void> {
    const core = await opening.catch(() => null);
    // First: sockets wait for commands that are being answered, some of which ask the scrub.
    await inOrder([
      async () => await core?.scrub.stop(),
      async () => closeSockets(await sockets.catch(() => [])),
      leave,
      ...closing.toReversed(),
      async () => await ready.catch(() => undefined),
    ]);
  }
}

/** What was opened, to be closed in the opposite order. */
type Closing = (() => Promise<unknown>)[];

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

/** Room for what comes in: on the disk, within the limits, and for what grows while it comes. */
function roomFor(
  opened: OpenedLog,
  {
    data,
    settings,
    log,
  }: Pick<ServiceOptions, 'log'> & {
    data: ServiceOptions['host']['data'];
    settings: Config['settings'];
  },
) {
  const disk = openDiskRoom({ root: data.root, settings, log });
  const counted = spaceMeasures(opened, opened.rows.storage);
  const space = openSpaceLimit({ disk, ...counted, byOne: opened.byOne, settings, log });
  const admit: Admit = (owner) => ({
    grow: (bytes) => space.grow(bytes, owner),
    left: () => space.left(owner),
  });
  return { disk, space, admit };
}

/** Everything that requests are answered with. */
type Core = Pick<OpenedLog, 'kept' | 'notices' | 'ownership' | 'cluster'> & {
  pipeline: Pipeline;
  config: Config;
  accounts: Accounts;
  scrub: Scrub;
  backups: Backups;
  disk: ReturnType<typeof openDiskRoom>;
  space: SpaceLimit;
  metrics: Metrics;
  toggle: Toggle;
  models: HostModels;
  readiness: Readiness;
  elsewhere: Elsewhere;
  /** Settles when unfinished recordings are taken up. */
  takenUp: Promise<number>;
  vaults: OwnVaults;
};

/** Opens, in this order: the log, the settings, the projections and what acts on recordings, users, and what looks after the disk. */
async function openCore(
  options: ServiceOptions,
  eventLog: Promise<OpenedLog>,
  closing: Closing,
): Promise<Core> {
  const { host, env, log } = options;
  const { data } = host;
  const opened = await eventLog;
  closing.push(() => opened.close());
  const { store, openSecrets, cluster } = opened;
  const config = await openConfig({ store, openSecrets, env, data, log });
  const { settings } = config;
  const stream = await openUserStream(store);
  const { disk, space, admit } = roomFor(opened, { data, settings, log });
  const pipeline = pipelineOf(opened, { options: { ...options, admit }, settings, stream });
  // It closes the log itself.
  closing.splice(0, 1, () => pipeline.close());
  const accounts = await openUsers({ ...opened, ...pipeline, stream }, options, closing);
  const vaults = vaultsOver(opened, { pipeline, accounts, host, log });
  closing.push(vaults.close);
  const takeIn = { [configStream]: config.takeIn, [usersStream]: accounts.takeIn };
  closing.push(followStreams(store, takeIn, log));
  options.onUsers?.(accounts);
  const { projections, recordingService } = pipeline;
  const notTakenUp = () => [...recordingService.notTakenUp()];
  const { scrub, backups } = await opened.guard({ ...recordingService, notTakenUp });
  closing.push(scrub.stop, backups.close);
  closing.push(
    async () => disk.stop(),
    async () => space.stop(),
  );
  const moments = exchangeMoments(pipeline, opened.notices);
  closing.push(async () => moments.stop());
  const sources = { ...pipeline, space, cluster, scrub: scrub.progress };
  const metrics = await openMetrics({ ...sources, noticesDropped: moments.dropped, process: true });
  closing.push(async () => metrics.stop());
  const head = () => store.head();
  const toggle = openToggle({ ...pipeline, space, upToDate: upToDateOf(pipeline), head });
  const models = openHostModels({
    modelsDir: data.models,
    catalogueDir: data.catalogue,
    settings,
    log,
  });
  closing.push(() => models.close());
  // From here on captures are taken up, before one can be asked for.
  const takenUp = pipeline.takeUp();
  takenUp.catch(() => undefined);
  const readiness = openReadiness({ projections, head: await store.head(), takenUp });
  return {
    pipeline,
    config,
    accounts,
    scrub,
    backups,
    disk,
    space,
    metrics,
    toggle,
    models,
    kept: opened.kept,
    notices: opened.notices,
    elsewhere: moments.elsewhere,
    ownership: opened.ownership,
    cluster,
    readiness,
    takenUp,
    vaults,
  };
}

/** All that turns audio into documents, as the users and the settings are at the time. */
function pipelineOf(
  opened: OpenedLog,
  {
    options,
    settings,
    stream,
  }: {
    options: ServiceOptions & { admit: Admit };
    settings: () => Settings;
    stream: UserStream;
  },
): Pipeline {
  const { host } = options;
  return pipelineOver(opened, {
    ...options,
    settings,
    data: host.data,
    vaultOf: (userId) => stream.users.byId.get(userId)?.vault ?? null,
    async keepUser(id) {
      if (stream.users.byId.has(id)) await stream.change({ by: 'system' }, decideOwnKey(id));
    },
    pageAddress: () => pageAddressFrom(settings(), host),
    recordsDevices: true,
  });
}

async function openUsers(
  pipeline: Pick<OpenedLog, 'notices' | 'setupCodes'> & Pipeline & { stream: UserStream },
  { host, log }: ServiceOptions,
  closing: Closing,
): Promise<Accounts> {
  const { storage, recordingService, captures, unfinished } = pipeline;
  const clock = () => new Date();
  const work = { storage, upToDate: upToDateOf(pipeline), recordingService, captures, log };
  const accounts = await openAccounts({
    ...pipeline,
    endWork: (userId, onBehalf) => endWorkOf(userId, onBehalf, work),
    archiveSpace: archiveSpace(host.data, clock),
    removeUploads: (userIds) => removeUploadsOf(userIds, unfinished),
    clock,
    log,
  });
  const sweep = setInterval(() => {
    accounts.sweepSessions().catch((error: unknown) => log.warn({ err: error }, 'sweeping'));
  }, sweepEveryMs).unref();
  closing.push(async () => clearInterval(sweep));
  return accounts;
}

/** Resolves when the lists of recordings show what is in the log. */
const upToDateOf =
  ({ projections, store }: Pipeline) =>
  async () =>
    await projections.applied(recordings.name, await store.head());

/** Answers everything from now on; what is not ready yet by 503. */
async function serve(
  core: Core,
  server: RunningServer,
  options: RunOptions,
): Promise<Core & Pick<HttpServices, 'doctor'>> {
  const { host, log, lost } = options;
  const { pipeline, scrub, ...rest } = core;
  if (!pipeline.standing.sharesFolders) await sweepUploads(host.data.uploads);
  const own: HttpServices = {
    ...pipeline,
    ...rest,
    recordingService: withElsewhere(pipeline.recordingService, core.elsewhere),
    log,
    acceptsAudio,
    version: packageVersion(),
    address: host.address,
    dataDir: host.data.shared,
    health: () => withLoss(withRows(scrub.health(), pipeline.rows.full()), lost),
    certificateNames: () => server.certificateNames(),
    doctor: serviceDoctor(core, server, options),
  };
  const services = options.withServices?.(own) ?? own;
  await server.serve(createApp(services), openSockets(services), services);
  core.cluster?.listensAt(server.url);
  return { ...core, doctor: own.doctor };
}

/** What a start does while requests are answered, in this order. */
async function goOn(
  { pipeline, accounts, disk, space, takenUp, vaults }: Core,
  log: Log,
): Promise<void> {
  void space.start();
  void disk.start();
  const recordings = await takenUp;
  if (recordings > 0) log.info({ recordings }, 'went on with unfinished recordings');
  // Not waited for: a capture that does not end must not keep the rest from being done.
  pipeline.keepUp(() => accounts.finishDeletions());
  vaults.begin();
  await pipeline.tidyUp();
}
