import type { RecordingFactType } from '../../../events/facts/recording.ts';
import { type Recording, factAt, factsOf } from '../../../projections/recording/recording.ts';
import { continuationDue } from '../../../projections/recording/assembling.ts';
import { isIn } from '../../../machines/states.ts';
import type { OpenRecordingService } from '../../recordings/service.ts';
import { aborted } from '../../shared/abort.ts';
import { StageError, hasCode } from '../../shared/errors.ts';
import { failure } from '../../words/failures.ts';
import type { Log } from '../../shared/log.ts';
import { wavFramesMax } from '../../audio/wav.ts';
import type { AudioFile, AudioStore } from '../../storage/audio/audio-store.ts';
import type { Held, Ownership } from '../../../events/ownership.ts';
import type { Exclusively } from '../../storage/blobs/blobs.ts';
import type { PendingJobs } from '../../storage/pending-jobs.ts';
import { isDeletion, recordedElsewhere, recordingErased } from './browser-captures.ts';
import type { Admit } from './intake.ts';
import { type BrowserStream, openBrowserStream } from './browser-stream.ts';
import { type BrowserLimits, browserLimits } from './browser-writer.ts';
import {
  type LateBases,
  lateBases,
  type LateBase,
  joinLate,
  lateFolder,
  lateGaps,
  lengthOf,
} from './late-file.ts';
import { sharedCapture, sharedEveryMs } from './shared-capture.ts';
import { lateAudioName } from '../../recordings/late-audio-first.ts';
import type { UnknownRecording } from '../../recordings/refusals.ts';

type LateAudioDeps = {
  recordingService: Pick<OpenRecordingService, 'read' | 'decide' | 'whileFilesStay'>;
  jobs: PendingJobs;
  log: Log;
  files: AudioStore;
  ownership: Ownership;
  exclusively: Exclusively;
  /** Whether a process that lost a recording may still have its file open. */
  sharesFolders: boolean;
  /** `limits.recording_hours` */
  hoursMax(): number;
  /** Bytes that recordings leave free on the disk. */
  freeBytesMin(): Promise<number>;
  /** What lets in what comes of a user's; undefined: whatever there is room for. */
  admit: Admit | undefined;
  /** Resolves when every reader knows what the log says up to a position. */
  applied(position: number): Promise<unknown>;
  /** In the place of the usual ones. */
  limits: Partial<BrowserLimits>;
};

export const openLateAudio = (deps: LateAudioDeps): LateBrowserAudio => new LateBrowserAudio(deps);

/**
 * What a browser still held of its microphone when it came back after its recording had ended. It is kept beside the
 * audio as it comes, each sample on the disk before it is acknowledged; when the browser has sent it all, or stays away,
 * both become one file, which is a fact, and all of it is recognised again.
 */
export class LateBrowserAudio {
  readonly #deps: LateAudioDeps;
  readonly #bases: LateBases;
  readonly #streams = new Map<string, Promise<BrowserStream>>();
  readonly #endings = new Set<Promise<void>>();
  readonly #closing = new AbortController();

  constructor(deps: LateAudioDeps) {
    this.#deps = deps;
    this.#bases = lateBases(deps.files);
  }

  /**
   * Takes more of a recording that has ended.
   * @throws {StageError} `not-recording` no browser recorded it, or its audio is gone; {UnknownRecording}
   */
  stream(recordingId: string): Promise<BrowserStream> {
    const present = this.#streams.get(recordingId);
    if (present) return present;
    const opening = this.#open(recordingId);
    this.#streams.set(recordingId, opening);
    opening.catch(() => this.#streams.delete(recordingId));
    return opening;
  }

  /**
   * Goes on with what a dead process left, as if the browser had just gone, when no browser has come back with it to
   * another process for long. To be called from time to time.
   */
  async takeUp(): Promise<void> {
    const { jobs, log } = this.#deps;
    for (const { recordingId, job } of await jobs.list()) {
      if (job !== 'late-audio' || this.#streams.has(recordingId)) continue;
      if (await this.#isAwaited(recordingId)) continue;
      await this.stream(recordingId).catch(async (error: unknown) => {
        if (hasCode(error, 'recorded-elsewhere')) return;
        log.warn(
          { err: error, recordingId },
          'late audio from a browser cannot be added now; it is kept',
        );
        await this.#forgetIfGone(recordingId);
      });
    }
  }

  /** Keeps what was taken for the next start. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#streams.values());
    await Promise.all(this.#endings);
  }

  async #open(recordingId: string): Promise<BrowserStream> {
    const { ownership } = this.#deps;
    const held = await ownership.claim(lateAudioName(recordingId), this.#closing.signal);
    if (!held) throw recordedElsewhere();
    try {
      return await this.#openHeld(recordingId, held);
    } catch (error) {
      await held.release();
      throw error;
    }
  }

  async #openHeld(recordingId: string, held: Held): Promise<BrowserStream> {
    const { recordingService, jobs } = this.#deps;
    const left = await this.#bases.read(recordingId);
    // Before it is asked whether it takes more: where its audio is about to be another, one of both sees the other.
    await jobs.add(recordingId, 'late-audio');
    const { recording, state } = await recordingService.read(recordingId);
    let base = left;
    try {
      const main = audioOf(recording, state);
      base ??= await this.#begin(recordingId, main);
    } catch (error) {
      // Nothing was taken, and nothing is to be added.
      if (left === null) await jobs.complete(recordingId, 'late-audio');
      throw error;
    }
    const stream = await this.#openBehind(recording, base, held);
    const ending = this.#untilEnd(recordingId, { stream, base, held });
    this.#endings.add(ending);
    void ending.finally(() => this.#endings.delete(ending));
    return stream;
  }

  async #openBehind(recording: Recording, base: LateBase, held: Held): Promise<BrowserStream> {
    const { files, log, hoursMax, limits, admit } = this.#deps;
    const { recordingId } = recording;
    const began = factAt(recording, 1, 'recording.started')!;
    const owner = recording.files.owner ?? 'system';
    const folder = lateFolder(files.captureFolder(recordingId));
    const signal = AbortSignal.any([this.#closing.signal, held.lost]);
    const job = { recordingId, signal, waiting() {} };
    const share = files.late ? await sharedCapture(job, files.late, folder) : undefined;
    const secondsMax =
      Math.min(hoursMax() * 3600, wavFramesMax(base.channels) / base.rate) -
      base.samples / base.rate;
    return await openBrowserStream(folder, {
      limits: {
        ...browserLimits,
        freeBytesMin: await this.#deps.freeBytesMin(),
        ...(share ? { acknowledgeEveryMs: sharedEveryMs } : {}),
        ...limits,
        secondsMax: Math.max(0, secondsMax),
      },
      channelsMax: base.channels,
      behind: base,
      sharesFolders: this.#deps.sharesFolders,
      share,
      intake: admit && {
        ...admit(owner),
        since: Date.parse(began.at),
        before: base.samples / base.rate,
      },
      log,
      onAway() {},
    });
  }

  /** Whether it is left to the process that the browser comes back to. */
  async #isAwaited(recordingId: string): Promise<boolean> {
    const { ownership, limits } = this.#deps;
    const name = lateAudioName(recordingId);
    const freeMs = (await ownership.freeFor([name])).get(name) ?? 0;
    return freeMs < (limits?.graceMs ?? browserLimits.graceMs);
  }

  async #begin(recordingId: string, main: AudioFile): Promise<LateBase> {
    const base = await this.#deps.files.read(recordingId, main, lengthOf);
    await this.#bases.remove(recordingId);
    await this.#bases.write(recordingId, base);
    return base;
  }

  /** Never rejects: what could not be added stays, and is tried again at the next start, or by another process. */
  async #untilEnd(recordingId: string, late: Late): Promise<void> {
    const { stream, base, held } = late;
    const signal = AbortSignal.any([this.#closing.signal, held.lost]);
    const reason = await Promise.race([stream.ended, aborted(signal)]);
    try {
      if (reason !== null && stream.samples > base.samples)
        await this.#add(recordingId, late, signal);
      else if (reason === 'stopped') await this.#continue(recordingId);
      signal.throwIfAborted();
      await this.#forget(recordingId);
      await held.release();
      stream.announce(reason!);
    } catch (error) {
      const { log } = this.#deps;
      let isDeleted = false;
      // A service that stops leaves it to the next start, one that lost it to another.
      if (!signal.aborted) {
        log.error(
          { err: error, recordingId },
          'late audio from a browser could not be added; trying again',
        );
        isDeleted = await this.#forgetIfGone(recordingId).catch((err: unknown) => {
          log.warn({ err, recordingId }, 'late audio of an erased recording could not be removed');
          return false;
        });
      }
      if (reason !== null) stream.announce(isDeleted ? 'discarded' : 'left');
    }
    if (!this.#closing.signal.aborted) this.#streams.delete(recordingId);
    const warn = (message: string) => (error: unknown) =>
      this.#deps.log.warn({ err: error, recordingId }, message);
    // What was acknowledged is on the disk; the file is repaired when it is read.
    await stream.close().catch(warn('late audio from a browser could not be closed'));
    await held.release().catch(warn('recording could not be released after adding late audio'));
  }

  /** Its browser holds no more of it: what was recorded behind another goes there, once nothing is late any more. */
  async #continue(recordingId: string): Promise<void> {
    const metadata = { by: 'system', command: `late-audio:${recordingId}:whole` };
    await this.#deps.recordingService.decide(recordingId, metadata, (recording, state) => {
      const due = isIn(state, 'idle.saved') && continuationDue(recording, { isWhole: true });
      return due ? [due] : [];
    });
  }

  /** No other may replace the file meanwhile that this is added to. */
  async #add(recordingId: string, late: Late, signal: AbortSignal): Promise<void> {
    const { recordingService, exclusively } = this.#deps;
    // Another process may be compressing it.
    await exclusively(`audio:${recordingId}`, () =>
      recordingService.whileFilesStay(() => this.#addTo(recordingId, late, signal)),
    );
  }

  async #addTo(recordingId: string, { stream, base }: Late, signal: AbortSignal): Promise<void> {
    const { recordingService, jobs, files, applied, limits } = this.#deps;
    const freeBytesMin = limits.freeBytesMin ?? (await this.#deps.freeBytesMin());
    const folder = files.captureFolder(recordingId);
    const { recording, state } = await recordingService.read(recordingId);
    const main = audioOf(recording, state);
    const name = `audio-${factsOf(recording, 'audio.extended', Infinity).length + 2}.wav`;
    // More than the base where it was added before: by a process that died then, or that had lost it.
    const { samples: has } = await files.read(recordingId, main, lengthOf);
    if (has > base.samples && !isAddedTo(recording, base))
      throw new Error('the audio is not the one that late audio was counted in');
    if (has >= stream.samples) return;
    const joined = await files.read(recordingId, main, (path) =>
      joinLate(folder, { main: path, base, has, signal, freeBytesMin }),
    );
    signal.throwIfAborted();
    const path = await files.keep(recordingId, name, joined);
    const gaps = [...(recording.files.ledger?.gaps ?? []), ...(await lateGaps(folder, base, has))];
    const ledger = { ...joined.ledger, gaps };
    const data = { ...joined, ledger, path, before: has / base.rate, replaces: main.path };
    const by = recording.files.owner ?? 'system';
    // The file that it replaces is removed when there are documents, while nobody copies files, by whichever process there is then.
    await jobs.add(recordingId, 'keep-audio');
    // The same again after a crash is the same command.
    const command = `late-audio:${recordingId}:${has}:${stream.samples}`;
    const { position } = await recordingService.decide(
      recordingId,
      { by, command },
      (now, then) => {
        signal.throwIfAborted();
        if (audioOf(now, then).path !== main.path) throw new Error('the audio is another by now');
        return [{ type: 'audio.extended', data }];
      },
    );
    await applied(position);
  }

  /** Of what cannot be added nothing is given up before its recording is: it is tried again. Returns whether that was deleted. */
  async #forgetIfGone(recordingId: string): Promise<boolean> {
    const { recordingService } = this.#deps;
    const found = await recordingService.read(recordingId).catch((error: unknown) => {
      if (hasCode<UnknownRecording>(error, 'UNKNOWN_RECORDING')) return null;
      throw error;
    });
    if (found === null || isIn(found.state, 'idle.erased')) await this.#forget(recordingId);
    return isDeletion(found?.recording.facts.at(-1));
  }

  /** Nothing is left to do: what was taken is in the audio, or was nothing, or its recording is gone. */
  async #forget(recordingId: string): Promise<void> {
    await this.#bases.remove(recordingId);
    await this.#deps.jobs.complete(recordingId, 'late-audio');
  }
}

/** What comes late of one recording, and what keeps other processes from taking it. */
type Late = { stream: BrowserStream; base: LateBase; held: Held };

/** Whether something was added that came behind these samples. */
const isAddedTo = (recording: Recording, { samples, rate }: LateBase): boolean =>
  factsOf(recording, 'audio.extended', Infinity).some(({ data }) => data.before === samples / rate);

/** Whether its browser counts samples of other audio: this was joined or cut since. Silence in it is as long as what it is for. */
const countsOtherwise = ({ facts }: Recording): boolean =>
  facts.some(({ type }, at) => {
    if (type !== 'audio.assembled') return false;
    const asked = facts.slice(0, at).findLast((fact) => assemblies.has(fact.type));
    return asked?.type !== 'passage.removed';
  });
const assemblies: ReadonlySet<string> = new Set([
  'recording.joined',
  'recording.cut',
  'passage.removed',
] satisfies RecordingFactType[]);

/** The audio that there is of a browser's recording. @throws {StageError} `not-recording` */
function audioOf(recording: Recording, state: string): AudioFile {
  const origin = factAt(recording, 1, 'recording.started');
  const { audio } = recording.files;
  const { assembly } = recording.sources;
  // It comes back, and finds it in the other, or with other audio.
  if (assembly === 'asked' || assembly === 'leaving') throw recordedElsewhere();
  if (isDeletion(recording.facts.at(-1))) throw recordingErased();
  if (
    !origin ||
    origin.data.device !== null ||
    isIn(state, 'recording') ||
    isIn(state, 'idle.erased')
  )
    throw refusal('browser-recording-over');
  if (!audio) throw refusal('late-audio-not-wanted');
  if (countsOtherwise(recording)) throw refusal('late-audio-elsewhere');
  return audio;
}

const refusal = (
  code: 'browser-recording-over' | 'late-audio-not-wanted' | 'late-audio-elsewhere',
): StageError => new StageError(failure(code), { retriable: false });
