import type { ProjectionRunner } from '../../projections/runner/runner.ts';
import { withoutDevices } from '../capture/no-devices.ts';
import type { BrowserLimits } from '../capture/browser/browser-writer.ts';
import type { Admit } from '../capture/browser/intake.ts';
import { type LateBrowserAudio, openLateAudio } from '../capture/browser/late-audio.ts';
import { type Captures, openCaptures } from '../capture/captures.ts';
import type { StoppedBy } from '../capture/device/reservations.ts';
import type { Settings } from '../config/environment.ts';
import type { OpenedLog } from './event-log.ts';
import { watchLeftRecordings } from '../recordings/control/left-recordings.ts';
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

/** What captures, and has other processes end what they capture. */
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
    control: {
      takeOver,
      stopElsewhere: (recordingId, stoppedBy) =>
        notices.tell('capture-stop', JSON.stringify({ recordingId, stoppedBy })),
      sharesFolders: standing.sharesFolders,
    },
  });
  const { browser } = captures;
  notices.listen('capture-stop', (text) => {
    const { recordingId, stoppedBy } = JSON.parse(text) as {
      recordingId: string;
      stoppedBy?: StoppedBy;
    };
    if (browser.now(recordingId) === null) return;
    browser.stop(recordingId, stoppedBy).catch((err: unknown) => {
      // Else it has ended otherwise, which is in the log.
      if (!(err instanceof StageError))
        log.warn({ err, recordingId }, 'the recording was not stopped');
    });
  });
  return standing.recordsDevices ? captures : withoutDevices(captures);
}

/** Tells of recordings that wait for a browser while no process has them. @param parts.upkeep whether this one does it for all */
export const tellOfLeftRecordings = (
  { store, audio, rows, ownership }: OpenedLog,
  { log, browserLimits = {} }: Pick<BrowserParts, 'log' | 'browserLimits'>,
  parts: { captures: Captures; upkeep: Pick<Upkeep, 'isHere'>; signal: AbortSignal },
): Promise<void> =>
  watchLeftRecordings({
    storage: rows.storage,
    ownership,
    store,
    files: audio,
    onLeft: parts.captures.browser.left,
    isHere: parts.upkeep.isHere,
    // What tests shorten shortens how often it is looked, too.
    everyMs: Math.min(lookEveryMs, (browserLimits.graceMs ?? Infinity) / 4),
    log,
    signal: parts.signal,
  });

const lookEveryMs = 5_000;

/** What takes what browsers send of recordings that have ended. */
export function lateAudioOver(
  { jobs, audio, ownership, standing }: OpenedLog,
  { settings, log, browserLimits, admit }: BrowserParts,
  parts: {
    projections: ProjectionRunner;
    recordingService: OpenRecordingService;
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
    exclusively: exclusivelyBy(ownership),
    sharesFolders: standing.sharesFolders,
    hoursMax: () => settings()['limits.recording_hours'],
    applied: (position) => projections.applied('all', position, { timeoutMs: appliedMs }),
    limits: browserLimits,
    admit,
  });
}
