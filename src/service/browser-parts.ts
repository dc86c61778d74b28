import type { ProjectionRunner } from '../../projections/runner/runner.ts';
import { withoutDevices } from '../capture/no-devices.ts';
import { awaitedBrowser } from '../capture/browser/awaited-browser.ts';
import { browserLimits as limitsOfBrowsers } from '../capture/browser/browser-writer.ts';
import type { BrowserLimits } from '../capture/browser/browser-writer.ts';
import type { Admit } from '../capture/browser/intake.ts';
import { type LateBrowserAudio, openLateAudio } from '../capture/browser/late-audio.ts';
import { watchLeftRecordings } from '../capture/browser/left-recordings.ts';
import { type Captures, openCaptures } from '../capture/captures.ts';
import type { StoppedBy } from '../capture/device/reservations.ts';
import type { Settings } from '../config/environment.ts';
import type { OpenedLog } from './event-log.ts';
import { type FreeNames, freeNames } from '../recordings/free-names.ts';
import type { OpenRecordingService } from '../recordings/service.ts';
import type { DataFolder } from '../shared/data-directory.ts';
import { StageError } from '../shared/errors.ts';
import type { Log } from '../shared/log.ts';
import { exclusivelyBy } from '../storage/blobs/exclusively.ts';
import type { Upkeep } from './upkeep.ts';

type BrowserParts = {
  data: DataFolder;
  settings(): Settings;
  log: Log;
  /** What lets in browsers' audio while it comes; absent: whatever there is room for. */
  admit?: Admit | undefined;
  /** For tests. */
  browserLimits?: Partial<BrowserLimits> | undefined;
};

/** What captures, and among several nodes has captures of the others. */
export function capturesOver(
  { store, standing, notices, audio }: OpenedLog,
  { data, settings, log, browserLimits, admit }: BrowserParts,
  takeOver: (recordingId: string) => Promise<boolean>,
): Captures {
  const captures = openCaptures({
    dataRoot: data.root,
    files: audio,
    store,
    log,
    combinedChannels: () => settings()['audio.combined_channels'],
    hoursMax: () => settings()['limits.recording_hours'],
    browserLimits,
    admit,
    ...(standing.isAlone
      ? {}
      : {
          others: {
            takeOver,
            stop: (recordingId: string, stoppedBy: StoppedBy | undefined) =>
              notices.tell('capture-stop', JSON.stringify({ recordingId, stoppedBy })),
          },
        }),
  });
  if (standing.isAlone) return captures;
  const { browser } = captures;
  notices.listen('capture-stop', (text) => {
    const { recordingId, stoppedBy } = JSON.parse(text) as {
      recordingId: string;
      stoppedBy?: StoppedBy;
    };
    if (browser.now(recordingId) === null) return;
    browser.stop(recordingId, stoppedBy).catch((err: unknown) => {
      // Else it has ended otherwise, which is in the log.
      if (!(err instanceof StageError)) log.warn({ err, recordingId }, 'it was not stopped');
    });
  });
  return standing.recordsDevices ? captures : withoutDevices(captures);
}

/** What browsers left when their nodes died, as far as it is watched from here. */
export type LeftByBrowsers = {
  free: FreeNames;
  /** Whether a recording is left to the node that its browser comes back to. */
  isAwaited(recordingId: string, signal: AbortSignal): Promise<boolean>;
  /** Between two looks for what no browser came back to, in milliseconds. */
  everyMs: number;
  /** Between two looks at who has a recording, in milliseconds. */
  lookEveryMs: number;
};

const upkeepEveryMs = 60_000;

/** @param parts.browserLimits what tests shorten shortens how often it is looked, too */
export function leftByBrowsers(
  { ownership, store, audio }: OpenedLog,
  { browserLimits = {} }: Pick<BrowserParts, 'browserLimits'>,
): LeftByBrowsers {
  const limits = { ...limitsOfBrowsers, ...browserLimits };
  const lookEveryMs = Math.min(5_000, limits.graceMs / 4);
  const free = freeNames(ownership, { everyMs: lookEveryMs });
  return {
    free,
    lookEveryMs,
    isAwaited: awaitedBrowser({ store, free, files: audio, limits }),
    everyMs: Math.min(upkeepEveryMs, limits.graceMs),
  };
}

/** Tells of recordings that wait for a browser while no node has them. @param parts.upkeep whether this node does it for all */
export async function tellOfLeftRecordings(
  { store, audio, standing, rows }: OpenedLog,
  { log }: Pick<BrowserParts, 'log'>,
  parts: {
    captures: Captures;
    left: LeftByBrowsers;
    upkeep: Pick<Upkeep, 'isHere'>;
    signal: AbortSignal;
  },
): Promise<void> {
  if (standing.isAlone) return;
  const { captures, left, upkeep, signal } = parts;
  await watchLeftRecordings({
    storage: rows.storage,
    free: left.free,
    store,
    files: audio,
    browser: captures.browser,
    isHere: upkeep.isHere,
    everyMs: left.lookEveryMs,
    log,
    signal,
  });
}

/** What takes what browsers send of recordings that have ended. */
export function lateAudioOver(
  { jobs, audio, ownership, standing }: OpenedLog,
  { settings, log, browserLimits, admit }: BrowserParts,
  parts: {
    projections: ProjectionRunner;
    recordingService: OpenRecordingService;
    left: Pick<LeftByBrowsers, 'free'>;
    /** How long every reader is waited for, in milliseconds. */
    appliedMs: number;
  },
): LateBrowserAudio {
  const { projections, recordingService, appliedMs } = parts;
  return openLateAudio({
    recordingService,
    jobs,
    log,
    files: audio,
    ownership,
    others: standing.isAlone
      ? null
      : { free: parts.left.free, exclusively: exclusivelyBy(ownership) },
    hoursMax: () => settings()['limits.recording_hours'],
    applied: (position) => projections.applied('all', position, { timeoutMs: appliedMs }),
    limits: browserLimits,
    admit,
  });
}
