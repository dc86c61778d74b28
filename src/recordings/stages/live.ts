import type { EventEmitter } from 'node:events';
import type { Utterance } from '../../../projections/recording/followed.ts';
import type { AudioStore } from '../../storage/audio/audio-store.ts';
import type { Log } from '../../shared/log.ts';
import type { Lease } from '../../shared/shared-resource.ts';
import type { SpeechEngine } from '../../speech/engine.ts';
import type { WaitingStretch } from '../../speech/live/closed-speech.ts';
import type { LiveVoices } from '../../speech/live/live-voices.ts';
import type { ModelFolders } from '../../speech/local/local-models.ts';
import type { Following, Followings } from './followings.ts';
import type { AheadDeps, PunctuatedAhead } from './punctuate-ahead.ts';
import type { Job } from './run-stage.ts';

export type FollowDeps = {
  /** Whether recordings are recognised while they run (`stt.live`). Asked when one begins. */
  isOn(): boolean;
  /** @throws {StageError} `no-engine` */
  leaseEngine(): Promise<Lease<SpeechEngine>>;
  files: AudioStore;
  modelsDir: ModelFolders;
  followings: Followings;
  /** Calls back when no more comes into the file of a recording, before that is in the log. Returns how to stop. */
  onFileEnd(recordingId: string, listener: () => void): () => void;
  ahead: AheadDeps;
  log: Log;
};

/** A recording that is followed, and what is known of it. */
export type Live = {
  job: Job;
  deps: FollowDeps;
  following: Following;
  plan: WaitingStretch[];
  heard: Utterance[];
  /** As asked for, else as decided; null while that is open. */
  language: string | null;
  voices: LiveVoices | null;
  closeVoices(): Promise<void>;
  /** Of one person's talk; null: all is punctuated after the stop. */
  ahead: PunctuatedAhead | null;
  /** `closed` when a stretch may be there; also what ends the two loops together. */
  events: EventEmitter;
  over: AbortController;
};

/** Speech waits to be recognised, or is being recognised. */
export const isBehind = ({ plan, heard, following }: Live): boolean =>
  heard.length < plan.length || following.follower.next() !== null;
