import { type LateBrowserAudio, openLateAudio } from '../capture/browser/late-audio.ts';
import { warnAfterSeconds } from '../capture/capture-now.ts';
import { type Captures, openCaptures } from '../capture/captures.ts';
import type { StoppedBy } from '../capture/device/reservations.ts';
import { captureLimits } from '../capture/process/protocol.ts';
import type { Ports } from './ports.ts';
import { watchLeftRecordings } from '../recordings/control/left-recordings.ts';
import type { OpenRecordingService } from '../recordings/service.ts';
import { StageError } from '../shared/errors.ts';
import { leftByRecordings } from '../storage/disk.ts';
import type { Upkeep } from './upkeep.ts';
import { failure } from '../words/failures.ts';

/** What captures, and has other processes end what they capture. */
export function capturesOver(
  ports: Ports,
  takeOver: (recordingId: string) => Promise<boolean>,
): Captures {
  const { data, settings, log, standing, notices } = ports;
  const captures = openCaptures({
    ...ports,
    dataRoot: data.root,
    combinedChannels: () => settings()['audio.combined_channels'],
    cancelsEcho: () => settings()['audio.echo_cancellation'],
    hoursMax: () => settings()['limits.recording_hours'],
    freeBytesMin: () => leftByRecordings(data.recordings, settings()),
    env: process.env,
    limits: captureLimits,
    warnAfter: warnAfterSeconds,
    control: {
      takeOver,
      stopElsewhere: (recordingId, stoppedBy) =>
        notices.tell('capture-stop', JSON.stringify({ recordingId, stoppedBy })),
      sharesFolders: standing.sharesFolders,
    },
  });
  const { browser } = captures;
  notices.listen('capture-stop', (text) => {
    const { recordingId, stoppedBy }: { recordingId: string; stoppedBy: StoppedBy } =
      JSON.parse(text);
    if (browser.now(recordingId) === null) return;
    browser.stop(recordingId, stoppedBy).catch((err: unknown) => {
      // Else it has ended otherwise, which is in the log.
      if (!(err instanceof StageError))
        log.warn({ err, recordingId }, 'recording could not be stopped');
    });
  });
  return standing.recordsDevices ? captures : withoutDevices(captures);
}

/** Tells of recordings that wait for a browser while no process has them. @param parts.upkeep whether this one does it for all */
export const tellOfLeftRecordings = (
  ports: Ports,
  parts: { captures: Captures; upkeep: Pick<Upkeep, 'isHere'> },
): Promise<void> =>
  watchLeftRecordings({
    ...ports,
    onLeft: parts.captures.browser.left,
    isHere: parts.upkeep.isHere,
    // What tests shorten shortens how often it is looked, too.
    everyMs: Math.min(lookEveryMs, (ports.browserLimits.graceMs ?? Infinity) / 4),
  });

const lookEveryMs = 5_000;

/** What takes what browsers send of recordings that have ended. */
export const lateAudioOver = (
  ports: Ports,
  recordingService: OpenRecordingService,
): LateBrowserAudio =>
  openLateAudio({
    ...ports,
    recordingService,
    sharesFolders: ports.standing.sharesFolders,
    hoursMax: () => ports.settings()['limits.recording_hours'],
    freeBytesMin: () => leftByRecordings(ports.data.recordings, ports.settings()),
    limits: ports.browserLimits,
  });

/** Captures of a node of a cluster: browsers send it what they hear; sound devices are at people's desks. */
function withoutDevices(captures: Captures): Captures {
  const refuse = async (): Promise<never> => {
    throw new StageError(failure('no-devices-on-nodes'), { retriable: false });
  };
  return {
    ...captures,
    devices: refuse,
    choose: refuse,
    hear: refuse,
    sources: refuse,
    combine: refuse,
    uncombine: refuse,
  };
}
