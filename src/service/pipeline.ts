import { commands, importedBy } from '../../projections/commands.ts';
import { unsavedOf } from '../../projections/library.ts';
import { standingOfRecordings } from '../../projections/recordings.ts';
import { forgetLooks } from '../storage/access-log.ts';
import { removeTexts } from '../../projections/texts.ts';
import { leavingVaults } from '../documents/leaving-vaults.ts';
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
import { hasFfmpeg } from '../audio/ffmpeg.ts';
import { systemClock } from '../shared/retry.ts';
import { inOrder } from '../shared/mutex.ts';
import type { Questions } from '../recordings/question-limits.ts';
import { loadOnce } from '../shared/package.ts';
import {
  configuredModel,
  languageActivities,
  engineProbe,
  configuredEmbeddings,
  speechActivities,
  writingActivities,
} from './engines.ts';
import { capturesOver, lateAudioOver, tellOfLeftRecordings } from './browser-parts.ts';
import { type OpenedLog, openEventLog } from './event-log.ts';
import { type GivenToPipeline, type Ports, portsOver } from './ports.ts';
import { type PassageMaker, openPassageMaker } from '../meaning/passage-maker.ts';
import { openMeaning } from '../meaning/meaning.ts';
import type { MeaningOf } from '../search/by-meaning.ts';
import { openDocumentsRefreshing } from '../order/refresh-documents.ts';
import { takeUp, tidyUp } from './take-up.ts';
import { openUpkeep } from './upkeep.ts';

/**
 * Opens everything over one data directory.
 * @throws {EventStoreError} as `openEventLog`
 */
export const openPipeline = async (given: GivenToPipeline): Promise<Pipeline> =>
  pipelineOver(await openEventLog(given.data, given.log), given);

/** Log, projections, service and activities: all that turns audio into documents, without a network. */
export type Pipeline = ReturnType<typeof pipelineOver>;

/** Everything over an opened log, which it closes. Starts to bring the projections up to the log. */
export function pipelineOver(opened: OpenedLog, given: GivenToPipeline) {
  const stopping = new AbortController();
  const ports = portsOver(opened, given, stopping.signal);
  const { settings, engines } = ports;
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
    /** What browsers send of recordings that have ended. */
    lateAudio,
    /** Writes documents again that say another folder, or other tags. */
    refreshing,
    /** Measures voices of profiles again; begins with `tidyUp`. */
    voices,
    /** Makes the passages by which notes are found by their meaning; begins with `tidyUp`. */
    passageMaker,
  };
  return {
    ...parts,
    hasLanguageModel: () => settings()['llm.base_url'] !== null,
    /** What questions mean. */
    meaning: meaningOver(ports),
    questions: questionsOver(ports),
    /** The speech engine that recordings use, for a trial. @throws {StageError} when there is none */
    leaseSpeech: () => engines.lease(),
    /**
     * Takes up what the last process left unfinished, captures that still run first. Commands may come
     * meanwhile. Returns how many recordings that were. @throws what the log says
     */
    takeUp(): Promise<number> {
      const going = takeUp(parts);
      takenUp = going;
      return going;
    },
    /** Has what other processes leave undone done from now on, by one of them. @param also done each time it is this one */
    keepUp: (also: () => Promise<void>) => upkeep.begin(parts, also),
    /** Finishes erasures and puts folders aside that no fact speaks of; after `takeUp`, waits for all projections. */
    tidyUp: () =>
      (tidiedUp = tidyUp(parts).then(() => {
        voices.begin();
        passageMaker.begin();
      })),
    /** Closes the log too. */
    async close(): Promise<void> {
      stopping.abort();
      await Promise.allSettled([takenUp, tidiedUp, upkeep.settled(), told]);
      await closeAll(parts, opened);
    },
  };
}

/** What fails to end keeps nothing else from ending: a database that comes back finds no claim of this run. */
async function closeAll(
  parts: Ports & { captures: Captures } & Record<
      'lateAudio' | 'passageMaker' | 'recordingService' | 'refreshing' | 'voices',
      { close(): Promise<unknown> }
    >,
  opened: OpenedLog,
): Promise<void> {
  const { lateAudio, refreshing, voices, passageMaker, recordingService } = parts;
  await inOrder([
    ...[lateAudio, refreshing, voices, passageMaker, recordingService].map(
      (part) => async () => await part.close(),
    ),
    async () => parts.recordsDevices && (await parts.captures.close()),
    async () => await parts.engines.close(),
    async () => await parts.languageModels.close(),
    async () => await parts.embeddings.close(),
    async () => await parts.projections.stop(),
    async () => await opened.close(),
  ]);
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
    copies: leavingVaults({
      ...ports,
      dataDir: data.shared,
      vaultsOf: (owner) =>
        [...new Set([settings()['notes.vault'], vaultOf(owner)])].filter((one) => one !== null),
    }),
    activities: {
      capture: captures.activity,
      ...speechActivities(ports, { asked, known, captures }),
      ...languageActivities(ports, { asked, known }),
      ...writingActivities(ports, {
        async *promisedBases(owner) {
          await Promise.allSettled([takenUp()]);
          yield* recordingService.promisedBases(owner, unsavedOf(storage, owner));
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
