import { ulid } from 'ulid';
import * as z from 'zod';
import { recordingById, statusOf } from '../../../projections/recordings.ts';
import type { AudioSender, BrowserStream } from '../../capture/browser/browser-stream.ts';
import { StageError } from '../../shared/errors.ts';
import { notAuthenticated } from '../middleware/authenticate.ts';
import { refuseWhenStopped, untilReadable } from '../written.ts';
import { limits } from '../limits.ts';
import { Problem, notFound } from '../problems.ts';
import type { Caller, HttpServices } from '../services.ts';
import { toProblem } from '../to-problem.ts';
import { kindSchema } from '../../../events/facts/recording.ts';
import { browserRates } from '../../capture/browser/browser-file.ts';
import { languageSchema, peopleSchema } from '../body.ts';

/** The connection that a browser's audio comes over. */
export type AudioConnection = {
  caller(): Caller;
  /** Sends a frame; the connection may be closed already. */
  send(frame: { type: string; [member: string]: unknown }): void;
  /** Whether to stop reading for now. */
  hold(held: boolean): void;
};

/** What one connection says of `audio.*`: `audio.start`, samples, `audio.stop`. */
export interface BrowserAudio {
  message(text: string): void;
  samples(pcm: Buffer): void;
  /** Whether it carries the audio of a recording, or is about to. */
  carries(): boolean;
  /** The session has ended: what is carried goes on, nothing new begins; then `done`. */
  retire(done: () => void): void;
  /** The connection is gone; the recording waits for another. */
  gone(): void;
}

export type OpenBrowserAudio = (connection: AudioConnection) => BrowserAudio;

/** Recording with the microphones of browsers, for all connections of a service. */
export function browserAudio(services: HttpServices): OpenBrowserAudio {
  const { captures, storage, log } = services;
  const begin = browserRecordings(services);

  return (connection) => {
    let current: Carried | null = null;
    let isGone = false;
    let retired: (() => void) | null = null;
    let waiting = 0;
    let tail: Promise<void> = Promise.resolve();

    return {
      message(text) {
        const message = readClientFrame(text);
        if ('refused' in message) return warn('not-understood', message.refused);
        if (waiting >= limits.audioMessagesWaitingMax)
          return warn('busy', 'Too many messages wait; this one is not done.');
        waiting += 1;
        const work = message.type === 'audio.start' ? () => start(message) : async () => stop();
        tail = tail
          .then(work)
          .catch(refuse)
          .finally(() => {
            waiting -= 1;
            settleDown();
          });
      },
      samples(pcm) {
        if (!current)
          return warn('not-recording', 'Say audio.start first, and wait for audio.ready.');
        const { stream, sender } = current;
        if (pcm.length % 2 === 0) return stream.take(sender, pcm);
        // From here on it is unknown which byte belongs to which sample.
        stream.detach(sender, 'refused');
        warn('not-understood', 'A frame has to hold whole samples of two bytes.');
      },
      carries: () => current !== null || waiting > 0,
      retire(done) {
        retired = done;
        if (current && !current.taking) release();
        settleDown();
      },
      gone() {
        isGone = true;
        release();
      },
    };

    async function start(message: AudioStart): Promise<void> {
      if (retired) throw notAuthenticated('The session has ended.');
      const former = current;
      // What still comes is ignored until `audio.ready` is sent.
      current = null;
      const sender = senderOf();
      let stream: BrowserStream | null = null;
      try {
        refuseWhenStopped(services);
        const recordingId = message.recording_id ?? (await begin(message, connection.caller()));
        if (message.recording_id !== undefined) await refuseOthers(recordingId);
        stream = await captures.browser.stream(recordingId);
        current = { recordingId, stream, sender, taking: true };
        const samples = await stream.attach(sender, message.sample_rate);
        connection.send({ type: 'audio.ready', recording_id: recordingId, samples });
      } catch (error) {
        // The connection is there, and may stop the recording or go on when it is resumed.
        if ((error as { code?: unknown }).code !== 'recording-paused') current = null;
        else if (current) current.taking = false;
        throw error;
      } finally {
        if (former && former.stream !== stream) former.stream.leave(former.sender);
        if (isGone) stream?.leave(sender);
      }
    }

    function stop(): void {
      if (!current)
        throw new StageError('not-recording', 'This connection records nothing.', {
          retriable: false,
        });
      current.stream.stop(current.sender);
    }

    function senderOf(): AudioSender {
      const sender: AudioSender = {
        acknowledge(samples) {
          if (current?.sender === sender) connection.send({ type: 'audio.ack', samples });
        },
        ended(samples, reason) {
          if (current?.sender !== sender) return;
          const { recordingId } = current;
          connection.send({ type: 'audio.ended', recording_id: recordingId, samples, reason });
          current.taking = false;
          if ((reason !== 'paused' && reason !== 'refused') || retired) release();
          settleDown();
        },
        hold: (held) => connection.hold(held),
      };
      return sender;
    }

    function release(): void {
      current?.stream.leave(current.sender);
      current = null;
    }

    function settleDown(): void {
      if (retired && current === null && waiting === 0) retired();
    }

    /** Only its owner goes on with a recording, even if others may see it. */
    async function refuseOthers(recordingId: string): Promise<void> {
      const row = await recordingById(storage, recordingId);
      if (!row || row.owner !== connection.caller().userId) throw notFound();
      if (row.status !== 'recording' || row.device !== null)
        throw new StageError('not-recording', 'No browser is recorded there any more.', {
          retriable: false,
        });
    }

    function refuse(error: unknown): void {
      if (error instanceof StageError) return warn(error.code, error.message);
      const problem = toProblem(error);
      if (problem.status >= 500) log.error({ err: error }, 'a browser could not be recorded');
      warn(problem.type, problem.detail);
    }

    function warn(code: string, detail: string): void {
      connection.send({ type: 'warning', code, detail });
    }
  };
}

/** Starts recordings of browsers. @returns a function that starts one and gives its id */
function browserRecordings(services: HttpServices) {
  const { recordingService, storage, space } = services;
  /** How many each user is starting: no projection has them yet. */
  const beginning = new Map<string, number>();

  return async function begin(
    { kind, language, people }: AudioStart,
    { userId }: Caller,
  ): Promise<string> {
    const others = beginning.get(userId) ?? 0;
    beginning.set(userId, others + 1);
    try {
      const { recordings } = await statusOf(storage, userId);
      const running = recordings.filter(({ device }) => device === null).length + others;
      if (running >= limits.browserRecordingsPerUserMax)
        throw new Problem('already-recording', `${running} browsers of yours are being recorded.`);
      await space.refuseWhenFull(userId);
      const accepted = await recordingService.startRecording({
        recordingId: ulid(),
        owner: userId,
        by: userId,
        command: `${userId}:${ulid()}`,
        kind,
        language: language ?? null,
        speakers: null,
        people,
        device: null,
        trigger: 'browser',
      });
      await untilReadable(services, accepted);
      return accepted.recordingId;
    } finally {
      const left = (beginning.get(userId) ?? 1) - 1;
      if (left === 0) beginning.delete(userId);
      else beginning.set(userId, left);
    }
  };
}

/**
 * What a client sends that records with the browser’s microphone. Its audio are binary frames of 16-bit
 * little-endian mono samples.
 */
export const clientFrame = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('audio.start'),
    kind: kindSchema.default('solo'),
    sample_rate: z
      .number()
      .int()
      .min(browserRates.min)
      .max(browserRates.max)
      .describe('of what follows, and of the audio that is kept'),
    language: languageSchema.optional(),
    people: peopleSchema.optional().describe('names of people who may be heard'),
    recording_id: z.string().optional().describe('goes on with this one, behind `samples`'),
  }),
  z.object({ type: z.literal('audio.stop') }),
]);
export type ClientFrame = z.infer<typeof clientFrame>;

type Carried = {
  recordingId: string;
  stream: BrowserStream;
  sender: AudioSender;
  /** Not while it is paused, or after a frame that was none. */
  taking: boolean;
};
type AudioStart = Extract<ClientFrame, { type: 'audio.start' }>;

/** What a text message says; the reason as a sentence when it is none of ours. */
function readClientFrame(text: string): ClientFrame | { refused: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { refused: 'The message is not valid JSON.' };
  }
  const parsed = clientFrame.safeParse(value);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  return { refused: faults.join('; ') };
}
