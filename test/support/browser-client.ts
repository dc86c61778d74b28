import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { checkFrame } from './check-answer.ts';

type Frame = { type: string; samples?: number; recording_id?: string; [member: string]: unknown };

/** A browser that records: it keeps what was not acknowledged, comes back, and goes on behind it. */
export type BrowserClient = {
  /** Of the recording; null until it was ready for the first time. */
  recordingId(): string | null;
  /** Samples the service has said are on its disk. */
  acknowledged(): number;
  /** How often the connection had to be made. */
  connections(): number;
  /** The audio goes on being sent up to this sample; resolves when it is acknowledged. */
  sendTo(sample: number): Promise<void>;
  /** Ends the recording and resolves with the last word about it. */
  stop(): Promise<Frame>;
  /** Goes away for good, without a word. */
  vanish(): void;
};

/** A connection that says nothing for so long is made anew, milliseconds. */
const silentMs = 4000;
const retryMs = 100;

/**
 * @param url of the service (`http://…`), asked at each connection. @param pcm all there is to record.
 * @param frameSamples a frame, in each channel.
 */
export function browserClient(options: {
  url(): string;
  token: string;
  pcm: Buffer;
  rate: number;
  channels?: 1 | 2;
  frameSamples: number;
  kind?: 'solo' | 'meeting';
  /** Samples it says it has recorded before it reached the service: so many may come faster than time goes by. */
  held?: number;
  /** Goes on with this one, of which it holds `pcm`. */
  recordingId?: string;
  /** Records behind this one. */
  continues?: string;
  /** Not a browser: `mitschrift record`. */
  sender?: 'recorder';
}): BrowserClient {
  const { pcm, rate, channels = 1, frameSamples, token } = options;
  let id: string | null = options.recordingId ?? null;
  let acknowledged = 0;
  let sent = 0;
  let target = 0;
  let connections = 0;
  let ready = false;
  let stopping = false;
  let ended: Frame | null = null;
  let gone = false;
  let socket: WebSocket;
  const watchers = new Set<() => void>();
  const changed = () => watchers.forEach((look) => look());

  connect();

  return {
    recordingId: () => id,
    acknowledged: () => acknowledged,
    connections: () => connections,
    async sendTo(sample) {
      target = sample;
      send();
      await until(() => acknowledged >= sample);
    },
    async stop() {
      stopping = true;
      send();
      await until(() => ended !== null);
      gone = true;
      socket.terminate();
      return ended!;
    },
    vanish() {
      gone = true;
      socket.terminate();
    },
  };

  function connect(): void {
    connections += 1;
    ready = false;
    socket = new WebSocket(`${options.url().replace('http', 'ws')}/ws?token=${token}`);
    const mine = socket;
    let silence: NodeJS.Timeout | undefined;
    const listen = () => {
      clearTimeout(silence);
      silence = setTimeout(() => mine.terminate(), silentMs);
    };
    listen();
    mine.on('open', () => {
      const more = id === null ? {} : { recording_id: id };
      const { kind = 'solo', sender, held, continues } = options;
      const sends = { sample_rate: rate, channels, held, continues };
      mine.send(JSON.stringify({ type: 'audio.start', kind, ...sends, sender, ...more }));
    });
    mine.on('message', (data: Buffer) => {
      listen();
      const frame = JSON.parse(data.toString()) as Frame;
      checkFrame(frame);
      take(frame);
    });
    mine.on('error', () => undefined); // ends in `close`
    mine.on('close', () => {
      clearTimeout(silence);
      if (gone || mine !== socket) return;
      ready = false;
      void sleep(retryMs).then(() => {
        if (!gone) connect();
      });
    });
  }

  function take(frame: Frame): void {
    if (frame.type === 'audio.ready') {
      // A recording of an answer that was lost on the way is found by what runs.
      id = frame.recording_id!;
      if (frame.samples! < acknowledged)
        throw new Error(`${acknowledged} samples were acknowledged, ${frame.samples} are there`);
      acknowledged = frame.samples!;
      sent = acknowledged;
      ready = true;
      ended = null;
      send();
    } else if (frame.type === 'audio.ack') {
      if (frame.samples! > sent) throw new Error('more acknowledged than sent');
      acknowledged = Math.max(acknowledged, frame.samples!);
    } else if (frame.type === 'warning' && frame['code'] === 'recorded-elsewhere') {
      socket.terminate();
    } else if (frame.type === 'audio.ended' && (!ended || frame['reason'] === 'stopped')) {
      ended = frame;
    }
    changed();
  }

  function send(): void {
    if (!ready || socket.readyState !== WebSocket.OPEN) return;
    while (sent < target) {
      const next = Math.min(sent + frameSamples, target);
      socket.send(pcm.subarray(sent * channels * 2, next * channels * 2));
      sent = next;
    }
    if (stopping) socket.send(JSON.stringify({ type: 'audio.stop' }));
  }

  function until(condition: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        watchers.delete(look);
        reject(new Error(`acknowledged ${acknowledged} of ${sent} sent, ${target} wanted`));
      }, 60_000);
      const look = () => {
        if (!condition()) return;
        watchers.delete(look);
        clearTimeout(timer);
        resolve();
      };
      watchers.add(look);
      look();
    });
  }
}
