import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open as openFile, readdir, rename, rm, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { ulid } from 'ulid';
import {
  recordingStream,
  type RecordingFact,
  type RecordingFactOf,
  type Stage,
} from '../../events/recording-facts.ts';
import { EventStoreError, type EventStore } from '../../events/store.ts';
import { activeStages, isSettled } from '../../machines/possible.ts';
import { stateName } from '../../machines/state-name.ts';
import { documentNames } from '../documents/documents.ts';
import type { Log } from '../log.ts';
import type { ActivityBoard } from './activity-board.ts';
import type { Chores } from './chores.ts';
import type { ErasureDeps } from './erasure.ts';
import { documentVersions, restoration } from './document-versions.ts';
import {
  NotAccepted,
  UnknownRecording,
  type Accepted,
  type RecordingsDesk,
  type Upload,
} from './desk.ts';
import { openRecording, type LiveRecording, type LoggedRecordingFact } from './live-recording.ts';
import { speechFileName } from './recording-folder.ts';
import { readRecording, readShown } from './recording-content.ts';
import { openRemovals } from './removals.ts';
import { stageRunner, type StageActivity } from './run-stage.ts';
import type { Turns } from './turns.ts';

export type DeskDeps = {
  store: EventStore;
  activities: Record<Stage, StageActivity>;
  turns: Turns;
  board: ActivityBoard;
  log: Log;
  /** Where the folders of recordings are. */
  recordingsDir: string;
  /** Where folders go that no fact speaks of: an upload that was never acknowledged. Nothing is deleted. */
  quarantineDir: string;
  /** The recording an import command led to before, from the log. */
  importedBy(command: string): Promise<Accepted | null>;
  /** How recordings are erased and documents deleted; without it only the facts are recorded. */
  removal?: Pick<ErasureDeps, 'keys' | 'spaceOf' | 'applied' | 'compact' | 'before'> & {
    chores: Chores;
  };
};

export type OpenDesk = RecordingsDesk & {
  /** Takes up every recording that has work to do, from its last recorded result. */
  restart(unsettled: AsyncIterable<string>): Promise<number>;
  /** Base names of documents that recordings of this owner have been promised, on disk or not yet. */
  promisedBases(owner: string): AsyncIterable<string>;
  /** Finishes what a crash left undone of erasures and deletions. After the views are up to date. */
  finishRemovals(): Promise<void>;
  /** Stops all activities, says so in the log, and waits for what is under way. */
  close(): Promise<void>;
};

/** Settled recordings kept open for the next command. Those at work are always open. */
const settledMax = 100;

/** Opens the only writer of recordings' streams. */
export function openDesk(deps: DeskDeps): OpenDesk {
  const { store, board, log, recordingsDir } = deps;
  const open = new Map<string, Promise<LiveRecording | null>>();
  const users = new Map<string, number>();
  const imports = new Map<string, Promise<Accepted>>();
  const runStage = stageRunner(deps);
  const removals = openRemovals(deps);
  let closing = false;

  return {
    importAudio(upload) {
      // Two identical requests at once are one command: the second gets the first one's answer.
      const underWay = imports.get(upload.command);
      if (underWay) return underWay;
      const accepted = importOnce(upload).finally(() => imports.delete(upload.command));
      imports.set(upload.command, accepted);
      return accepted;
    },
    async startRecording({ recordingId, by, command, title, ...data }) {
      const fact: RecordingFactOf<'recording.started'> = {
        type: 'recording.started',
        data,
        content: title === undefined ? {} : { title },
      };
      return await withRecording(recordingId, true, async (recording) =>
        acceptedFrom(recordingId, await recording.record(fact, { by, command })),
      );
    },
    async command(recordingId, fact, circumstances) {
      return await withRecording(recordingId, false, async (recording) =>
        acceptedFrom(recordingId, await recording.record(fact, circumstances)),
      );
    },
    async commands(recordingId, facts, circumstances) {
      return await withRecording(recordingId, false, async (recording) =>
        acceptedFrom(recordingId, await recording.recordAll(facts, circumstances)),
      );
    },
    async read(recordingId) {
      return await withRecording(recordingId, false, async (recording) => {
        const { context, value } = recording.snapshot();
        return {
          state: stateName(value),
          shown: await readShown(store, recordingId, context),
          latest:
            context.results.audio === null
              ? null
              : await readRecording(store, recordingId, context),
        };
      });
    },
    versions: (recordingId) => documentVersions(store, recordingId),
    restoration: (recordingId, version) => restoration(store, recordingId, version),
    erase,
    async deleteDocuments(recordingId, documents, circumstances) {
      const all = documents.includes('index');
      const names = all ? [...documentNames] : [...documents];
      const accepted = await withRecording(recordingId, false, async (recording) => {
        await removals.intend(recordingId, 'delete-documents');
        const fact = { type: 'documents.deleted', data: { documents: names } } as const;
        try {
          return acceptedFrom(recordingId, await recording.record(fact, circumstances));
        } catch (error) {
          if (error instanceof NotAccepted) {
            await removals.giveUp(recordingId, 'delete-documents');
          }
          throw error;
        }
      });
      await removals.carryOut(recordingId, 'delete-documents');
      return accepted;
    },
    async finishRemovals() {
      for (const { recordingId, chore } of await removals.undone()) {
        await removals.carryOut(recordingId, chore).catch((error: unknown) => {
          log.error({ err: error, recordingId, chore }, 'still not finished');
        });
      }
      // Put back from a backup, but on the list of what was erased: it is not to come back to life.
      for (const recordingId of await removals.listedAsErased()) {
        const command = `erased-before-${recordingId}`;
        await erase(recordingId, { by: 'system', command }).catch((error: unknown) => {
          log.error({ err: error, recordingId }, 'still not erased');
        });
      }
    },
    activity: (recordingId) => board.of(recordingId),
    onActivity: (listener) => board.onChange(listener),

    async restart(unsettled) {
      // All are open before the first one moves: names of documents promised by one are known to all.
      const taken: LiveRecording[] = [];
      for await (const recordingId of unsettled) {
        const recording = await openOne(recordingId, false);
        if (recording) taken.push(recording);
      }
      for (const recording of taken) {
        open.set(recording.recordingId, Promise.resolve(recording));
        recording.start();
      }
      return taken.length;
    },
    async *promisedBases(owner) {
      for (const opening of open.values()) {
        const recording = await opening.catch(() => null);
        const context = recording?.snapshot().context;
        if (!context || context.owner !== owner || context.results.named === null) continue;
        // A name in the space of an earlier owner.
        if (context.results.named < (context.handedOver ?? 0)) continue;
        const after = { afterVersion: context.results.named - 1, limit: 1 };
        for await (const fact of store.read(recordingStream(context.recordingId), after)) {
          if (fact.type === 'documents.named' && fact.content) yield fact.content.base;
        }
      }
    },
    async close() {
      closing = true;
      const recordings = (await Promise.all(open.values())).filter((one) => one !== null);
      await Promise.all(recordings.map((recording) => stopRecording(recording)));
      open.clear();
      await removals.settled();
    },
  };

  /** Cancels first what is going on: nothing may write while things are removed. */
  async function erase(
    recordingId: string,
    { by, command }: { by: string; command: string },
  ): Promise<Accepted> {
    const accepted = await withRecording(recordingId, false, async (recording) => {
      for (let step = 1; step < erasureStepsMax; step += 1) {
        const state = stateName(recording.snapshot().value);
        const fact = stepToErasure(state);
        const stored = await recording
          .record(fact, { by, command: `${command}/${step}` })
          .catch((error: unknown) => {
            // It moved on meanwhile: look again.
            const moved = stateName(recording.snapshot().value) !== state;
            if (error instanceof NotAccepted && moved) return null;
            throw error;
          });
        if (stored?.to === erasedState) return acceptedFrom(recordingId, stored);
      }
      throw new EventStoreError('BUSY', 'The recording is too busy to be erased now.');
    });
    await removals.carryOut(recordingId, 'erase', await open.get(recordingId));
    return accepted;
  }

  async function importOnce(upload: Upload): Promise<Accepted> {
    const earlier = await deps.importedBy(upload.command);
    if (earlier) {
      await rm(upload.path, { force: true });
      return earlier;
    }
    const recordingId = ulid();
    const folder = join(recordingsDir, recordingId);
    const { bytes, sha256 } = await hashFile(upload.path);
    const name = `audio${safeExtension(upload.filename)}`;
    await mkdir(folder, { mode: 0o700 });
    await rename(upload.path, join(folder, name));
    await syncDirectory(folder);
    await syncDirectory(recordingsDir);
    const { owner, kind, language, speakers, title } = upload;
    const fact: RecordingFactOf<'audio.imported'> = {
      type: 'audio.imported',
      data: {
        owner,
        kind,
        language,
        speakers,
        path: name,
        bytes,
        sha256,
        duration: null,
        started_at: new Date().toISOString(),
      },
      content: { filename: upload.filename, ...(title === undefined ? {} : { title }) },
    };
    return await withRecording(recordingId, true, async (recording) =>
      acceptedFrom(
        recordingId,
        await recording.record(fact, { by: upload.by, command: upload.command }),
      ),
    );
  }

  /** Uses a recording; while somebody does, it is not closed under their hands. */
  async function withRecording<T>(
    recordingId: string,
    create: boolean,
    use: (recording: LiveRecording) => Promise<T>,
  ): Promise<T> {
    users.set(recordingId, (users.get(recordingId) ?? 0) + 1);
    try {
      const recording = await find(recordingId, create);
      if (!recording) throw new UnknownRecording(recordingId);
      return await use(recording);
    } finally {
      const left = users.get(recordingId)! - 1;
      if (left === 0) users.delete(recordingId);
      else users.set(recordingId, left);
    }
  }

  /** The open recording, opened if it has to be. Opening it starts what it has to do. */
  function find(recordingId: string, create: boolean): Promise<LiveRecording | null> {
    if (closing) return Promise.reject(new EventStoreError('CLOSED', 'The service is stopping'));
    const known = open.get(recordingId);
    if (known) return known;
    const opening = openOne(recordingId, create).then((recording) => {
      if (recording === null) open.delete(recordingId);
      recording?.start();
      return recording;
    });
    open.set(recordingId, opening);
    opening.catch(() => open.delete(recordingId));
    void forgetSettled().catch((error: unknown) => log.error({ err: error }, 'closing recordings'));
    return opening;
  }

  function openOne(recordingId: string, create: boolean): Promise<LiveRecording | null> {
    const erasing = (id: string) => removals.intend(id, 'erase');
    return openRecording(recordingId, { store, runStage, log, moved, erasing }, { create });
  }

  function moved(recording: LiveRecording): void {
    const { recordingId } = recording;
    const snapshot = recording.snapshot();
    const state = stateName(snapshot.value);
    if (!isSettled(snapshot) || !state.startsWith('idle.')) return;
    if (state === erasedState) {
      // Whoever waits for it has its errors; what failed is tried again at the next start.
      removals.carryOut(recordingId, 'erase', recording).then(
        async () => {
          open.delete(recordingId);
          await recording.stop();
        },
        (error: unknown) => log.error({ err: error, recordingId }, 'an erasure is not finished'),
      );
      return;
    }
    // Derived from the kept audio and not needed any more.
    rm(join(recordingsDir, recordingId, speechFileName), { force: true }).catch((error: unknown) =>
      log.warn({ err: error, recordingId }, 'could not remove the derived speech file'),
    );
  }

  /** Closes the recordings that nobody has touched for longest and that have nothing to do. */
  async function forgetSettled(): Promise<void> {
    if (open.size <= settledMax) return;
    for (const [recordingId, opening] of open) {
      if (open.size <= settledMax) return;
      const recording = await opening.catch(() => null);
      if (!recording || users.has(recordingId) || !isSettled(recording.snapshot())) continue;
      open.delete(recordingId);
      await recording.stop();
    }
  }

  async function stopRecording(recording: LiveRecording): Promise<void> {
    const { running, run } = recording.snapshot().context;
    for (const stage of activeStages(recording.snapshot())) {
      const attempt = running[stage];
      if (attempt === undefined) continue;
      // Being asked to stop is not a death: without this fact three restarts would blame the recording.
      await recording
        .record(
          { type: 'stage.interrupted', data: { stage } },
          { by: 'system', command: ulid(), run, attempt },
        )
        .catch((error: unknown) =>
          log.warn({ err: error, stage }, 'could not record the interruption'),
        );
    }
    await recording.stop();
  }
}

/**
 * Moves folders of recordings that no fact speaks of out of the way: what an upload left that was never
 * acknowledged. Returns their names.
 */
export async function quarantineUnknown(
  deps: Pick<DeskDeps, 'recordingsDir' | 'quarantineDir'>,
  isKnown: (recordingId: string) => Promise<boolean>,
): Promise<string[]> {
  const moved: string[] = [];
  for (const name of await readdir(deps.recordingsDir)) {
    if (await isKnown(name)) continue;
    await mkdir(deps.quarantineDir, { recursive: true, mode: 0o700 });
    await rename(join(deps.recordingsDir, name), join(deps.quarantineDir, `${name}-${Date.now()}`));
    moved.push(name);
  }
  return moved;
}

const erasedState = 'idle.erased';
/** A recording that still moves after so many tries is busy, and somebody has to ask again. */
const erasureStepsMax = 10;

const stepToErasure = (state: string): RecordingFact =>
  state.startsWith('transcribing')
    ? { type: 'processing.cancelled', data: {} }
    : state.startsWith('recording')
      ? { type: 'recording.discarded', data: {} }
      : { type: 'recording.erased', data: {} };

const acceptedFrom = (recordingId: string, fact: LoggedRecordingFact): Accepted => ({
  recordingId,
  position: fact.position,
  state: fact.to ?? '',
});

async function hashFile(path: string): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return { bytes: (await stat(path)).size, sha256: hash.digest('hex') };
}

async function syncDirectory(path: string): Promise<void> {
  const handle = await openFile(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Only letters and digits of what the uploader called it: a name is data, not a path. */
function safeExtension(filename: string): string {
  const extension = extname(filename).toLowerCase();
  return /^\.[a-z0-9]{1,8}$/.test(extension) ? extension : '';
}
