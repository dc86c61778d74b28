/**
 * Sends a recording's audio over a WebSocket of its own. Not over the feed's: the service lets a connection
 * that carries audio live on when the session ends, stops reading it while its disk is slow, and drops a feed
 * that falls behind; none of it may touch the other.
 */
import { locale } from '../../words/i18n.ts';
import type { Frame } from '../feed.ts';
import { programOf } from '../programs.ts';
import { type Owned, isOwnedBy, session } from '../session.ts';
import { leaveWhenSilent } from '../silence.ts';
import { AudioUplink, type UplinkPeer } from '../../../src/shared/audio-uplink.ts';
import type { AudioStore, Kept } from './audio-store.ts';

export type AudioLink = AudioUplink<ArrayBuffer>;

export type LinkEvents = Pick<UplinkPeer<ArrayBuffer>, 'refused'> & {
  /** The service takes nothing more for now; `discarded`: the recording is deleted, and nothing of it is wanted. */
  ended(reason: string): void;
  /**
   * Whether the service takes what is sent.
   * @param hasEnded it has ended there meanwhile. @param isStopped a person has ended it elsewhere
   */
  linked(is: boolean, hasEnded?: boolean, isStopped?: boolean): void;
  /** `kept` has changed: the service's id, or more of it is acknowledged. */
  changed(): void;
};

/** Blocks read at once. */
const atOnce = 32;
/** What is sent is acknowledged four times a second: after this long without a word the connection is dead. */
const deafMs = 15_000;
const longestWaitMs = 10_000;

export function linkAudio(store: AudioStore, kept: Kept, on: LinkEvents): AudioLink {
  const connection = new BrowserConnection(kept, on);
  const link = new AudioUplink<ArrayBuffer>({
    recording: {
      id: kept.id,
      startedAt: kept.startedAt,
      kind: kept.isKindOpen ? null : kept.kind,
      get recordingId() {
        return kept.recordingId;
      },
    },
    rate: kept.rate,
    channels: kept.channels ?? 1,
    start: {
      ...(kept.isKindOpen && { usual_kind: kept.kind }),
      ...kept.options,
      name: programOf(navigator.userAgent) ?? '',
    },
    longestWaitMs,
    connect: (uplink) => connection.open(uplink),
    disconnect() {
      removeEventListener('online', wake);
      connection.leave();
    },
    read: (from) => store.after(kept.id, from, atOnce),
    unreadable: (error) => console.warn(error),
    ready(recordingId, isStopped, hasEnded) {
      kept.recordingId = recordingId;
      on.linked(true, hasEnded, isStopped);
    },
    interruptions: () => kept.interruptions ?? [],
    interruptionTold(samples) {
      const { interruptions = [] } = kept;
      const told = interruptions.find((one) => one.samples === samples);
      kept.interruptions = interruptions.filter((one) => one !== told);
      store.put(kept).catch((error: unknown) => console.warn(error));
    },
    // Never less than before: a service whose disk was put back asks for what is gone here, too.
    acknowledged(samples) {
      kept.acknowledged = Math.max(kept.acknowledged, samples);
      // What could not be dropped is dropped with the next; it is sent to nobody twice.
      store.acknowledge({ ...kept }).catch((error: unknown) => console.warn(error));
      on.changed();
      return kept.acknowledged;
    },
    ended(reason) {
      on.linked(false);
      on.ended(reason);
    },
    refused(code, detail, reason) {
      // Who was away then hears of it now.
      if (reason === 'recording-erased') return on.ended('discarded');
      on.refused(code, detail);
    },
  });
  const wake = () => {
    if (!connection.isThere()) link.begin();
  };
  addEventListener('online', wake);
  return link;
}

class BrowserConnection {
  readonly #owned: Owned;
  readonly #on: LinkEvents;
  #socket: WebSocket | null = null;
  /** Until when the service has to say something. */
  #deaf: ReturnType<typeof setTimeout> | undefined;

  constructor(owned: Owned, on: LinkEvents) {
    this.#owned = owned;
    this.#on = on;
  }

  isThere(): boolean {
    return this.#socket !== null;
  }

  open(uplink: AudioLink): void {
    const current = session.get();
    // Another person's login sends nothing of it; its owner's does, whenever that is.
    if (current === null || !isOwnedBy(this.#owned, current)) return uplink.lost();
    const url = new URL('/ws', location.href);
    url.protocol = url.protocol.replace('http', 'ws');
    url.searchParams.set('language', locale.get());
    const socket = new WebSocket(url, ['mitschrift', current.token]);
    this.#socket = socket;
    const lost = () => {
      if (this.#socket !== socket) return;
      this.#heard();
      this.#socket = null;
      this.#on.linked(false);
      uplink.lost();
    };
    /** A network may swallow everything and close nothing. */
    const expectWord = () => {
      this.#deaf ??= setTimeout(() => {
        lost();
        socket.close();
      }, deafMs);
    };
    socket.addEventListener('open', () =>
      uplink.opened({
        get bufferedAmount() {
          return socket.bufferedAmount;
        },
        send(data) {
          socket.send(data);
          if (typeof data !== 'string') expectWord();
        },
      }),
    );
    socket.addEventListener('message', ({ data }) => {
      this.#heard();
      if (typeof data === 'string') receive(JSON.parse(data), uplink);
    });
    socket.addEventListener('close', lost);
    // In a pause nothing is sent that is acknowledged.
    leaveWhenSilent(socket, lost);
    expectWord();
  }

  leave(): void {
    this.#heard();
    this.#socket?.close();
  }

  #heard(): void {
    clearTimeout(this.#deaf);
    this.#deaf = undefined;
  }
}

function receive(frame: Frame, uplink: AudioLink): void {
  if (
    frame.type === 'audio.ready' ||
    frame.type === 'audio.ack' ||
    frame.type === 'audio.interrupted' ||
    frame.type === 'audio.ended' ||
    // One that names a recording is about a device.
    (frame.type === 'warning' && !('recording_id' in frame))
  )
    uplink.heard(frame);
}
