import { createHash } from 'node:crypto';
import type { Sentence } from '../../words/params.ts';
import { lstatSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Socket } from 'node:net';
import { StageError } from '../../shared/errors.ts';
import { failure } from '../../words/failures.ts';
import type { CaptureNotes } from '../file/capture-files.ts';
import type { KeptLedger } from '../../../events/facts/ledger.ts';

/**
 * How service and capture process talk: lines of JSON over a Unix socket of mode 0600. The capture
 * greets each connection with a status and sends one ten times a second; `ended` is its last message.
 */
export type CaptureCommand = { op: 'stop' | 'pause' | 'resume' };
export type CaptureMessage = CaptureStatus | CaptureEnded;

export type CaptureStatus = {
  type: 'status';
  claim: string;
  pid: number;
  /** `waiting`: the device is not there, or gives nothing; `problem` says why. */
  state: 'opening' | 'capturing' | 'waiting' | 'paused' | 'stopping';
  ledger: KeptLedger;
  /** Of the last 100 ms, 0 to 1; null while nothing comes. */
  level: { rms: number; peak: number } | null;
  /** Seconds without any signal, and without anything loud enough to be a voice. */
  flatSeconds: number;
  quietSeconds: number;
  /** The same of microphone and loudspeakers where they are kept apart; captures of 0.5 do not send it. */
  sides?: [microphone: SideSignal, loudspeakers: SideSignal] | undefined;
  problem: CaptureProblem | null;
};

export type SideSignal = { flatSeconds: number; everHeard: boolean };

export type CaptureProblem = {
  code: 'device-gone' | 'device-failed' | 'no-data' | 'moved' | 'audio-server-gone';
  /** In English, for a service of an earlier release. */
  message: string;
  /** Not from a capture of an earlier release. */
  said?: Sentence | undefined;
  /** RFC 3339 UTC. */
  since: string;
};

export type CaptureEnded = { type: 'ended'; claim: string; reason: EndReason; ledger: KeptLedger };

/** Why a capture ended by itself. What was captured is kept whatever the reason. */
export type EndReason = NonNullable<CaptureNotes['ended']>;

/** What a capture process is started with. */
export type CaptureSpec = {
  /** Unique among all processes that ever captured this recording. */
  claim: string;
  /** The recording's folder. */
  folder: string;
  socketPath: string;
  device: string;
  /** The audio server's source behind the device; null for a plain one. */
  source: string | null;
  /** Path of the ALSA configuration that has the device; null for the system's. */
  alsaConfigPath: string | null;
  channels: 1 | 2;
  limits: CaptureLimits;
};

export type CaptureLimits = {
  /** Seconds of audio. */
  secondsMax: number;
  /** Free bytes on the disk below which a capture ends cleanly. */
  freeBytesMin: number;
  /** Milliseconds without a connection. */
  orphanMs: number;
  /** Milliseconds without data until the device is opened again. */
  stallMs: number;
  /** Milliseconds a device that never gave anything is waited for. */
  firstDataMs: number;
  /** Milliseconds the device may take to close before the file is finished without it. */
  quitMs: number;
};

export const captureLimits: Omit<CaptureLimits, 'secondsMax' | 'freeBytesMin'> = {
  orphanMs: 600_000,
  stallMs: 3000,
  firstDataMs: 10_000,
  quitMs: 1200,
};

/** Within so long after its claim was written a capture process has its socket, or ends: also on a busy machine. */
export const claimToSocketMs = 20_000;
/** Longer lines are refused. */
const lineBytesMax = 256 * 1024;

/** A Unix socket's path has room for this many bytes. */
const pathBytesMax = 107;

/**
 * Where a capture listens: in the recording's folder; when that path is too long for a socket, in the
 * runtime directory under a short name that is the same for everybody who asks.
 * @throws {StageError} `socket-unsafe` when the short name's directory belongs to another user.
 */
export function captureSocket(folder: string, claim: string, env: NodeJS.ProcessEnv): string {
  const path = join(folder, `capture-${claim.slice(-8)}.sock`);
  if (Buffer.byteLength(path) <= pathBytesMax) return path;
  const short = `mitschrift-${createHash('sha256').update(path).digest('hex').slice(0, 16)}.sock`;
  const runtime = env['XDG_RUNTIME_DIR'];
  if (runtime !== undefined && Buffer.byteLength(join(runtime, short)) <= pathBytesMax)
    return join(runtime, short);
  return join(ownDirectory(), short);
}

/**
 * Calls back with every line of JSON that comes through a socket. A line that is too long or no JSON
 * ends the connection: its sender does not speak the protocol.
 */
export function onJsonLine(socket: Socket, receive: (message: unknown) => void): void {
  let rest = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    try {
      if (rest.length > lineBytesMax) throw new Error('a line is too long');
      for (const line of lines) receive(JSON.parse(line));
    } catch (error) {
      socket.destroy(error as Error);
    }
  });
}

export const jsonLine = (message: unknown): string => `${JSON.stringify(message)}\n`;

/** In the directory that everybody can write to, one that only we can enter. */
function ownDirectory(): string {
  const user = process.getuid?.() ?? 0;
  const path = join(tmpdir(), `mitschrift-${user}`);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const { uid, mode } = lstatSync(path);
  if (uid !== user || (mode & 0o077) !== 0) {
    throw new StageError(failure('recorder-socket-unsafe', { path }), { retriable: false });
  }
  return path;
}
