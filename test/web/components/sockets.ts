import type { TestContext } from 'node:test';
import type { Session } from '../../../web/client/session.ts';
import type { AudioStore, Kept } from '../../../web/client/microphone/audio-store.ts';
import type { Listening } from '../../../web/client/microphone/listen.ts';

/** What a browser keeps of what it records. */
export const kept: Kept = {
  id: '01BROWSER',
  user: 'ada',
  recordingId: '01SERVICE',
  kind: 'solo',
  source: 'microphone',
  rate: 16_000,
  startedAt: '2026-03-01T10:00:00.000Z',
  acknowledged: 0,
  isOver: false,
};

/** A store in memory for one recording. */
export function storeInMemory() {
  const blocks = new Map<number, ArrayBuffer>();
  const state = { blocks, isRemoved: false };
  const store: AudioStore = {
    put: async () => {},
    all: async () => (state.isRemoved ? [] : [kept]),
    add: async (_, { end, pcm }) => {
      blocks.set(end, pcm);
      return true;
    },
    after: async (_, samples) =>
      [...blocks].flatMap(([end, pcm]) => (end > samples ? [{ end, pcm }] : [])),
    total: async () => Math.max(0, ...blocks.keys()),
    acknowledge: async () => {},
    isInMemory: () => false,
    remove: async () => void (state.isRemoved = true),
  };
  return { store, state };
}

/** A microphone of which a test only sees its end. */
export const listeningUntil = (ended: () => void): Listening => ({
  rate: 16_000,
  pause: async () => {},
  go: async () => {},
  revive: async () => {},
  end: async () => ended(),
});

/** A WebSocket of which the test is the other end. */
export type FakeSocket = EventTarget & {
  readonly url: string;
  readonly protocols: readonly string[];
  readonly sent: unknown[];
  readyState: number;
  open(): void;
  /** The service says a frame. */
  say(frame: object): void;
  /** The connection is lost. */
  drop(): void;
};

/** WebSockets that pages open from now on, in order. */
export function sockets(t: TestContext): FakeSocket[] {
  const made: FakeSocket[] = [];
  class Socket extends EventTarget {
    static readonly OPEN = 1;
    static readonly CLOSED = 3;
    readonly url: string;
    readonly protocols: readonly string[];
    readonly sent: unknown[] = [];
    readonly bufferedAmount = 0;
    readyState = 0;
    constructor(url: URL | string, protocols: readonly string[] = []) {
      super();
      this.url = String(url);
      this.protocols = protocols;
      made.push(this);
    }
    send(data: unknown) {
      this.sent.push(data);
    }
    open() {
      this.readyState = 1;
      this.dispatchEvent(new Event('open'));
    }
    say(frame: object) {
      this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(frame) }));
    }
    drop() {
      this.readyState = 3;
      this.dispatchEvent(Object.assign(new Event('close'), { code: 1006 }));
    }
    close() {
      if (this.readyState === 3) return;
      this.readyState = 3;
      queueMicrotask(() => this.dispatchEvent(Object.assign(new Event('close'), { code: 1000 })));
    }
  }
  const before = Object.getOwnPropertyDescriptor(globalThis, 'WebSocket');
  Object.defineProperty(globalThis, 'WebSocket', {
    value: Socket,
    configurable: true,
    writable: true,
  });
  t.after(() => before && Object.defineProperty(globalThis, 'WebSocket', before));
  return made;
}

export const loginOf = (username: string): Session => ({
  token: `token-of-${username}`,
  expires_at: '2027-01-01T00:00:00Z',
  username,
  is_admin: false,
});

/** All that follows without a wait has happened. */
export const settled = () => new Promise((resolve) => setImmediate(resolve));
