import { frameWarning } from '../../words/frame-warnings.ts';
import type { Sentence } from '../../words/params.ts';
import { detail } from '../../words/details.ts';
import { createHash } from 'node:crypto';
import { ulid } from 'ulid';
import { factsOf } from '../../../projections/recording/recording.ts';
import { recordingById, statusOf } from '../../../projections/recordings.ts';
import type { AudioSender, BrowserStream } from '../../capture/browser/browser-stream.ts';
import { StageError, hasCode } from '../../shared/errors.ts';
import { failure } from '../../words/failures.ts';
import { type Limited, mutex } from '../../shared/mutex.ts';
import { notAuthenticated } from '../middleware/authenticate.ts';
import { refuseWhenStopped, untilReadable } from '../written.ts';
import { folderLeft } from '../order-changes.ts';
import { limits } from '../limits.ts';
import { recordedBehindIfThere } from '../continued.ts';
import { Problem, notFound } from '../problems.ts';
import type { HttpServices } from '../services.ts';
import type { Caller } from '../../accounts/caller.ts';
import { saidOfError } from '../to-problem.ts';
import { openCounts } from '../../shared/counts.ts';
import type { AudioFrame } from './frames.ts';
import { interrupt } from '../../../projections/recording/interruptions.ts';
import { NotAccepted } from '../../recordings/refusals.ts';
import { localTime } from '../../shared/time.ts';

/** The connection that a browser's audio comes over. */
export type AudioConnection = {
  caller(): Caller;
  /** Sends a frame; the connection may be closed already. */
  send(frame: { type: string; [member: string]: unknown }): void;
  /** Says what cannot be done. @param code stable, for clients; what it says is finer */
  warn(code: string, said: Sentence, about?: { device: string | null }): void;
  /** Whether to stop reading for now. */
  hold(held: boolean): void;
  /** Ends it: the client is to connect again, to another node perhaps. */
  close(): void;
};

/** What one connection says of `audio.*`: `audio.start`, samples, `audio.stop`. */
export interface BrowserAudio {
  message(frame: AudioFrame): void;
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
  const begin = browserRecordings(services);
  return (connection) => {
    const mic: Microphone = {
      services,
      begin,
      connection,
      current: null,
      isGone: false,
      retired: null,
      waiting: 0,
      inTurn: mutex(),
    };
    return {
      message: (frame) => receive(mic, frame),
      samples: (pcm) => take(mic, pcm),
      carries: () => mic.current !== null || mic.waiting > 0,
      retire(done) {
        mic.retired = done;
        if (mic.current && !mic.current.taking) release(mic);
        retireWhenIdle(mic);
      },
      gone() {
        mic.isGone = true;
        release(mic);
      },
    };
  };
}

/** One connection, and what it carries. */
type Microphone = {
  readonly services: HttpServices;
  readonly begin: ReturnType<typeof browserRecordings>;
  readonly connection: AudioConnection;
  /** Messages are done in the order they came. */
  readonly inTurn: Limited;
  current: Carried | null;
  isGone: boolean;
  /** Called once when nothing is carried any more; set when the session has ended. */
  retired: (() => void) | null;
  /** Messages that are not done yet. */
  waiting: number;
};

function receive(mic: Microphone, message: AudioFrame): void {
  // It stands between samples, and is taken in turn with them.
  if (message.type === 'audio.gap') return takeGap(mic, message.samples);
  if (mic.waiting >= limits.audioMessagesWaitingMax)
    return warn(mic, 'busy', frameWarning('too-many-messages'));
  mic.waiting += 1;
  void mic
    .inTurn(async () => await act(mic, message))
    .catch((error: unknown) => refuse(mic, error))
    .finally(() => {
      mic.waiting -= 1;
      retireWhenIdle(mic);
    });
}

async function act(
  mic: Microphone,
  message: Exclude<AudioFrame, { type: 'audio.gap' }>,
): Promise<void> {
  if (message.type === 'audio.start') return await start(mic, message);
  if (message.type === 'audio.stop') return stop(mic);
  const { current, connection, services } = mic;
  const rate = current?.stream.layout?.rate;
  if (!current || rate === undefined)
    return warn(mic, 'not-recording', frameWarning('start-first'));
  const { recordingId } = current;
  const { samples } = message;
  await noteInterruption(services, { recordingId, rate, by: connection.caller().userId }, message);
  connection.send({ type: 'audio.interrupted', recording_id: recordingId, samples });
}

function take(mic: Microphone, pcm: Buffer): void {
  if (!mic.current) return warn(mic, 'not-recording', frameWarning('start-first'));
  const { stream, sender } = mic.current;
  if (pcm.length % ((sender.channels ?? 1) * 2) === 0) return stream.take(sender, pcm);
  // From here on it is unknown which byte belongs to which sample.
  stream.detach(sender, 'refused');
  warn(mic, 'not-understood', frameWarning('samples-not-whole'));
}

function takeGap(mic: Microphone, samples: number): void {
  if (!mic.current) return warn(mic, 'not-recording', frameWarning('start-first'));
  mic.current.stream.takeGap(mic.current.sender, samples);
}

async function start(mic: Microphone, message: AudioStart): Promise<void> {
  const { services, connection } = mic;
  if (mic.retired) throw notAuthenticated(detail('session-ended'));
  const former = mic.current;
  // What still comes is ignored until `audio.ready` is sent.
  mic.current = null;
  const sender = senderFor(mic, message);
  let stream: BrowserStream | null = null;
  try {
    refuseWhenStopped(services);
    const { recording_id: named, id: key } = message;
    const known = (await begunBefore(mic, named ?? key)) ?? named;
    const recordingId = known ?? (await mic.begin(message, connection.caller()));
    const isLate = known !== undefined && (await hasEnded(mic, recordingId));
    const stopped = isLate && (await wasStopped(mic, recordingId));
    const { captures, lateAudio } = services;
    stream = await (isLate ? lateAudio : captures.browser).stream(recordingId);
    mic.current = { recordingId, stream, sender, taking: true };
    const samples = await stream.attach(sender, message.sample_rate, message.held);
    const end = { ...(isLate && { ended: true }), ...(stopped && { stopped }) };
    connection.send({ type: 'audio.ready', recording_id: recordingId, samples, ...end });
  } catch (error) {
    // The connection is there, and may stop the recording or go on when it is resumed.
    if (hasCode(error, 'recording-paused')) {
      if (mic.current) mic.current.taking = false;
    } else {
      mic.current = null;
      // It may have taken the connection for there before it failed, and would wait for it for ever.
      stream?.leave(sender);
    }
    throw error;
  } finally {
    // Of the same recording another has come in its place, or none.
    former?.stream.leave(former.sender);
    if (mic.isGone) stream?.leave(sender);
  }
}

function stop({ current }: Microphone): void {
  if (!current) throw new StageError(failure('recording-over'), { retriable: false });
  current.stream.stop(current.sender);
}

function senderFor(mic: Microphone, { name, channels }: AudioStart): AudioSender {
  const { connection } = mic;
  const sender: AudioSender = {
    name: name === '' ? undefined : name,
    channels,
    acknowledge(samples) {
      if (mic.current?.sender === sender) connection.send({ type: 'audio.ack', samples });
    },
    ended(samples, reason) {
      if (mic.current?.sender !== sender) return;
      const { recordingId } = mic.current;
      connection.send({ type: 'audio.ended', recording_id: recordingId, samples, reason });
      mic.current.taking = false;
      if ((reason !== 'paused' && reason !== 'refused') || mic.retired) release(mic);
      // Of a stream that ends without a word of its own: it goes on wherever, and whenever, the browser comes back.
      if (reason === 'left') connection.close();
      retireWhenIdle(mic);
    },
    hold: (held) => connection.hold(held),
  };
  return sender;
}

function release(mic: Microphone): void {
  mic.current?.stream.leave(mic.current.sender);
  mic.current = null;
}

function retireWhenIdle({ retired, current, waiting }: Microphone): void {
  if (retired && current === null && waiting === 0) retired();
}

/** The recording that this browser began before it was gone, if its answer was lost. */
async function begunBefore(
  { services, connection }: Microphone,
  key: string | undefined,
): Promise<string | undefined> {
  if (key === undefined) return undefined;
  const { userId } = connection.caller();
  // 0.1 took the client's word for the id: what was begun there goes on, and so do its recorders.
  for (const recordingId of [recordingIdFor(userId, key), key]) {
    const row = await recordingById(services.storage, recordingId);
    if (row?.owner === userId) return recordingId;
  }
  return undefined;
}

/**
 * The id of the recording that a user begins with this key: the same each time, at each node, and never one that
 * somebody chose, as 80 bits of it are a digest.
 * @param key a ULID: its time stays, so that ids sort by when recordings began
 */
function recordingIdFor(userId: string, key: string): string {
  const digest = createHash('sha256').update(`recording\n${userId}\n${key}`).digest();
  const bits = BigInt(`0x${digest.subarray(0, 10).toString('hex')}`);
  const random = Array.from({ length: 16 }, (_, at) =>
    crockford.charAt(Number((bits >> BigInt(5 * at)) & 31n)),
  );
  return `${key.slice(0, 10)}${random.join('')}`;
}

/** The digits of a ULID. */
const crockford = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/**
 * Whether a recording that a browser goes on with has ended: then it is taken, and added. Only its owner does,
 * even if others may see it.
 */
async function hasEnded(
  { services, connection }: Microphone,
  recordingId: string,
): Promise<boolean> {
  const row = await recordingById(services.storage, recordingId);
  const { userId } = connection.caller();
  if (!row || row.owner !== userId) throw notFound();
  if (row.device !== null)
    throw new StageError(failure('recorded-from-device'), { retriable: false });
  if (row.status === 'recording') return false;
  await services.space.refuseWhenFull(userId);
  return true;
}

/** Whether a person ended it: who was away then is to record no more of it. */
async function wasStopped({ services }: Microphone, recordingId: string): Promise<boolean> {
  const { recording } = await services.recordingService.read(recordingId);
  return factsOf(recording, 'audio.captured', Infinity).length > 0;
}

function refuse(mic: Microphone, error: unknown): void {
  const { code, said } = saidOfError(error, mic.services.log, 'recording from a browser failed');
  warn(mic, code, said);
}

const warn = ({ connection }: Microphone, code: string, said: Sentence): void =>
  connection.warn(code, said);

/** Starts recordings of browsers. @returns a function that starts one and gives its id */
function browserRecordings(services: HttpServices) {
  const { recordingService, storage, space } = services;
  /** How many each user is starting: no projection has them yet. */
  const beginning = openCounts();

  return async function begin(
    {
      kind,
      usual_kind: usualKind,
      language,
      people,
      title,
      folder,
      sender,
      continues,
      id: key,
    }: AudioStart,
    { userId }: Caller,
  ): Promise<string> {
    const recordingId = key === undefined ? ulid() : recordingIdFor(userId, key);
    const others = beginning.of(userId);
    beginning.add(userId);
    try {
      const { recordings } = await statusOf(storage, userId);
      const running = recordings.filter(({ device }) => device === null).length + others;
      if (running >= limits.browserRecordingsPerUserMax)
        throw new Problem('already-recording', {
          said: detail('browsers-recording', { count: running }),
        });
      await space.refuseWhenFull(userId);
      const said = await recordedBehindIfThere(services, userId, {
        kind,
        people,
        title: title === '' ? undefined : title,
        folder: folderLeft(folder, await services.order.of(userId)),
        continues,
      });
      const accepted = await recordingService.startRecording({
        recordingId,
        owner: userId,
        by: userId,
        // Said twice before the rows have it: what it began then is the answer.
        command: `${userId}:${recordingId}`,
        ...said,
        usualKind,
        language,
        speakers: null,
        device: null,
        trigger: sender ?? 'browser',
      });
      await untilReadable(services, accepted);
      return accepted.recordingId;
    } finally {
      beginning.remove(userId);
    }
  };
}

type Carried = {
  recordingId: string;
  stream: BrowserStream;
  sender: AudioSender;
  /** Not while it is paused, or after a frame that was none. */
  taking: boolean;
};
type AudioStart = Extract<AudioFrame, { type: 'audio.start' }>;

type InterruptedFrame = Extract<AudioFrame, { type: 'audio.interrupted' }>;

/**
 * Writes down that a browser was kept from recording for a while; said again it is one fact all the same. Of a recording
 * that has ended meanwhile it is left out: its gap is in the audio.
 */
async function noteInterruption(
  { recordingService }: Pick<HttpServices, 'recordingService'>,
  { recordingId, rate, by }: { recordingId: string; rate: number; by: string },
  { samples, from, to, reason }: InterruptedFrame,
): Promise<void> {
  const at = Math.round((samples / rate) * 100) / 100;
  const metadata = { by, command: `${recordingId}/interrupted/${samples}/${from}` };
  const here = (time: string): string => localTime(new Date(time));
  const what = { at, from: here(from), to: here(to), reason: reason ?? null };
  try {
    await recordingService.decide(recordingId, metadata, interrupt(what));
  } catch (error) {
    if (!(error instanceof NotAccepted)) throw error;
  }
}
