import { commands, importedBy } from '../../projections/commands.ts';
import { standingOfRecordings } from '../../projections/recordings.ts';
import { forgetLooks } from '../storage/access-log.ts';
import { removeTexts } from '../../projections/texts.ts';
import { spacesIn } from '../documents/space.ts';
import { removeFromVault } from '../documents/vault.ts';
import { openStageProgress } from '../recordings/stages/stage-progress.ts';
import type { Captures } from '../capture/captures.ts';
import { audioAtOneNode } from '../recordings/control/at-one-node.ts';
import { leftForMs } from '../recordings/control/left-recordings.ts';
import { openKnownVoices } from '../recordings/known-voices.ts';
import { type VoiceCatchUp, openVoiceCatchUp } from '../recordings/voice-catch-up.ts';
import {
  type OpenRecordingService,
  openRecordingService,
  type RecordingServiceDeps,
} from '../recordings/service.ts';
import { openAskedAhead } from '../recordings/stages/asked-ahead.ts';
import { openJobQueue } from '../recordings/stages/job-queue.ts';
import { hasFfmpeg } from '../audio/ffmpeg.ts';
import { systemClock } from '../shared/retry.ts';
import { inOrder } from '../shared/mutex.ts';
import { exclusivelyBy } from '../storage/blobs/blobs.ts';
import type { Questions } from '../recordings/question-limits.ts';
import { loadOnce } from '../shared/package.ts';
import {
  configuredModel,
  languageActivities,
  engineProbe,
  sharedEngine,
  configuredEmbeddings,
  sharedEmbeddings,
  sharedLanguageModel,
  speechActivities,
  writingActivities,
} from './engines.ts';
import { capturesOver, lateAudioOver, tellOfLeftRecordings } from './browser-parts.ts';
import { type OpenedLog, openEventLog } from './event-log.ts';
import type { Pipeline, PipelineOptions, Ports } from './parts.ts';
import { type PassageMaker, openPassageMaker } from '../meaning/passage-maker.ts';
import { openMeaning } from '../meaning/meaning.ts';
import type { MeaningOf } from '../search/by-meaning.ts';
import { openOrderBook } from '../order/order-book.ts';
import { openDocumentsRefreshing } from '../order/refresh-documents.ts';
import { takeUp, tidyUp } from './take-up.ts';
import { openUpkeep } from './upkeep.ts';

/** How long an erasure waits for the projections; beyond it, it is finished at the next start. */
const erasureViewsMs = 60_000;

/** What is left out is as for a command that works for one person, beside no service. */
type Given = Pick<PipelineOptions, 'data' | 'settings' | 'log'> & Partial<PipelineOptions>;

/**
 * Opens everything over one data directory.
 * @throws {EventStoreError} as `openEventLog`
 */
export const openPipeline = async (given: Given): Promise<Pipeline> =>
  pipelineOver(await openEventLog(given.data, given.log), given);

/** Everything over an opened log, which it closes. Starts to bring the projections up to the log. */
export function pipelineOver(opened: OpenedLog, given: Given): Pipeline {
  const stopping = new AbortController();
  const ports = portsOver(opened, given, stopping.signal);
  const { settings, projections, engines, languageModels, recordsDevices } = ports;
  const upkeep = openUpkeep(ports);
  /** Until then not all recordings are open that were promised a name. */
  let takenUp: Promise<unknown> = Promise.resolve();
  let tidiedUp: Promise<void> = Promise.resolve();
  const captures = capturesOver(ports, (id) => recordingService.takeOver(id));
  const recordingService: OpenRecordingService = recordingServiceOver(ports, {
    captures,
    retriesHere: upkeep.isHere,
    leaveAudio: (recordingId) => voices.leave(recordingId),
    beforeRemoval: (recordingId, signal) => voices.measureLast(recordingId, signal),
    takenUp: () => takenUp,
  });
  const voices = voicesOver(ports, recordingService);
  const lateAudio = lateAudioOver(ports, recordingService);
  const refreshing = openDocumentsRefreshing({ ...ports, recordingService, isHere: upkeep.isHere });
  const passageMaker = passageMakerOver(ports);
  const told = tellOfLeftRecordings(ports, { captures, upkeep });
  const parts = {
    ...ports,
    recordingService,
    captures,
    lateAudio,
    refreshing,
    voices,
    passageMaker,
  };
  return {
    ...parts,
    hasLanguageModel: () => settings()['llm.base_url'] !== null,
    meaning: meaningOver(ports),
    questions: questionsOver(ports),
    leaseSpeech: () => engines.lease(),
    takeUp: () => (takenUp = takeUp(parts)),
    keepUp: (also) => upkeep.begin(parts, also),
    tidyUp: () =>
      (tidiedUp = tidyUp(parts).then(() => {
        voices.begin();
        passageMaker.begin();
      })),
    async close() {
      stopping.abort();
      await Promise.allSettled([takenUp, tidiedUp, upkeep.settled(), told]);
      // What fails to end keeps nothing else from ending: a database that comes back finds no claim of this run.
      await inOrder([
        ...[lateAudio, refreshing, voices, passageMaker, recordingService].map(
          (part) => async () => await part.close(),
        ),
        async () => recordsDevices && (await captures.close()),
        async () => await engines.close(),
        async () => await languageModels.close(),
        async () => await ports.embeddings.close(),
        async () => await projections.stop(),
        async () => await opened.close(),
      ]);
    },
  };
}

function portsOver(opened: OpenedLog, given: Given, signal: AbortSignal): Ports {
  const options: PipelineOptions = {
    modelsDir: given.data.models,
    pageAddress: () => null,
    audioInVault: () => null,
    documentsOf: null,
    vaultOf: () => null,
    keepUser: async () => {},
    recordsDevices: false,
    admit: undefined,
    firstRunWaitMs: 120_000,
    browserLimits: {},
    activities: {},
    retention: {},
    passageMaking: {},
    ...given,
  };
  const projections = opened.keepRows();
  return {
    ...options,
    ...opened,
    recordsDevices: options.recordsDevices && opened.standing.recordsDevices,
    storage: opened.rows.storage,
    projections,
    applied: (position) => projections.applied('all', position, { timeoutMs: erasureViewsMs }),
    files: opened.audio,
    spaceOf: options.documentsOf ?? spacesIn(opened.blobs),
    exclusively: exclusivelyBy(opened.ownership),
    order: openOrderBook(opened.store),
    jobQueue: openJobQueue(),
    engines: sharedEngine(options),
    languageModels: sharedLanguageModel(options),
    embeddings: sharedEmbeddings(options),
    signal,
  };
}

/** What answers questions, loaded with the first. */
function questionsOver(ports: Ports): Questions {
  const opened = loadOnce(async () => {
    const { openQuestions } = await import('../recordings/questions.ts');
    return openQuestions({ ...ports, languageModel: configuredModel(ports) });
  });
  return {
    ask: async (asked) => await (await opened()).ask(asked),
    summarise: async (asked) => await (await opened()).summarise(asked),
  };
}

/** What makes passages, by the embedding server that is set at the time. */
const passageMakerOver = (ports: Ports): PassageMaker =>
  openPassageMaker({
    ...ports,
    model: configuredEmbeddings(ports),
    trial: ports.passageMaking,
  });

const meaningOver = (ports: Ports): MeaningOf =>
  openMeaning({
    ...ports,
    model: configuredEmbeddings(ports),
    isOn: () => ports.settings()['embeddings.base_url'] !== null,
  });

/** What measures voices again; the models are looked for each time. */
function voicesOver(ports: Ports, recordingService: OpenRecordingService): VoiceCatchUp {
  const { settings, modelsDir, signal } = ports;
  const isHere = audioAtOneNode(ports, 'voices', signal, () => voices.look());
  const voices = openVoiceCatchUp({
    ...ports,
    recordingService,
    openEmbedder: async () =>
      await (await import('../speech/diarization/diarize.ts')).localEmbedder(modelsDir),
    isOn: () => isHere() && settings()['speakers.profiles'],
  });
  return voices;
}

/** What takes commands on recordings and works on them. @param parts.takenUp settles when all recordings are open that were promised names of documents */
function recordingServiceOver(
  ports: Ports,
  parts: Pick<RecordingServiceDeps, 'retriesHere' | 'leaveAudio' | 'beforeRemoval'> & {
    captures: Captures;
    takenUp(): Promise<unknown>;
  },
): OpenRecordingService {
  const { data, settings, store, standing, storage, kept, projections, vaultOf } = ports;
  const { captures, takenUp } = parts;
  const known = openKnownVoices({
    ...ports,
    head: () => store.head(),
    isOn: () => settings()['speakers.profiles'],
  });
  const asked = openAskedAhead();
  const recordingService: OpenRecordingService = openRecordingService({
    ...ports,
    ...parts,
    ...standing.takeOver,
    worksOnAudio: standing.worksOnAudio,
    limits: { ...leftForMs, ...ports.browserLimits },
    clock: systemClock,
    progress: openStageProgress(),
    quarantineDir: data.quarantine,
    standingOf: (ids) => standingOfRecordings(storage, ids),
    probeEngine: engineProbe(ports),
    keep: () => settings()['audio.keep'],
    ffmpegRuns: hasFfmpeg,
    importedBy: async (command) => {
      await projections.applied(commands.name, await store.head());
      return await importedBy(storage, command);
    },
    async removeRows(recordingId) {
      await removeTexts(storage, recordingId);
      await ports.passages.remove([recordingId]);
      await forgetLooks(kept, recordingId);
    },
    async removeCopies(owner, paths) {
      const left: string[] = [];
      for (const vault of new Set([settings()['notes.vault'], vaultOf(owner)])) {
        if (vault !== null) left.push(...(await removeFromVault(owner, vault, paths, data.shared)));
      }
      return left;
    },
    activities: {
      capture: captures.activity,
      ...speechActivities(ports, { asked, known, captures }),
      ...languageActivities(ports, { asked, known }),
      ...writingActivities(ports, {
        async *promisedBases(owner) {
          await Promise.allSettled([takenUp()]);
          yield* recordingService.promisedBases(owner);
        },
        absorb: (recordingId, into) => recordingService.absorb(recordingId, into),
        begin: (...first) => recordingService.beginMade(...first),
        read: (...asked) => recordingService.read(...asked),
        assemble: (...command) => recordingService.assemble(...command),
        rest: (recordingId) => recordingService.rest(recordingId),
      }),
      ...ports.activities,
    },
  });
  return recordingService;
}
