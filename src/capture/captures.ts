import type { AudioStore } from '../storage/audio/audio-store.ts';
import { join } from 'node:path';
import type { EventStore } from '../../events/store.ts';
import type { Log } from '../shared/log.ts';
import type { StageActivity } from '../recordings/stages/run-stage.ts';
import { StageError } from '../shared/errors.ts';
import { failure } from '../words/failures.ts';
import { combinedDevice } from './device/alsa-config.ts';
import {
  type BrowserCaptures,
  type BrowserControl,
  type WarningsNow,
  browserCaptures,
  endedInTime,
} from './browser/browser-captures.ts';
import type { BrowserLimits } from './browser/browser-writer.ts';
import type { Admit } from './browser/intake.ts';
import { captureActivity } from './capture-activity.ts';
import type { CaptureOrder } from './process/client.ts';
import type { CaptureNow, CaptureWarning, WarnAfter } from './capture-now.ts';
import type { CaptureLimits } from './process/protocol.ts';
import {
  type CombinedChannels,
  type CombinedSelection,
  combinedMonitor,
  instanceOf,
  isOwnSource,
} from './pulse/combined-chain.ts';
import { type CombinedForm, type CombinedSource, combinedSource } from './pulse/combined-source.ts';
import { type Devices, chooseDevice, findDevice, recordableDevices } from './device/devices.ts';
import { openRecentList } from './device/recent-list.ts';
import { type LevelTrial, openLevelTrial } from './device/level-trial.ts';
import {
  type DeviceReservations,
  type Reservation,
  type StoppedBy,
  openReservations,
} from './device/reservations.ts';
import { type FileEnds, openFileEnds } from './file/file-ends.ts';
import { type PulseSource, openPulse } from './pulse/pulse.ts';
import { type StateOf, isCapturing, reconcileCaptures } from './reconcile-captures.ts';

/** Recording from devices of this host, and from browsers. */
export type Captures = {
  /** The stage `capture`: from `recording.started` to `audio.captured` or `capture.interrupted`. */
  activity: StageActivity;
  /** The microphones of browsers. */
  browser: BrowserCaptures;
  /**
   * Holds a device for a recording that is about to start; the activity goes on holding it.
   * @throws {StageError} `device-taken`.
   */
  reserve(device: string, recordingId: string): void;
  /** Releases a device whose recording was refused after all. */
  unreserve(recordingId: string): Promise<void>;
  /** Which recording holds a device. */
  heldBy(device: string): string | null;
  /** Names of the devices of this machine that are being recorded, whoever records. */
  held(): string[];
  /** The recording of an earlier life of the service that holds the combined device, and who began it; null: none. */
  combinedLeft(): { id: string; owner: string } | null;
  /** Calls back when that has changed; returns how to stop. */
  onHeld(listener: () => void): () => void;
  /**
   * Ends a recording, also one that is just starting; returns when its audio is in the log, as having
   * been stopped by the one who asked first, or when that takes long.
   * @throws {StageError} `not-recording`; what the recording has failed with instead, such as `nothing-captured`, which
   *   then becomes its `stage.failed`.
   */
  stop(recordingId: string, stoppedBy: StoppedBy): Promise<void>;
  /** What is going on; null for a recording that is not being captured, or not yet. */
  now(recordingId: string): CaptureNow | null;
  /** Calls back when no more comes into the file of a recording, before that is in the log. Returns how to stop. */
  onFileEnd: FileEnds['onEnd'];
  /** Calls back ten times a second for each capture; returns how to stop. */
  onNow(listener: (now: CaptureNow) => void): () => void;
  /** What a person should look at; null for a recording of which nothing is known here. */
  warnings(recordingId: string): CaptureWarning[] | null;
  /** Calls back when a warning comes or goes. */
  onWarnings(listener: (now: WarningsNow) => void): () => void;
  /** @throws {StageError} `devices-unavailable`. */
  devices(): Promise<Devices>;
  /**
   * The device a recording is to come from: the one asked for if it is there, never another instead;
   * for null the default one.
   * @throws {StageError} `device-gone` with the names there are, `no-device`, `devices-unavailable`.
   */
  choose(device: string | null): Promise<string>;
  /** How loud a device is, without a recording. */
  hear: LevelTrial['hear'];
  /**
   * What can be combined.
   * @throws {StageError} `no-audio-server`, `audio-server-silent`, `audio-server-refused`.
   */
  sources(): Promise<{ microphones: PulseSource[]; monitors: PulseSource[] }>;
  /**
   * Selects what the device `mitschrift-combined` joins, and builds it.
   * @throws {StageError} `combined-in-use` while it is recorded, and as `CombinedSource.select`.
   */
  combine(selection: CombinedSelection): Promise<number[]>;
  /**
   * As `combine`, for a recording that begins now.
   * @returns for one that does not: tears it down, and selects what was selected before
   * @throws {StageError} as `combine`
   */
  combineNext(selection: CombinedSelection): Promise<() => Promise<void>>;
  /** @throws {StageError} `combined-in-use`. */
  uncombine(): Promise<void>;
  /**
   * At service start, before recordings are taken up: ends captures that are no longer wanted, and tears down
   * a combined source that no live capture uses. Returns the recordings whose captures go on.
   * @param folders names of recordings' folders
   */
  reconcile(folders: readonly string[], stateOf: StateOf): Promise<string[]>;
  /** At service stop, after the recordings: captures go on, and with them the source they use. */
  close(): Promise<void>;
};

export type CapturesDeps = {
  dataRoot: string;
  files: Pick<AudioStore, 'captureFolder' | 'live' | 'keep'>;
  store: EventStore;
  log: Log;
  combinedChannels(): CombinedChannels;
  /** `audio.echo_cancellation` */
  cancelsEcho(): boolean;
  /** `limits.recording_hours` */
  hoursMax(): number;
  /** Bytes that recordings leave free on the disk. */
  freeBytesMin(): Promise<number>;
  /** What lets in browsers' audio while it comes; undefined: whatever there is room for. */
  admit: Admit | undefined;
  control: BrowserControl;
  env: NodeJS.ProcessEnv;
  limits: Omit<CaptureLimits, 'secondsMax' | 'freeBytesMin'>;
  warnAfter: WarnAfter;
  /** In the place of the usual ones. */
  browserLimits: Partial<BrowserLimits>;
};

export function openCaptures(deps: CapturesDeps): Captures {
  const parts = partsOf(deps);
  const { devices, combined, use, browser, deviceOptions, trial, fileEnds, folderOf } = parts;
  const { store, log, env } = deps;

  return {
    ...ofCombined(parts),
    activity: captureActivity({
      store,
      log,
      devices,
      combined,
      browser,
      folderOf,
      fileEnds,
      orderFor: (device, folder, form) => orderFor({ device, folder, form }, deps, deviceOptions),
      dismantle: use.dismantle,
      env,
      onLeft: use.left,
    }),
    browser,
    reserve(device, recordingId) {
      devices.reserve(device, recordingId);
      void trial.end();
    },
    async unreserve(recordingId) {
      const reservation = devices.of(recordingId);
      if (reservation?.control !== null) return;
      devices.release(recordingId);
      // A level was heard of it, which it was taken from; it was built for this recording; or it was joined before.
      if (reservation.device === combinedDevice) await use.dismantleUnused();
    },
    heldBy: (device) => devices.heldBy(device),
    held: () => devices.held(),
    onHeld: (listener) => devices.onHeld(listener),
    stop: (recordingId, stoppedBy) => stopReserved(devices.of(recordingId), stoppedBy),
    now: (recordingId) => devices.now(recordingId) ?? browser.now(recordingId),
    warnings: (recordingId) => devices.now(recordingId)?.warnings ?? browser.warnings(recordingId),
    onFileEnd: fileEnds.onEnd,
    onNow: (listener) => devices.onNow(listener),
    onWarnings(listener) {
      const stops = [devices.onWarnings(listener), browser.onWarnings(listener)];
      return () => stops.forEach((stop) => stop());
    },
    devices: () => recordableDevices(combined, { ...deviceOptions, recent: parts.recent }),
    choose: (device) => chooseDevice(device, combined, deviceOptions),
    hear: trial.hear,
    async reconcile(folders, stateOf) {
      const live = await reconcileCaptures(folderOf, folders, stateOf);
      for (const { recordingId, device } of live) use.left(device, recordingId);
      if (!live.some(({ device }) => device === combinedDevice)) await use.dismantle();
      return live.map(({ recordingId }) => recordingId);
    },
    async close() {
      await trial.end();
      await use.dismantleUnused();
    },
  };
}

/** What is combined. */
function ofCombined({
  devices,
  combined,
  use,
  pulse,
  trial,
}: ReturnType<typeof partsOf>): Pick<
  Captures,
  'combinedLeft' | 'sources' | 'combine' | 'combineNext' | 'uncombine'
> {
  /** The combined source, which nobody uses. */
  const freed = async () => {
    if (await use.isUsed(combinedDevice))
      throw new StageError(failure('combined-in-use'), { retriable: true });
    await trial.end();
    return combined;
  };
  return {
    combinedLeft() {
      const id = devices.heldBy(combinedDevice);
      const owner = id === null ? undefined : devices.of(id)?.control?.owner;
      return id === null || owner === undefined || !use.wasLeft(id) ? null : { id, owner };
    },
    async sources() {
      const { microphones, monitors } = await pulse.sources();
      const others = (all: PulseSource[]) => all.filter(({ name }) => !isOwnSource(name));
      return { microphones: others(microphones), monitors: others(monitors) };
    },
    combine: async (selection) => await (await freed()).select(selection),
    async combineNext(selection) {
      const chooseFormer = await (await freed()).remember(selection);
      const undo = async () => {
        // First: a chain without names is never taken down.
        await use.dismantleUnused();
        await chooseFormer();
      };
      await combined.build().catch(async (error: unknown) => {
        await undo();
        throw error;
      });
      return undo;
    },
    uncombine: async () => await (await freed()).forget(),
  };
}

/** Who uses devices: recordings that hold them, and captures that outlived, or will outlive, the service. */
function deviceUse(
  devices: DeviceReservations,
  folderOf: (recordingId: string) => string,
  dismantle: () => Promise<void>,
) {
  /** Device by recording. What has ended since is found so when it is asked for. */
  const left = new Map<string, string>();
  const isUsed = async (device: string): Promise<boolean> => {
    for (const [recordingId, itsDevice] of left)
      // What cannot be asked may live.
      if (itsDevice === device && (await isCapturing(folderOf(recordingId)).catch(() => true)))
        return true;
    // At last: one may have begun meanwhile.
    return devices.heldBy(device) !== null;
  };
  return {
    isUsed,
    left: (device: string, recordingId: string) => void left.set(recordingId, device),
    wasLeft: (recordingId: string) => left.has(recordingId),
    dismantle,
    async dismantleUnused() {
      if (!(await isUsed(combinedDevice))) await dismantle();
    },
  };
}

function partsOf(deps: CapturesDeps) {
  const { dataRoot, store, log, env } = deps;
  const instance = instanceOf(dataRoot);
  const pulse = openPulse({ env });
  const combined = combinedSource({
    path: join(dataRoot, 'combined.json'),
    instance,
    pulse,
    channels: deps.combinedChannels,
    cancelsEcho: deps.cancelsEcho,
    log,
  });
  const fileEnds = openFileEnds();
  const browser = browserCaptures({
    store,
    fileEnds,
    log,
    files: deps.files,
    combinedChannels: deps.combinedChannels,
    hoursMax: deps.hoursMax,
    freeBytesMin: deps.freeBytesMin,
    control: deps.control,
    admit: deps.admit,
    limits: deps.browserLimits,
  });
  const devices = openReservations(deps.warnAfter);
  const folderOf = (recordingId: string) => deps.files.captureFolder(recordingId);
  const use = deviceUse(devices, folderOf, () => dismantleCombined(combined, log));
  const deviceOptions = {
    configPath: join(dataRoot, 'asound.conf'),
    combinedSource: combinedMonitor(instance),
    env,
  };
  const trial = openLevelTrial({
    scratch: join(deps.dataRoot, 'uploads'),
    isUsed: use.isUsed,
    choose: (device) => chooseDevice(device, combined, deviceOptions),
    async orderFor(device, folder) {
      const form = combined.formNow();
      if (device === combinedDevice) await combined.build(form);
      return await orderFor({ device, folder, form }, deps, deviceOptions);
    },
    async left(device) {
      // Who records it needs it, and takes it down.
      if (device === combinedDevice) await use.dismantleUnused();
    },
  });
  const recent = openRecentList();
  return {
    devices,
    combined,
    use,
    pulse,
    browser,
    deviceOptions,
    recent,
    trial,
    fileEnds,
    folderOf,
  };
}

async function orderFor(
  { device, folder, form }: { device: string; folder: string; form: CombinedForm },
  { hoursMax, freeBytesMin, limits, env }: CapturesDeps,
  deviceOptions: Parameters<typeof findDevice>[1],
): Promise<CaptureOrder> {
  const isCombined = device === combinedDevice;
  return {
    folder,
    device: await findDevice(device, deviceOptions),
    channels: isCombined && form.channels === 'split' ? 2 : 1,
    cancelsEcho: isCombined ? form.cancelsEcho : undefined,
    limits: { ...limits, secondsMax: hoursMax() * 3600, freeBytesMin: await freeBytesMin() },
    env,
  };
}

async function stopReserved(reservation: Reservation | null, stoppedBy: StoppedBy): Promise<void> {
  if (!reservation)
    throw new StageError(failure('recording-over'), {
      retriable: false,
    });
  reservation.stopping = true;
  reservation.stoppedBy ??= stoppedBy;
  reservation.poke();
  await endedInTime(reservation.done);
  if (reservation.failure !== undefined) throw reservation.failure;
}

/** A chain that stays is torn down at the next start: no recording fails because of it. */
async function dismantleCombined(
  combined: Pick<CombinedSource, 'teardown'>,
  log: Pick<Log, 'warn'>,
): Promise<void> {
  try {
    await combined.teardown();
  } catch (error) {
    if (!(error instanceof StageError)) throw error;
    // Without a server there is no chain either.
    if (error.code !== 'no-audio-server')
      log.warn({ err: error }, 'combined source could not be removed');
  }
}
