import { configStream, usersStream } from '../../events/facts/catalogue.ts';
import { recordings } from '../../projections/recordings.ts';
import { decideOwnKey } from '../../projections/user-key.ts';
import { type Accounts, openAccounts } from '../accounts/accounts.ts';
import { type UserStream, openUserStream } from '../accounts/user-stream.ts';
import { endWorkOf, archiveSpace } from '../accounts/user-removal.ts';
import { removeUploadsOf } from '../storage/uploads/unfinished-uploads.ts';
import { noCalls, openCalls } from '../capture/calls/calls.ts';
import { openToggle } from '../capture/toggle.ts';
import { type Config, openConfig } from '../config/config.ts';
import { pageAddressFrom } from '../config/page-address.ts';
import type { HttpServices } from '../http/services.ts';
import type { OpenedLog } from './event-log.ts';
import type { NodeTrial } from './open-log.ts';
import { type RetentionTrial, openRetention } from '../retention/retention.ts';
import { openMetrics } from '../metrics/metrics.ts';
import { exchangeMoments } from '../capture/moments.ts';
import { type Pipeline, pipelineOver } from './pipeline.ts';
import type { PipelineTrial } from './ports.ts';
import { openReadiness } from './readiness.ts';
import type { DataFolder, Host } from '../shared/data-directory.ts';
import { followStreams } from '../../events/follow-streams.ts';
import type { Log } from '../shared/log.ts';
import { openHostModels } from '../speech/catalogue/host-models.ts';
import { openDiskRoom } from '../storage/disk.ts';
import { spaceMeasures } from '../storage/measure-taken.ts';
import type { Admit } from '../capture/browser/intake.ts';
import { openSpaceLimit } from '../storage/quota.ts';
import { type OwnVaults, openOwnVaults } from '../documents/own-vaults.ts';
import { audioAtOneNode } from '../recordings/control/at-one-node.ts';
import { namedIn, pathsLeft } from '../recordings/erased-files.ts';
import { erasedState, lastState } from '../recordings/handle.ts';

/** What a service is started with. */
export type ServiceOptions = {
  host: Host;
  /** Settings that it says cannot be changed while the service runs. */
  env: NodeJS.ProcessEnv;
  log: Log;
  /** Called with the users as soon as they are known. */
  onUsers?: (users: Pick<Accounts, 'listUsers'>) => void;
  trial?: NodeTrial &
    Partial<PipelineTrial> & {
      /** The clock of retention, and how often it looks. */
      retention?: Partial<RetentionTrial>;
      /** Sees what requests are answered with, and may put other parts in its place. */
      withServices?: (own: HttpServices) => HttpServices;
    };
};

/** What was opened, to be closed in the opposite order. */
export type Closing = (() => Promise<unknown>)[];

/** Sessions that are over are swept at start and this often, in milliseconds. */
const sweepEveryMs = 3_600_000;

/** Everything that requests are answered with. */
export type Parts = Awaited<ReturnType<typeof compose>>;

/** Opens, in this order: the log, the settings, the projections and what acts on recordings, users, and what looks after the disk. */
export async function compose(
  options: ServiceOptions,
  eventLog: Promise<OpenedLog>,
  closing: Closing,
) {
  const { host, env, log } = options;
  const { data } = host;
  const opened = await eventLog;
  closing.push(() => opened.close());
  const { store, openSecrets, cluster } = opened;
  const config = await openConfig({ store, openSecrets, env, data, ...opened.standing, log });
  const { settings } = config;
  const stream = await openUserStream(store);
  const { disk, space, admit } = roomFor(opened, data, config, log);
  const pipeline = pipelineOf(opened, options, { settings, stream, admit });
  // It closes the log itself.
  closing.splice(0, 1, () => pipeline.close());
  const accounts = await openUsers({ ...pipeline, stream }, options, closing);
  const vaults = vaultsOver({ ...pipeline, accounts }, options);
  closing.push(vaults.close);
  const upToDate = upToDateOf(pipeline);
  const trial = options.trial?.retention;
  const retention = openRetention({ ...pipeline, accounts, upToDate, trial });
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
  const metrics = await openMetrics({ ...sources, noticesDropped: moments.dropped });
  closing.push(async () => metrics.stop());
  const head = () => store.head();
  const toggle = openToggle({ ...pipeline, space, upToDate, head });
  const calls = pipeline.recordsDevices ? openCalls({ ...pipeline, env: process.env }) : noCalls;
  closing.push(async () => calls.stop());
  const { models: modelsDir, catalogue: catalogueDir } = data;
  const models = openHostModels({ modelsDir, catalogueDir, settings, log });
  closing.push(() => models.close());
  // From here on captures are taken up, before one can be asked for; settles when unfinished recordings are, too.
  const takenUp = pipeline.takeUp();
  takenUp.catch(() => undefined);
  const readiness = openReadiness({ projections, head: await store.head(), takenUp });
  return {
    ...pipeline,
    config,
    accounts,
    scrub,
    backups,
    disk,
    space,
    metrics,
    toggle,
    calls,
    models,
    elsewhere: moments.elsewhere,
    readiness,
    takenUp,
    vaults,
    retention,
  };
}

/** Room for what comes in: on the disk, within the limits, and for what grows while it comes. */
function roomFor(opened: OpenedLog, data: DataFolder, { settings }: Config, log: Log) {
  const disk = openDiskRoom({ data, settings, log });
  const counted = spaceMeasures(opened, opened.rows.storage);
  const space = openSpaceLimit({ disk, ...counted, byOne: opened.byOne, settings, log });
  const admit: Admit = (owner) => ({
    grow: (bytes) => space.grow(bytes, owner),
    left: () => space.left(owner),
  });
  return { disk, space, admit };
}

/** All that turns audio into documents, as the users and the settings are at the time. */
const pipelineOf = (
  opened: OpenedLog,
  { host, log, trial }: ServiceOptions,
  parts: Pick<Config, 'settings'> & { stream: UserStream; admit: Admit },
): Pipeline =>
  pipelineOver(opened, {
    ...trial,
    ...parts,
    data: host.data,
    log,
    vaultOf: (userId) => parts.stream.users.byId.get(userId)?.vault ?? null,
    async keepUser(id) {
      const { stream } = parts;
      if (stream.users.byId.has(id)) await stream.change({ by: 'system' }, decideOwnKey(id));
    },
    pageAddress: () => pageAddressFrom(parts.settings(), host),
    recordsDevices: true,
  });

async function openUsers(
  pipeline: Pipeline & { stream: UserStream },
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
    accounts
      .sweepSessions()
      .catch((error: unknown) => log.warn({ err: error }, 'removing expired sessions failed'));
  }, sweepEveryMs).unref();
  closing.push(async () => clearInterval(sweep));
  return accounts;
}

/** Resolves when the lists of recordings show what is in the log. */
const upToDateOf =
  ({ projections, store }: Pipeline) =>
  async () =>
    await projections.applied(recordings.name, await store.head());

/** What keeps the users' own vaults up to date, at one node. */
function vaultsOver(
  pipeline: Pipeline & { accounts: Accounts },
  { host, log }: { host: Host; log: Log },
): OwnVaults {
  const { accounts, store, spaceOf } = pipeline;
  const { shared: dataDir, quarantine: quarantineDir } = host.data;
  const stopping = new AbortController();
  const vaults = openOwnVaults({
    ...pipeline,
    async pathsOf(recordingId) {
      const folders = { store, spaceOf, quarantineDir };
      return await pathsLeft(folders, recordingId, (await namedIn(folders, recordingId)).bases);
    },
    isErased: async (recordingId) => (await lastState(store, recordingId)) === erasedState,
    vaults: { of: accounts.vaultOf, users: accounts.usersWithVaults },
    dataDir,
    oneOfAll: (begin) => audioAtOneNode(pipeline, 'vaults', stopping.signal, begin),
    everyMs: 60_000,
    log,
  });
  return {
    begin: vaults.begin,
    async close() {
      stopping.abort();
      await vaults.close();
    },
  };
}
