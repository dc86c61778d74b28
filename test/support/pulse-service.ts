import { aloneControl } from './alone-control.ts';
import pino from 'pino';
import { ulid } from 'ulid';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openFileKeys } from '../../events/log/file-keys.ts';
import { type LevelLog, openLog } from '../../events/log/level-log.ts';
import {
  type RecordingFact,
  type RecordingFactType,
  type Stage,
  recordingStream,
  stages,
} from '../../events/facts/recording.ts';
import { captureLimits } from '../../src/capture/process/protocol.ts';
import type { CombinedChannels } from '../../src/capture/pulse/combined-chain.ts';
import { type WarnAfter, warnAfterSeconds } from '../../src/capture/capture-now.ts';
import { type Captures, openCaptures } from '../../src/capture/captures.ts';
import { stateName } from '../../machines/states.ts';
import { openStageProgress } from '../../src/recordings/stages/stage-progress.ts';
import { soleOwnership } from '../../events/ownership.ts';
import { type RecordingAggregate, openAggregate } from '../../src/recordings/control/aggregate.ts';
import type { LoggedRecordingFact } from '../../events/facts/catalogue.ts';
import { recordingHandler } from '../../src/recordings/handle.ts';
import { type StageActivity, stageRunner } from '../../src/recordings/stages/run-stage.ts';
import { openJobQueue } from '../../src/recordings/stages/job-queue.ts';
import { eventually } from './eventually.ts';
import { audioOf } from './audio-of.ts';
import { nothingPromised } from './recording-service.ts';

/** Who stops recordings. */
export const stoppedBy = { by: 'guest', command: ulid() };

/** Log, machine and captures as the service has them; the stages after capture never end. */
export type CapturingService = {
  captures: Captures;
  store: LevelLog;
  folder(recordingId: string): string;
  start(device: string | null, recordingId?: string): Promise<string>;
  command(recordingId: string, fact: RecordingFact): Promise<void>;
  /** Takes up a recording of an earlier life. */
  takeUp(recordingId: string): Promise<void>;
  state(recordingId: string): string;
  /** The last fact, as soon as it is one of this type. */
  last<T extends RecordingFactType>(
    recordingId: string,
    type: T,
  ): Promise<Extract<LoggedRecordingFact, { type: T }>>;
  close(): Promise<void>;
};

export async function openCapturingService(
  root: string,
  options: {
    env: NodeJS.ProcessEnv;
    channels?: CombinedChannels;
    cancelsEcho?: boolean;
    hoursMax?: number;
    freeBytesMin?: number;
    limits?: Partial<typeof captureLimits>;
    warnAfter?: Partial<WarnAfter>;
  },
): Promise<CapturingService> {
  const recordingsDir = join(root, 'recordings');
  await mkdir(recordingsDir, { recursive: true });
  const log = pino({ level: 'silent' });
  const store = await openLog({
    directory: join(root, 'log'),
    keys: await openFileKeys(join(root, 'keys')),
  });
  const captures = openCaptures({
    dataRoot: root,
    files: audioOf(root),
    store,
    log,
    combinedChannels: () => options.channels ?? 'mix',
    cancelsEcho: () => options.cancelsEcho ?? false,
    hoursMax: () => options.hoursMax ?? 8,
    freeBytesMin: async () => options.freeBytesMin ?? 0,
    control: aloneControl,
    env: options.env,
    limits: { ...captureLimits, ...options.limits },
    warnAfter: { ...warnAfterSeconds, ...options.warnAfter },
    browserLimits: {},
    admit: undefined,
  });
  const endless: StageActivity = ({ signal }) =>
    new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  const activities = Object.fromEntries(stages.map((stage) => [stage, endless])) as Record<
    Stage,
    StageActivity
  >;
  const runStage = stageRunner({
    activities: { ...activities, capture: captures.activity },
    jobQueue: openJobQueue(),
    progress: openStageProgress(),
    log,
  });
  const handler = recordingHandler({ store, ...nothingPromised });
  const ownership = soleOwnership();
  const live = new Map<string, RecordingAggregate>();
  const openOne = async (recordingId: string) => {
    const recording = await openAggregate(
      recordingId,
      { handler, runStage, log, actsIn: () => true, moved() {}, waits() {}, left() {} },
      { create: true },
    );
    live.set(recordingId, recording!);
    return recording!;
  };

  const act = async (recording: RecordingAggregate, options: { isNew?: boolean } = {}) => {
    const { signal } = new AbortController();
    const held = await ownership.claim(`recording:${recording.recordingId}`, signal);
    await recording.act(held!, options);
  };

  return {
    captures,
    store,
    folder: (recordingId) => join(recordingsDir, recordingId),
    async start(device, recordingId = ulid()) {
      const recording = await openOne(recordingId);
      await act(recording, { isNew: true });
      const data = { owner: 'guest', kind: 'solo', language: null, speakers: null } as const;
      await recording.append(
        [{ type: 'recording.started', data: { ...data, device, trigger: 'test' }, content: {} }],
        { by: 'guest', command: ulid() },
      );
      return recordingId;
    },
    async command(recordingId, fact) {
      await live.get(recordingId)!.append([fact], { by: 'guest', command: ulid() });
    },
    async takeUp(recordingId) {
      await act(await openOne(recordingId));
    },
    state: (recordingId) => stateName(live.get(recordingId)!.snapshot().value),
    async last(recordingId, type) {
      let last = 'none';
      const isIt = (
        fact: LoggedRecordingFact,
      ): fact is Extract<typeof fact, { type: typeof type }> => fact.type === type;
      return await eventually(
        () => `the last fact is ${type}, not ${last}`,
        async () => {
          for await (const fact of store.read(recordingStream(recordingId))) {
            last = fact.type;
            if (isIt(fact)) return fact;
          }
          return null;
        },
      );
    },
    async close() {
      for (const recording of live.values()) await recording.stop();
      await captures.close();
      await store.close();
    },
  };
}
