import { connect, type Socket } from 'node:net';
import { readNotes, type Claim } from './capture-files.ts';
import type {
  CaptureCommand,
  CaptureMessage,
  CaptureStatus,
  EndReason,
} from './capture-protocol.ts';
import { jsonLine, onJsonLine } from './json-lines.ts';

/** A live capture process, as the service holds it. */
export interface Capture {
  readonly pid: number;
  /** The last one heard. */
  status(): CaptureStatus;
  /** Calls back with each status, ten a second; returns how to stop. */
  onStatus(listener: (status: CaptureStatus) => void): () => void;
  pause(): void;
  resume(): void;
  /**
   * Ends it; `ended` tells the rest. A process that does not end within 2 seconds is killed: all but
   * its last moments are in the file.
   */
  stop(): void;
  /** How it ended; `died` when it had no time to say. Never rejects. */
  readonly ended: Promise<EndReason | 'died'>;
  /** Lets go of it: it goes on recording, until somebody adopts it or its time as an orphan is over. */
  release(): void;
}

/** How long a capture may take to end after `stop` until it is killed. */
const stopMs = 2000;

/**
 * Connects to the capture of a recording and waits for its first status. Null when nobody listens there.
 * The connection is the sign of life: it closes with the process.
 */
export async function connectCapture(
  folder: string,
  { claim, socketPath }: Pick<Claim, 'claim' | 'socketPath'>,
): Promise<Capture | null> {
  const socket = await connected(socketPath);
  if (!socket) return null;
  const listeners = new Set<(status: CaptureStatus) => void>();
  let latest: CaptureStatus | undefined;
  let lastWord: EndReason | undefined;
  let killTimer: NodeJS.Timeout | undefined;
  let greeted: (capture: Capture | null) => void;
  const greeting = new Promise<Capture | null>((resolve) => (greeted = resolve));
  let released = false;

  const ended = new Promise<EndReason | 'died'>((resolve) => {
    socket.once('close', () => {
      clearTimeout(killTimer);
      greeted(null);
      if (released) return;
      void lastWordOf(folder, claim, lastWord).then(resolve);
    });
  });
  onJsonLine(socket, (received) => {
    const message = received as CaptureMessage;
    if (message.claim !== claim) throw new Error('another capture answers');
    if (message.type === 'ended') {
      lastWord = message.reason;
      return;
    }
    latest = message;
    greeted(capture);
    for (const listener of listeners) listener(message);
  });
  const send = (op: CaptureCommand['op']) => socket.write(jsonLine({ op }));

  const capture: Capture = {
    get pid() {
      return latest!.pid;
    },
    status: () => latest!,
    onStatus(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    pause: () => void send('pause'),
    resume: () => void send('resume'),
    stop() {
      send('stop');
      killTimer ??= setTimeout(() => kill(latest!.pid), stopMs);
    },
    ended,
    release() {
      released = true;
      listeners.clear();
      socket.destroy();
    },
  };
  return await greeting;
}

/** What it managed to say, or to write down, before it was gone. */
async function lastWordOf(
  folder: string,
  claim: string,
  said: EndReason | undefined,
): Promise<EndReason | 'died'> {
  if (said) return said;
  // Notes that cannot be read say nothing: then its audio is counted again.
  const notes = await readNotes(folder).catch(() => null);
  return notes?.claim === claim && notes.ended !== null ? notes.ended : 'died';
}

function connected(socketPath: string): Promise<Socket | null> {
  return new Promise((resolve, reject) => {
    const socket = connect(socketPath);
    socket.once('connect', () => resolve(socket));
    socket.once('error', (error: NodeJS.ErrnoException) => {
      // Both say that no process listens. Any other reason says nothing of the kind.
      if (error.code === 'ECONNREFUSED' || error.code === 'ENOENT') resolve(null);
      else reject(error);
    });
    socket.on('error', () => undefined); // later ones are followed by `close`
  });
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended in this very moment; its connection says so.
  }
}
