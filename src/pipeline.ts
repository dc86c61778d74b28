import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openFileKeys } from '../events/file-keys.ts';
import type { KeyStore } from '../events/keys.ts';
import { openLog, type Log as EventLog } from '../events/level-log.ts';
import { recordingOf, recordingStream } from '../events/recording-facts.ts';
import { commands, importedBy } from '../projections/commands.ts';
import { config } from '../projections/config.ts';
import type { ProjectionStorage } from '../projections/projection.ts';
import { recordings, unsettledRecordings } from '../projections/recordings.ts';
import { startProjections, type ProjectionRunner } from '../projections/runner.ts';
import { status } from '../projections/status.ts';
import { transcripts } from '../projections/transcripts.ts';
import { users } from '../projections/users.ts';
import { openSpace, type Space } from './documents/space.ts';
import { prepare, type DataFolder } from './host.ts';
import { markOpen } from './integrity/open-mark.ts';
import { openingCheck, readScrubState } from './integrity/scrub-state.ts';
import type { OpenLanguageModel } from './language/openai-model.ts';
import { leased } from './leased.ts';
import { loadOnce } from './load-once.ts';
import type { Log } from './log.ts';
import { openActivityBoard } from './recordings/activity-board.ts';
import type { BrowserLimits } from './capture/browser-limits.ts';
import { openCaptures, type Captures } from './capture/captures.ts';
import { openDesk, type OpenDesk } from './recordings/open-desk.ts';
import { quarantineUnknown } from './recordings/quarantine.ts';
import type { StageActivity } from './recordings/run-stage.ts';
import { openTurns } from './recordings/turns.ts';
import type { Settings } from './settings.ts';
import { StageError } from './stage-error.ts';
import type { SpeechEngine } from './speech/engine.ts';
import { rowCompaction } from './storage/compact-rows.ts';
import { levelChores } from './storage/level-chores.ts';
import { levelProjectionStorage } from './storage/level-projections.ts';

/** How long an erasure waits for the views; beyond it, it is finished at the next start. */
const erasureViewsMs = 60_000;

/** Log, projections, door and activities: all that turns audio into documents, without a network door. */
export type Pipeline = {
  store: EventLog;
  keys: KeyStore;
  storage: ProjectionStorage;
  projections: ProjectionRunner;
  desk: OpenDesk;
  captures: Captures;
  settings(): Settings;
  /** Takes up what was unfinished; returns how many recordings that were. */
  restart(): Promise<number>;
  close(): Promise<void>;
};

/**
 * Opens everything over one data directory.
 * @throws {EventStoreError} `LOCKED` when another process has it, `DAMAGED`, `NEWER_LOG`.
 */
export async function openPipeline(options: {
  data: DataFolder;
  settings: () => Settings;
  log: Log;
  /** Where documents of an owner go, when not into their space below the data directory. */
  spaceOf?: (owner: string) => Promise<Space>;
  /** Where local models are, when not below the data directory. */
  modelsDir?: string;
  /** Whether this process is the one that records: it then looks after captures and their sources. */
  recordsDevices?: boolean;
  /** How long a language model may stay away on a first run; for tests. */
  firstRunPatienceMs?: number;
  /** For tests. */
  browserLimits?: Partial<BrowserLimits>;
}): Promise<Pipeline> {
  const { data, settings, log } = options;
  const modelsDir = options.modelsDir ?? data.models;
  await prepare(data);
  const keys = await openFileKeys(data.keys);
  const mark = await markOpen(data);
  const store = await openLog({
    directory: data.log,
    keys,
    ...openingCheck(await readScrubState(data.root), mark),
    report: (message, error) => log.error({ err: error }, message),
  });
  const storage = levelProjectionStorage(store.db);
  const projections = startProjections({
    store,
    storage,
    projections: [recordings, transcripts, status, users, commands, config],
    onStopped: (stopped) => log.error(stopped, 'a projection has stopped'),
    onListenerError: (error) => log.error({ err: error }, 'a listener to the projections failed'),
  });

  const onCloseError = (error: unknown) => log.warn({ err: error }, 'closing what was replaced');
  const engines = leased<SpeechEngine>({
    // A model that was installed meanwhile makes another engine too.
    key: async () =>
      JSON.stringify([pick(settings(), 'stt.'), await readdir(modelsDir).catch(() => [])]),
    async open() {
      const { chooseEngine } = await import('./speech/choose-engine.ts');
      return await chooseEngine(settings(), { modelsDir, log });
    },
    onCloseError,
  });
  const models = leased<OpenLanguageModel>({
    key: () => JSON.stringify(pick(settings(), 'llm.')),
    async open() {
      const { 'llm.base_url': baseUrl, ...rest } = settings();
      if (baseUrl === null) throw new Error('no language model is configured');
      const { openLanguageModel } = await import('./language/openai-model.ts');
      return openLanguageModel({
        baseUrl,
        model: rest['llm.model'],
        apiKey: rest['llm.api_key'],
        contextTokens: rest['llm.context'],
        timeoutSeconds: rest['llm.timeout'],
      });
    },
    onCloseError,
  });
  const languageTools = {
    languageModel: async () => (settings()['llm.base_url'] === null ? null : await models.lease()),
    ...(options.firstRunPatienceMs === undefined
      ? {}
      : { firstRunPatienceMs: options.firstRunPatienceMs }),
  };

  const captures = openCaptures({
    dataRoot: data.root,
    recordingsDir: data.recordings,
    store,
    log,
    combinedChannels: () => settings()['audio.combined_channels'],
    hoursMax: () => settings()['limits.recording_hours'],
    browserLimits: options.browserLimits,
  });

  const spaceOf = options.spaceOf ?? ((owner: string) => openSpace(data.root, owner));
  const desk: OpenDesk = openDesk({
    store,
    log,
    turns: openTurns(),
    board: openActivityBoard(),
    recordingsDir: data.recordings,
    quarantineDir: data.quarantine,
    removal: {
      keys,
      spaceOf,
      chores: levelChores(store.db),
      applied: (position) => projections.applied('all', position, { timeoutMs: erasureViewsMs }),
      compact: rowCompaction(store.db),
    },
    keepAudio: { keep: () => settings()['audio.keep'] },
    importedBy: async (command) => {
      await projections.applied(commands.name, store.head());
      return await importedBy(storage, command);
    },
    activities: {
      capture: captures.activity,
      transcribe: loaded(async () =>
        (await import('./recordings/activities/transcribe.ts')).transcribe({
          leaseEngine: () => engines.lease(),
          folderOf: (recordingId) => join(data.recordings, recordingId),
          modelsDir,
        }),
      ),
      diarize: loaded(async () => (await attribution()).diarize),
      identify: loaded(async () => (await attribution()).identify),
      join: loaded(async () => (await attribution()).join),
      punctuate: loaded(async () => (await finishing()).punctuate(languageTools)),
      summarise: loaded(async () => (await finishing()).summarise(languageTools)),
      entitle: loaded(async () =>
        (await finishing()).entitle({
          ...languageTools,
          uiLanguage: () => settings()['ui.language'],
        }),
      ),
      write: loaded(async () =>
        (await import('./recordings/activities/write.ts')).write({
          spaceOf,
          uiLanguage: () => settings()['ui.language'],
          promisedBases: (owner) => desk.promisedBases(owner),
        }),
      ),
    },
  });

  return {
    store,
    keys,
    storage,
    projections,
    desk,
    captures,
    settings,
    async restart() {
      // A damaged log takes nothing new, so nothing could go on. What can be read is served all the same.
      if (store.health().state === 'damaged') {
        await projections
          .ready()
          .catch((error: unknown) => log.error({ err: error }, 'views stop'));
        log.error('the log is damaged: unfinished recordings wait until it is sound again');
        return 0;
      }
      await projections.ready();
      await desk.finishRemovals();
      const unknown = await quarantineUnknown(
        { recordingsDir: data.recordings, quarantineDir: data.quarantine },
        async (recordingId) => await isKnown(recordingId),
      );
      if (unknown.length > 0) log.warn({ unknown }, 'moved folders without facts to quarantine');
      if (options.recordsDevices) await captures.takeStock(becomeOf);
      return await desk.restart(unsettled());
    },
    async close() {
      await desk.close();
      if (options.recordsDevices) await captures.close();
      await engines.close();
      await models.close();
      await projections.stop();
      await store.close();
      await mark.closed();
    },
  };

  /** From the projection; from the log itself when the projection has stopped. */
  async function* unsettled(): AsyncIterable<string> {
    const healthy = projections
      .states()
      .every(({ name, state }) => name !== recordings.name || state !== 'stopped');
    if (healthy) {
      yield* unsettledRecordings(storage);
      return;
    }
    const states = new Map<string, string>();
    for await (const fact of store.readAll()) {
      const recordingId = recordingOf(fact.stream);
      if (recordingId === undefined) continue;
      if (/^(recording|transcribing)\b/.test(fact.to ?? '')) states.set(recordingId, fact.to!);
      else states.delete(recordingId);
    }
    yield* states.keys();
  }

  /** What has become of a recording: its last fact says. */
  async function becomeOf(recordingId: string): Promise<'recording' | 'erased' | 'other'> {
    const stream = recordingStream(recordingId);
    const last = { afterVersion: Math.max(0, (await store.version(stream)) - 1), limit: 1 };
    for await (const { to } of store.read(stream, last)) {
      if (to?.startsWith('recording')) return 'recording';
      if (to === 'idle.erased') return 'erased';
    }
    return 'other';
  }

  async function isKnown(recordingId: string): Promise<boolean> {
    for await (const _first of store.read(recordingStream(recordingId), { limit: 1 })) return true;
    return false;
  }
}

/**
 * An activity whose code is loaded with its first job: decoders, clients of servers and renderers are
 * half of the program, and the start must not wait for them. Made once: it may know of other jobs.
 */
function loaded(load: () => Promise<StageActivity>): StageActivity {
  const activity = loadOnce(() => load().catch(replaced));
  return async (job) => (await activity())(job);
}

/** Files that are there are loaded; an update puts others in their place, under other names. */
function replaced(cause: unknown): never {
  throw new StageError(
    'program-replaced',
    'A part of the program cannot be loaded: it was updated while the service runs. Restart the ' +
      'service, then try again.',
    { retriable: true, cause },
  );
}

const attribution = () => import('./recordings/activities/attribute.ts');
const finishing = () => import('./recordings/activities/finish.ts');

const pick = (settings: Settings, prefix: string) =>
  Object.fromEntries(Object.entries(settings).filter(([key]) => key.startsWith(prefix)));
