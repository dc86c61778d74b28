import { ulid } from 'ulid';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Socket, connect } from 'node:net';
import { spawn } from 'node:child_process';
import { captureRate, wavFramesMax } from '../../audio/wav.ts';
import {
  type CaptureClaim,
  captureConfigName,
  readClaim,
  readNotes,
  writeClaim,
} from '../file/capture-files.ts';
import {
  type CaptureCommand,
  type CaptureLimits,
  type CaptureMessage,
  type CaptureSpec,
  type CaptureStatus,
  type EndReason,
  captureSocket,
  claimToSocketMs,
  jsonLine,
  onJsonLine,
} from './protocol.ts';
import type { InputDevice } from '../device/devices.ts';
import { watchForHang } from '../hung-process.ts';
import { exists } from '../../shared/files.ts';
import { programPath } from '../../shared/package.ts';
import { StageError } from '../../shared/errors.ts';
import { failure } from '../../words/failures.ts';
import { openListeners } from '../../shared/listeners.ts';

export type CaptureOrder = {
  folder: string;
  device: InputDevice;
  channels: 1 | 2;
  /** Of the combined source, which the claim remembers. */
  cancelsEcho?: boolean | undefined;
  limits: CaptureLimits;
  env: NodeJS.ProcessEnv;
};

/**
 * Starts a capture process for a recording whose audio no other process writes. It appends to what is there.
 * @throws {StageError} `capture-not-started`.
 */
export async function startCapture(order: CaptureOrder): Promise<Capture> {
  const { folder, device, channels, cancelsEcho, env } = order;
  const claim = ulid();
  const before = await readClaim(folder);
  if (before) await rm(before.socketPath, { force: true });
  const socketPath = captureSocket(folder, claim, env);
  const { name, source, alsaConfig } = device;
  const alsaConfigPath = alsaConfig === null ? null : join(folder, captureConfigName);
  if (alsaConfigPath !== null && alsaConfig !== null)
    await writeFile(alsaConfigPath, alsaConfig, { mode: 0o600 });
  const kept = { device: device.name, channels, cancelsEcho };
  await writeClaim(folder, { claim, socketPath, ...kept, at: Date.now() });
  const secondsMax = Math.min(order.limits.secondsMax, wavFramesMax(channels) / captureRate);
  await launchCapture(
    {
      claim,
      folder,
      socketPath,
      device: name,
      source,
      alsaConfigPath,
      channels,
      limits: { ...order.limits, secondsMax },
    },
    env,
  );
  const capture = await connectCapture(folder, { claim, socketPath });
  if (!capture) throw captureNotStarted({ cause: 'ended-at-once' });
  return capture;
}

/**
 * The live capture of a recording; null when there is none. One that was being started when the service
 * died is waited for, so that there are never two.
 */
export async function adoptCapture(folder: string): Promise<Capture | null> {
  const claim = await readClaim(folder);
  if (!claim) return null;
  for (;;) {
    const capture = await connectCapture(folder, claim);
    if (capture) return capture;
    const ended = (await readNotes(folder))?.ended ?? null;
    if (ended !== null || !isYoung(claim)) return null;
    // A socket without a listener, also a moment later, is what a killed process left.
    const wasUp = await exists(claim.socketPath);
    await sleep(50);
    if (wasUp) return await connectCapture(folder, claim);
  }
}

/** A clock that was set back must not make a caller wait longer. */
const isYoung = ({ at }: CaptureClaim) => Math.abs(Date.now() - at) < claimToSocketMs;

/** A process that does nothing for so long, in milliseconds, will not come up any more. */
const launchIdleMs = 5000;

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
   * Ends it; `ended` says how. A process that does not end within 2 seconds is killed: all but
   * its last moments are in the file.
   */
  stop(): void;
  /** How it ended; `died` when it had no time to say. Never rejects. */
  readonly ended: Promise<EndReason | 'died'>;
  /** Disconnects: it goes on recording, until it is adopted or its time as an orphan is over. */
  release(): void;
}

/** A process that accepts and does not greet for so long is none, in milliseconds: also on a busy machine. */
const greetingMs = 10_000;
/** How long a capture may take to end after `stop` until it is killed. */
const stopMs = 2000;

/**
 * Connects to the capture of a recording and waits for its first status. Null when no process listens there,
 * or one that says nothing: without its claim it writes nothing more and ends itself. The connection is the sign of life:
 * it closes with the process.
 */
async function connectCapture(
  folder: string,
  { claim, socketPath }: Pick<CaptureClaim, 'claim' | 'socketPath'>,
): Promise<Capture | null> {
  const socket = await connected(socketPath);
  if (!socket) return null;
  const listeners = openListeners<[CaptureStatus]>();
  let latest: CaptureStatus | undefined;
  let lastWord: EndReason | undefined;
  let killTimer: NodeJS.Timeout | undefined;
  let greeted: (capture: Capture | null) => void;
  const greeting = new Promise<Capture | null>((resolve) => (greeted = resolve));
  const mute = setTimeout(() => socket.destroy(), greetingMs);
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
    if (!released) listeners.tell(message);
  });
  const send = (op: CaptureCommand['op']) => socket.write(jsonLine({ op }));

  /** It greets with one, before anybody has the capture. */
  const status = () => latest!;
  const capture: Capture = {
    get pid() {
      return status().pid;
    },
    status,
    onStatus: listeners.add,
    pause: () => void send('pause'),
    resume: () => void send('resume'),
    stop() {
      send('stop');
      killTimer ??= setTimeout(() => kill(status().pid), stopMs);
    },
    ended,
    release() {
      released = true;
      socket.destroy();
    },
  };
  return await greeting.finally(() => clearTimeout(mute));
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

/**
 * Starts a capture process that outlives this one; returns when it listens on its socket.
 * @throws {StageError} `capture-not-started`.
 */
function launchCapture(spec: CaptureSpec, env: NodeJS.ProcessEnv): Promise<void> {
  const entry = programPath('src/capture/process/capture-process');
  const debugging = /^--inspect/;
  // A loader named by its package is found from here, not from the folder the process runs in.
  const execArgv = process.execArgv
    .filter((argument) => !debugging.test(argument))
    .map((argument, index, all) =>
      all[index - 1] === '--import' && /^[\w@][\w@/.-]*$/.test(argument)
        ? import.meta.resolve(argument)
        : argument,
    );
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...execArgv, entry, JSON.stringify(spec)], {
      detached: true,
      // Nothing of the service's: its end must not be felt. Only whether it came up is heard.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      cwd: spec.folder,
      env: {
        ...env,
        ...(spec.alsaConfigPath === null ? {} : { ALSA_CONFIG_PATH: spec.alsaConfigPath }),
      },
    });
    const giveUp = () => {
      child.kill('SIGKILL');
      reject(captureNotStarted({ cause: 'late' }));
    };
    const limits = { idleMs: launchIdleMs, mostMs: claimToSocketMs };
    const stopWatching = child.pid ? watchForHang(child.pid, limits, giveUp) : () => {};
    child.once('error', (error) => {
      stopWatching();
      reject(captureNotStarted({ cause: 'not-run', how: error.message }));
    });
    child.once('exit', (code, signal) => {
      stopWatching();
      reject(
        captureNotStarted(
          signal ? { cause: 'signal', how: signal } : { cause: 'exit', how: String(code) },
        ),
      );
    });
    child.once('message', () => {
      stopWatching();
      child.unref();
      child.channel?.unref();
      resolve();
    });
  });
}

const captureNotStarted = (
  why: Parameters<typeof failure<'recorder-not-started'>>[1],
): StageError => new StageError(failure('recorder-not-started', why), { retriable: true });
