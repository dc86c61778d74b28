import { ulid } from 'ulid';
import type { ProjectionStorage } from '../../projections/runner/projection.ts';
import { statusOf } from '../../projections/recordings.ts';
import type { Captures } from './captures.ts';
import { NotAccepted } from '../recordings/refusals.ts';
import type { RecordingService } from '../recordings/service.ts';
import type { Settings } from '../config/environment.ts';
import { StageError } from '../shared/errors.ts';
import { failure } from '../words/failures.ts';
import { mutexByName } from '../shared/mutex.ts';
import type { SpaceLimit } from '../storage/quota.ts';

export type ToggleRequest = {
  action?: 'start' | 'stop' | 'reset' | undefined;
  kind?: 'solo' | 'meeting' | undefined;
  /** Where neither a folder nor a rule says it. */
  usualKind?: 'solo' | 'meeting' | undefined;
  language?: string | null | undefined;
  title?: string | undefined;
  /** Names of people who may be heard. */
  people?: string[] | undefined;
  /** Id of one of the owner's folders. */
  folder?: string | undefined;
  /** Instead of the device of the settings. */
  device?: string | undefined;
  /** Id of the ended recording into which it goes. */
  continues?: string | undefined;
};

export type Toggled = {
  action: 'start' | 'stop' | 'reset';
  /** Null when there was nothing to reset. */
  recordingId: string | null;
  /** Position of the last fact it led to; 0 when it led to none. */
  position: number;
};

/** The one switch: behind `POST /toggle`, the hotkey and the tray. */
export type Toggle = (
  who: {
    owner: string;
    trigger: string;
    command: string;
    /** False: starting is refused, by `audio.recorders`. Whoever is at this machine may, and does not say so. */
    mayRecord?: boolean;
  },
  request: ToggleRequest,
) => Promise<Toggled>;

export type ToggleDeps = {
  recordingService: RecordingService;
  captures: Captures;
  space: Pick<SpaceLimit, 'refuseWhenFull'>;
  storage: ProjectionStorage;
  settings(): Pick<Settings, 'audio.device'>;
  /** Resolves when what has been recorded so far can be read. */
  upToDate(): Promise<void>;
  /** Position of the log's head. */
  head(): Promise<number>;
};

/**
 * Starts, stops or resets. Without an action: the owner's device recording runs → it is stopped; the
 * owner's status is ERROR → all their errors are cleared, what is there is kept, and a recording whose audio is not in the
 * log yet is tried again; where that failed before, and else, one is started. One toggle of an owner at a time: of two at
 * once the second finds what the first has done.
 *
 * The toggle throws {StageError} `device-taken`, `device-gone`, `no-device`, `not-recording`, `already-recording`,
 * `devices-unavailable`; {NotAccepted}; {SpaceLimitReached} instead of starting; what a recording failed with that was
 * stopped before anything was captured.
 */
export function openToggle(deps: ToggleDeps): Toggle {
  const inTurn = mutexByName();
  return (who, request) => inTurn(who.owner, () => toggle(deps, who, request));
}

type Who = Parameters<Toggle>[0];

async function toggle(deps: ToggleDeps, who: Who, request: ToggleRequest): Promise<Toggled> {
  await deps.upToDate();
  const { recordings, errors } = await statusOf(deps.storage, who.owner);
  const running = recordings.find(({ device }) => device !== null)?.recordingId ?? null;
  const { action = running === null ? 'start' : 'stop' } = request;
  if (action === 'stop') return await stop(deps, who, running);
  const isAsked = action === 'reset';
  if (isAsked || request.action === undefined) {
    const done = await reset(deps, who, errors, isAsked);
    if (isAsked || done.recordingId !== null) return done;
  }
  if (running !== null) {
    throw new StageError(failure('already-recording'), {
      retriable: false,
    });
  }
  return await start(deps, who, request);
}

async function reset(
  deps: ToggleDeps,
  who: Who,
  errors: readonly { recordingId: string }[],
  isAsked: boolean,
): Promise<Toggled> {
  let last: Toggled = { action: 'reset', recordingId: null, position: 0 };
  for (const { recordingId } of errors) {
    const command = { by: who.owner, command: `${who.command}/${recordingId}` };
    try {
      const { position } = await resetOne(deps, recordingId, command, isAsked);
      last = { action: 'reset', recordingId, position };
    } catch (error) {
      // Somebody else ended it meanwhile, or nothing helps it: the others are to be reset all the same.
      if (!(error instanceof NotAccepted)) throw error;
    }
  }
  return last;
}

async function resetOne(
  { recordingService }: ToggleDeps,
  recordingId: string,
  command: { by: string; command: string },
  isAsked: boolean,
): Promise<{ position: number }> {
  try {
    const cleared = { type: 'error.cleared', data: {} } as const;
    return await recordingService.command(recordingId, cleared, command);
  } catch (error) {
    if (!(error instanceof NotAccepted && error.possible.includes('retry.requested'))) throw error;
    // Its audio is not taken yet. Who presses again after another try did not help wants to record.
    const { recording } = await recordingService.read(recordingId);
    const wasRetried = recording.facts.some(({ type }) => type === 'retry.requested');
    if (wasRetried && !isAsked) throw error;
    const retried = { type: 'retry.requested', data: {} } as const;
    return await recordingService.command(recordingId, retried, command);
  }
}

async function stop(
  { captures, head }: ToggleDeps,
  { owner, command }: Who,
  running: string | null,
): Promise<Toggled> {
  if (running === null) {
    throw new StageError(failure('not-recording'), { retriable: false });
  }
  await captures.stop(running, { by: owner, command });
  return { action: 'stop', recordingId: running, position: await head() };
}

async function start(
  { recordingService, captures, space, settings }: ToggleDeps,
  { owner, trigger, command, mayRecord }: Who,
  request: ToggleRequest,
): Promise<Toggled> {
  if (mayRecord === false) {
    throw new StageError(failure('recording-not-allowed'), { retriable: false });
  }
  await space.refuseWhenFull(owner);
  const recordingId = ulid();
  const device = await captures.choose(request.device ?? settings()['audio.device']);
  // Reserved before anything is written: of two who start at once one is refused, not both recorded.
  captures.reserve(device, recordingId);
  try {
    const { position } = await recordingService.startRecording({
      recordingId,
      owner,
      by: owner,
      command,
      kind: request.kind,
      usualKind: request.usualKind,
      language: request.language,
      speakers: null,
      title: request.title,
      people: request.people,
      folder: request.folder,
      continues: request.continues,
      device,
      trigger,
    });
    return { action: 'start', recordingId, position };
  } catch (error) {
    await captures.unreserve(recordingId);
    throw error;
  }
}
