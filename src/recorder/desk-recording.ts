import { join } from 'node:path';
import { inEnglish } from '../words/say.ts';
import { captureRate } from '../audio/wav.ts';
import { readClaim } from '../capture/file/capture-files.ts';
import { repairWav } from '../capture/file/wav-writer.ts';
import { type CaptureOutcome, followCapture } from '../capture/follow-capture.ts';
import type { CaptureStatus } from '../capture/process/protocol.ts';
import { audioFileName } from '../shared/data-directory.ts';
import { messageOf } from '../shared/errors.ts';
import { exists } from '../shared/files.ts';
import { mutex } from '../shared/mutex.ts';
import { type DeskAudio, openDeskAudio, openDeskLink } from './desk-link.ts';
import type { DeskDevices } from './desk-devices.ts';
import { type DeskFolder, removeDeskFolder, writeNote } from './desk-folder.ts';
import type { Login } from './logins.ts';
import { correctStart, isStart, loginOf, outcomeInWords, tell } from './tell-service.ts';

/** How a recording of this desk ended here. */
export type DeskEnd =
  /** All of it is on the service's disk, and the service knows that it is over. */
  | 'sent'
  /** The same, but it does not know when it began: the next process says so. */
  | 'untold'
  /** There was no sound, and there is nothing to send. */
  | 'nothing'
  /** The service takes no more of it; the audio stays here. */
  | 'kept';

type DeskRecordingDeps = {
  devices: DeskDevices;
  login(): Promise<Login | null>;
  /** Something worth a line of its own has happened. */
  say(text: string): void;
  /** Whether a recording of this process captures from a device. */
  isCaptured(device: string): boolean;
};

/** Nothing more of it is ever taken. */
const goneCodes = new Set(['not-recording', 'not-accepted', 'rate-differs', 'not-found']);

/** How often it is asked whether a recording is gone that a service that is just starting does not know yet. */
const goneTriesMax = 5;

/** How often the file is looked at for more, in milliseconds. */
const pokeMs = 100;

/** Starts a recording, or goes on with one that an earlier process left. */
export const openDeskRecording = (folder: DeskFolder, deps: DeskRecordingDeps): DeskRecording =>
  new DeskRecording(folder, deps);

/** What is to be said of a recording of this desk. */
export type DeskState = {
  id: string;
  phase: 'starting' | 'recording' | 'paused' | 'sending';
  /** Of audio on this disk, and of that what the service has not acknowledged. */
  seconds: number;
  unsentSeconds: number;
  /** Of the last 100 ms, 0 to 1; null while nothing comes. */
  level: number | null;
  /** What is wrong with the device, in words. */
  device: string | null;
  /** Why nothing is sent, in words. */
  away: string | null;
};

/** One recording of this desk: its capture process, whose connection it holds, and the link that sends what that writes. */
export class DeskRecording {
  readonly folder: DeskFolder;
  /**
   * Settles when there is nothing left to do.
   * @throws {StageError} when the device cannot be recorded
   */
  readonly ended: Promise<DeskEnd>;
  readonly #deps: DeskRecordingDeps;
  readonly #audio: DeskAudio;
  readonly #link: ReturnType<typeof openDeskLink>;
  readonly #left = new AbortController();
  readonly #inTurn = mutex();
  #status: CaptureStatus | null = null;
  #isCapturing = true;
  #samples = 0;
  #acknowledged = 0;
  #deviceProblem: string | null = null;
  #away: string | null = null;
  #goneTries = 0;
  #poke = () => {};
  readonly #captured: Promise<void>;
  #settle: (end: DeskEnd) => void = () => {};
  #fail: (error: unknown) => void = () => {};

  constructor(folder: DeskFolder, deps: DeskRecordingDeps) {
    this.folder = folder;
    this.#deps = deps;
    this.#audio = openDeskAudio(join(folder.path, audioFileName), folder.note.channels);
    this.ended = new Promise((resolve, reject) => {
      this.#settle = resolve;
      this.#fail = reject;
    });
    this.#link = openDeskLink(folder.note, this.#audio, {
      login: () => loginOf(folder.note, deps.login),
      ready: (...said) => this.#ready(...said),
      acknowledged: (samples) => (this.#acknowledged = samples),
      ended: (reason) => this.#guard(this.#endedThere(reason)),
      refused: (code, detail) => this.#guard(this.#refused(code, detail)),
      resumed: () => this.#link.begin(),
      stopped: () => this.#guard(this.#stoppedThere()),
      away: (why) => (this.#away = why),
    });
    this.#captured = this.#run();
    this.#guard(this.#captured);
  }

  state(): DeskState {
    const unsent = Math.max(0, this.#samples - this.#acknowledged);
    return {
      id: this.folder.note.id,
      phase: this.#phase(),
      seconds: this.#samples / captureRate,
      unsentSeconds: unsent / captureRate,
      level: this.#isCapturing ? (this.#status?.level?.peak ?? null) : null,
      device: this.#isCapturing
        ? (this.#deviceProblem ?? this.#status?.problem?.message ?? null)
        : null,
      away: this.#away,
    };
  }

  /** Nothing more is captured; what is there is sent. */
  async stop(): Promise<void> {
    await this.#over();
    if (this.folder.note.isPaused) this.#link.begin();
  }

  /** Sends no more for now: what is not sent stays on the disk. */
  async leave(): Promise<void> {
    this.#left.abort();
    this.#link.close();
    await this.#audio.close();
  }

  #phase(): DeskState['phase'] {
    if (!this.#isCapturing || this.folder.note.isOver) return 'sending';
    if (this.folder.note.isPaused) return 'paused';
    return this.#samples > 0 ? 'recording' : 'starting';
  }

  /** Until the capture is over; the link goes on behind that. */
  async #run(): Promise<void> {
    const { path, note } = this.folder;
    if (note.isSent === true) return await this.#settled();
    const isNew = (await readClaim(path)) === null;
    // Killed before there was a capture: there is nothing of it but what it may have joined. A claim may be damaged, too.
    if (isNew && note.isOver && (await this.#audio.samples()) === 0) {
      await this.#dismantle();
      return await this.#finish('nothing');
    }
    const looking = setInterval(() => this.#guard(this.#look()), pokeMs);
    const capturing = new AbortController();
    let outcome: CaptureOutcome | null | undefined;
    try {
      outcome = await this.#capture(capturing.signal);
    } catch (error) {
      if ((await this.#audio.samples()) === 0) {
        if (isNew && note.recordingId === null) await removeDeskFolder(this.folder);
        throw error;
      }
      // What was captured before it is sent all the same.
      this.#deps.say(messageOf(error));
      outcome = { reason: 'capture-not-started', channels: note.channels };
    } finally {
      capturing.abort();
      clearInterval(looking);
      this.#isCapturing = false;
      // Unless the capture goes on: the microphone would stay open.
      if (outcome !== null || note.isOver) await this.#dismantle();
    }
    if (outcome === null) return;
    if (outcome.reason !== 'stopped') this.#deps.say(outcomeInWords(outcome.reason));
    await this.#over();
    this.#samples = (await exists(join(path, audioFileName)))
      ? await repairWav(join(path, audioFileName), note.channels)
      : 0;
    if (this.#samples === 0 && note.recordingId === null) return await this.#finish('nothing');
    this.#link.begin();
    this.#link.poke();
    this.#link.stop(this.#samples);
  }

  /** What another recording has joined for the same device stays, until that is over. */
  async #dismantle(): Promise<void> {
    const { devices, isCaptured, say } = this.#deps;
    const { device } = this.folder.note;
    if (isCaptured(device)) return;
    await devices.dismantle(device).catch((error: unknown) => {
      say(`The combined source could not be removed: ${messageOf(error)}`);
    });
  }

  #capture(signal: AbortSignal): Promise<CaptureOutcome | null> {
    const { path: folder, note } = this.folder;
    const { devices, say } = this.#deps;
    let isKept = false;
    return followCapture(folder, {
      will: { paused: () => note.isPaused, stopping: () => note.isOver },
      signal: this.#left.signal,
      prepare: () => devices.orderFor(note.device, note.channels, folder),
      onStatus: (status) => {
        this.#status = status;
        if (isKept) return;
        isKept = true;
        // Folders of earlier releases do not say so: only the service says that it goes on, and may be away.
        note.isPaused ||= status.state === 'paused';
        if (note.recordingId !== null) this.#link.begin();
        devices.keep(note.device, signal, (problem) => {
          this.#deviceProblem = problem && inEnglish(problem);
        });
      },
      onRestart: () => say('The recording was interrupted and is running again.'),
      onPoke: (poke) => (this.#poke = poke),
      untilRead: (work) => work(),
    });
  }

  /** What the capture has written since; the service hears of the recording when there is any sound. */
  async #look(): Promise<void> {
    this.#samples = Math.max(this.#samples, await this.#audio.samples());
    if (this.#samples === 0) return;
    if (this.#away === null && this.folder.note.recordingId === null) this.#link.begin();
    this.#link.poke();
  }

  async #over(): Promise<void> {
    const { note } = this.folder;
    const isNew = !note.isOver;
    note.isOver = true;
    // Before the note, which the disk may not take: the microphone is let go in any case.
    this.#poke();
    if (isNew) await this.#write();
  }

  #ready(recordingId: string, isStopped: boolean, hasEnded: boolean): void {
    const { note } = this.folder;
    // One that has ended there knows of no pause, and nobody resumes it: the microphone stays closed.
    if (isStopped || (hasEnded && note.isPaused)) this.#guard(this.#stoppedThere());
    else this.#pause(false);
    this.#goneTries = 0;
    this.#away = null;
    if (note.recordingId === recordingId) return;
    note.recordingId = recordingId;
    note.isStartKnown = isStart(note, Date.now());
    this.#guard(this.#write());
  }

  #pause(isPaused: boolean): void {
    const { note } = this.folder;
    if (note.isPaused === isPaused) return;
    note.isPaused = isPaused;
    this.#guard(this.#write());
    this.#deps.say(isPaused ? 'Paused on the server.' : 'Resumed on the server.');
    this.#poke();
  }

  async #endedThere(reason: string): Promise<void> {
    if (reason === 'paused') return this.#pause(true);
    const isWhole = !this.#isCapturing && this.#acknowledged >= this.#samples;
    if (reason === 'stopped' || reason === 'nothing-captured') {
      if (isWhole) return await this.#settled();
      await this.#stoppedThere();
    }
    if (reason === 'limit-hours') {
      if (isWhole) return await this.#settled();
      await this.#over();
      return await this.#keep('It is longer than the server allows (limits.recording_hours).');
    }
    // What came before it ended there is added to it.
    this.#link.beginLater();
  }

  async #stoppedThere(): Promise<void> {
    if (!this.folder.note.isOver) this.#deps.say('Stopped on the server.');
    await this.#over();
  }

  async #refused(code: string, detail: string): Promise<void> {
    const { note } = this.folder;
    const isWhole = !this.#isCapturing && this.#acknowledged >= this.#samples;
    if (code === 'recording-paused') {
      this.#pause(true);
      if (!note.isOver || this.#isCapturing) return;
      if (isWhole) return this.#link.stopPaused();
      await tell(note, this.#deps, 'POST', `/recordings/${note.recordingId}/resume`);
      return this.#link.beginLater();
    }
    this.#away = detail;
    const isGone = goneCodes.has(code);
    if (isGone && (this.#goneTries += 1) > goneTriesMax) {
      if (isWhole && code === 'not-recording') return await this.#settled();
      await this.#over();
      return await this.#keep(detail);
    }
    this.#link.beginLater();
  }

  async #settled(): Promise<void> {
    const { note } = this.folder;
    if (note.isStartKnown === true) return await this.#finish('sent');
    note.isSent = true;
    // A full disk does not take it, and is freed where the start can be told.
    await this.#write().catch((error: unknown) => this.#deps.say(messageOf(error)));
    await this.#finish((await correctStart(note, this.#deps)) ? 'sent' : 'untold');
  }

  /** It stays on this disk, and is not offered again. */
  async #keep(why: string): Promise<void> {
    this.#link.close();
    await this.#captured;
    this.folder.note.refused = why;
    await this.#write();
    await this.#finish('kept');
  }

  async #finish(end: DeskEnd): Promise<void> {
    this.#link.close();
    await this.#audio.close();
    if (end === 'sent' || end === 'nothing')
      await this.#inTurn(() => removeDeskFolder(this.folder));
    this.#settle(end);
  }

  #write(): Promise<void> {
    return this.#inTurn(() => writeNote(this.folder));
  }

  /** What no one waits for, and must not be lost. */
  #guard(work: Promise<void>): void {
    work.catch((error: unknown) => {
      this.#link.close();
      this.#left.abort();
      this.#fail(error);
    });
  }
}
