import { type ChildProcess, fork } from 'node:child_process';
import type { Socket } from 'node:net';
import { programPath } from '../../shared/package.ts';
import { StageError } from '../../shared/errors.ts';
import type { Stretch } from '../../../events/facts/transcript.ts';
import type { Window } from '../diarization/windows.ts';

/** The engine process: started when first needed, again after it died, ended when idle. */
export interface LocalProcess {
  /** Of the running process; undefined while there is none. */
  readonly pid: number | undefined;
  /**
   * Asks for one thing; what is asked meanwhile waits its turn.
   * @throws {StageError} `engine-crashed`, `engine-stalled` (both retriable), `engine-failed`;
   *   AbortError at once when aborted, whatever the process does.
   */
  ask<R extends LocalRequest>(request: R, options: AskOptions): Promise<LocalAnswers[R['op']]>;
  close(): Promise<void>;
}

export type AskOptions = {
  signal: AbortSignal;
  /** After so long without an answer or a sign of progress the process is ended. */
  timeoutMs: number;
  onProgress?: (fraction: number) => void;
};

export type LocalProcessOptions = {
  /** How long a process without work keeps its model in memory. */
  idleMs?: number;
  /** How long a cancelled request may go on before the process is ended. */
  graceMs?: number;
};

/** Requests that may wait; there is one job at a time, so more means something is wrong. */
const waitingMax = 32;
/** What is kept of a dying process' last words. */
const lastWordsMax = 4096;

export function localProcess({
  idleMs = 120_000,
  graceMs = 3_000,
}: LocalProcessOptions = {}): LocalProcess {
  let child: ChildProcess | undefined;
  let ending: Promise<void> | undefined;
  let lastWords = '';
  let closed = false;
  let nextId = 1;
  let waiting = 0;
  let turn: Promise<unknown> = Promise.resolve();
  let idle: NodeJS.Timeout | undefined;

  const running = (): ChildProcess => {
    if (child) return child;
    const started = start();
    lastWords = '';
    started.stderr?.setEncoding('utf8').on('data', (text: string) => {
      lastWords = (lastWords + text).slice(-lastWordsMax);
    });
    started.once('close', () => {
      if (child === started) child = undefined;
    });
    // A process that cannot be reached is as good as dead. One that could not be started closes by
    // itself, and must not be killed: without a process id the signal would go to our whole group.
    started.on('error', (error) => {
      if (started.pid === undefined) lastWords = error.message;
      else started.kill('SIGKILL');
    });
    // Only a request under way (its time limit) keeps the service from ending.
    started.unref();
    started.channel?.unref();
    (started.stderr as Socket | null)?.unref();
    child = started;
    return started;
  };

  /** One exchange. `free` settles when the process can take the next request. */
  const exchange = <R extends LocalRequest>(request: R, options: AskOptions) => {
    const { signal, timeoutMs, onProgress } = options;
    let freed!: () => void;
    const free = new Promise<void>((resolve) => (freed = resolve));
    const result = new Promise<LocalAnswers[R['op']]>((resolve, reject) => {
      const id = nextId++;
      const worker = running();
      let timer = setTimeout(expire, timeoutMs);
      function expire() {
        reject(stalled());
        worker.kill('SIGKILL');
      }
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
        worker.off('message', receive).off('close', gone);
        freed();
      };
      function abort() {
        reject(signal.reason as Error);
        clearTimeout(timer);
        timer = setTimeout(() => worker.kill('SIGKILL'), graceMs);
      }
      // Not `exit`: a process that could not be started has none.
      function gone(code: number | null, killed: string | null) {
        done();
        reject(worker.pid === undefined ? notStarted(lastWords) : crashed(code, killed, lastWords));
      }
      function receive(reply: LocalReply) {
        if (reply.id !== id) return;
        if ('progress' in reply) {
          if (!signal.aborted) {
            timer.refresh();
            onProgress?.(reply.progress);
          }
          return;
        }
        done();
        if ('error' in reply) reject(failed(reply.error));
        else resolve(reply.value as LocalAnswers[R['op']]);
      }
      signal.addEventListener('abort', abort, { once: true });
      worker.on('message', receive).once('close', gone);
      if (worker.pid === undefined) return;
      worker.send({ id, request } satisfies LocalMessage, (error) => {
        if (error) worker.kill('SIGKILL');
      });
    });
    return { result, free };
  };

  const end = async (worker: ChildProcess) => {
    const gone = new Promise<void>((resolve) => worker.once('close', () => resolve()));
    worker.ref(); // this is waited for
    (worker.stderr as Socket | null)?.ref();
    if (worker.pid !== undefined) worker.kill('SIGKILL'); // it holds nothing worth saving
    await gone;
  };
  const stop = async () => {
    if (child) ending ??= end(child).finally(() => (ending = undefined));
    await ending;
  };

  return {
    get pid() {
      return child?.pid;
    },
    async ask(request, options) {
      if (closed) throw new Error('The engine process was closed');
      if (waiting >= waitingMax) throw new Error('Too many requests wait for the engine process');
      clearTimeout(idle);
      waiting += 1;
      const before = turn;
      const mine = (async () => {
        await before;
        // One that is being ended answers nothing any more.
        await ending;
        options.signal.throwIfAborted();
        if (closed) throw new Error('The engine process was closed');
        return exchange(request, options);
      })();
      turn = (async () => {
        await mine.then(({ free }) => free).catch(() => {}); // the caller gets it from `mine`
        waiting -= 1;
        if (waiting > 0 || closed) return;
        idle = setTimeout(() => void stop(), idleMs);
        idle.unref();
      })();
      return untilAborted(
        mine.then(({ result }) => result),
        options.signal,
      );
    },
    async close() {
      closed = true;
      clearTimeout(idle);
      await stop();
      await turn;
    },
  };
}

/** What the service asks of the engine process, one at a time. Audio goes by path, never by message. */
export type LocalRequest =
  | {
      op: 'recognise';
      /** Model and options: the recogniser of the last key stays loaded. */
      key: string;
      /** OfflineRecognizer configuration with absolute paths. */
      config: Record<string, unknown>;
      /** A speech file, and seconds in it. */
      path: string;
      start: number;
      end: number;
      /** What will be asked next of the same file with the same model. */
      next?: Stretch | undefined;
    }
  | {
      op: 'detect';
      /** Vad configuration with absolute paths. */
      config: Record<string, unknown>;
      path: string;
    }
  | {
      op: 'diarize';
      /** Models and options: those of the last key stay loaded. */
      key: string;
      /** Parts of an OfflineSpeakerDiarization configuration, with absolute paths. */
      segmentation: Record<string, unknown>;
      embedding: Record<string, unknown>;
      clustering: { numClusters: number; threshold: number };
      path: string;
      start: number;
      end: number;
    };

/** The part of sherpa-onnx's result that is used. */
export type LocalResult = {
  text: string;
  lang?: string;
  tokens?: string[];
  timestamps?: number[];
  durations?: number[];
};

export type LocalMessage = { id: number; request: LocalRequest };
export type LocalReply =
  | { id: number; progress: number }
  | { id: number; value: LocalAnswers[keyof LocalAnswers] }
  | { id: number; error: string };

/** Waiting for one's turn ends at once when aborted as well. */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.finally(() => signal.removeEventListener('abort', abort)).then(resolve, reject);
  });
}

function start(): ChildProcess {
  const worker = programPath('src/speech/local/local-worker');
  return fork(worker, [], {
    serialization: 'advanced',
    execArgv: [...process.execArgv, '--expose-gc'],
    // glibc keeps a heap a thread: with hundreds of stretches a third more memory than with two of them.
    env: { ...process.env, MALLOC_ARENA_MAX: '2' },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
}

function crashed(code: number | null, signal: string | null, lastWords: string): StageError {
  const how = signal ? `by ${signal}` : `with code ${code}`;
  return new StageError('engine-crashed', `The local speech engine ended unexpectedly (${how}).`, {
    retriable: true,
    cause: lastWords === '' ? undefined : new Error(lastWords),
  });
}

function notStarted(reason: string): StageError {
  return new StageError(
    'engine-crashed',
    `The local speech engine could not be started (${reason}).`,
    { retriable: true },
  );
}

function failed(message: string): StageError {
  return new StageError('engine-failed', `The local speech engine could not do it: ${message}`, {
    retriable: true,
  });
}

function stalled(): StageError {
  return new StageError('engine-stalled', 'The local speech engine stopped answering.', {
    retriable: true,
  });
}

/** What each operation answers. Times of `recognise` count from the stretch's start. */
type LocalAnswers = {
  recognise: LocalResult;
  detect: Stretch[];
  diarize: Window;
};
