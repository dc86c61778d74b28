import pino from 'pino';
import { join } from 'node:path';
import { recordingOf } from '../../events/facts/recording.ts';
import { soleOwnership } from '../../events/ownership.ts';
import { exclusivelyBy } from '../../src/storage/blobs/blobs.ts';
import type { EventStore } from '../../events/store.ts';
import { openSpace } from '../../src/documents/space.ts';
import { takeOverDefaults } from '../../src/recordings/control/take-over.ts';
import { leftForMs } from '../../src/recordings/control/left-recordings.ts';
import { openOrderBook } from '../../src/order/order-book.ts';
import type { RecordingServiceDeps } from '../../src/recordings/service.ts';
import { openJobQueue } from '../../src/recordings/stages/job-queue.ts';
import { openStageProgress } from '../../src/recordings/stages/stage-progress.ts';
import { write } from '../../src/recordings/stages/write.ts';
import { systemClock } from '../../src/shared/retry.ts';
import { pendingJobs } from '../../src/storage/pending-jobs.ts';
import { audioOf } from './audio-of.ts';
import { memoryKept } from './memory-kept.ts';
import { memoryKeys, memoryStore } from './memory-store.ts';

/**
 * All that a RecordingService is made of, for a process that is alone with a log and a folder: no rows, no copies in a vault,
 * all audio is kept. What a test is about it puts in the place of these.
 */
export function recordingServiceParts(
  store: EventStore,
  dataDir: string,
): Omit<RecordingServiceDeps, 'activities'> {
  const ownership = soleOwnership();
  return {
    store,
    ownership,
    order: openOrderBook(store),
    exclusively: exclusivelyBy(ownership),
    ...takeOverDefaults,
    limits: leftForMs,
    standingOf: async () => new Map(),
    log: pino({ level: 'silent' }),
    clock: systemClock,
    jobQueue: openJobQueue(),
    progress: openStageProgress(),
    files: audioOf(dataDir),
    quarantineDir: join(dataDir, 'quarantine'),
    spaceOf: (owner) => openSpace(dataDir, owner),
    names: null,
    keys: memoryKeys(),
    jobs: pendingJobs(memoryKept(() => new Date())),
    removeRows: async () => {},
    copies: {
      note: async () => {},
      remove: async () => ({ left: [], away: [] }),
      removeNoted: async () => {},
    },
    keepUser: async () => {},
    applied: async () => {},
    leaveAudio: async () => {},
    probeEngine: async () => null,
    retriesHere: () => true,
    worksOnAudio: true,
    keep: () => 'wav',
    beforeRemoval: async () => {},
    ffmpegRuns: async () => true,
    importedBy: (command) => importedIn(store, command),
  };
}

/** As the projection of commands says it. */
async function importedIn(store: EventStore, command: string) {
  for await (const fact of store.readAll()) {
    if (fact.command !== command || fact.type !== 'audio.imported') continue;
    return { recordingId: recordingOf(fact.stream)!, position: fact.position, state: fact.to! };
  }
  return null;
}

/** What the stage needs that writes documents; the names of no other recording are known to it. */
export const writingParts = (
  spaceOf: Parameters<typeof write>[0]['spaceOf'],
  order: Parameters<typeof write>[0]['order'] = openOrderBook(memoryStore()),
): Parameters<typeof write>[0] => ({
  spaceOf,
  uiLanguage: () => 'en',
  choices: () => ({ times: true, links: false, address: null }),
  audioInVault: () => null,
  order,
  async *promisedBases() {},
  names: null,
  exclusively: exclusivelyBy(soleOwnership()),
  absorb: async () => {},
});

/** For a handler of recordings of which nothing is removed. */
export const nothingPromised = {
  erasing: async () => {},
  saving: async () => {},
  isCaptured: async () => false,
};
