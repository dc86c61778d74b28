import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import { apart, forkApart } from '../../shared/apart.ts';
import { onAbort, untilAborted } from '../../shared/abort.ts';
import type { LocalAnswers, LocalMessage, LocalReply, LocalRequest } from './engine-requests.ts';
import { StageError } from '../../shared/errors.ts';
import { failure } from '../../words/failures.ts';
import { mutex } from '../../shared/mutex.ts';

/** The engine process: started when first needed, again after it died, ended when idle. */
export interface LocalProcess {
  /** Of the running process; undefined while there is none. */
  readonly pid: number | undefined;
  /**
   * Asks for one thing; what is asked meanwhile waits.
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

/** What a program in front of another one ends with where there is no such other (`unshare`). */
const notExecuted = 127;
/** Requests that may wait; there is one job at a time, so more means something is wrong. */
const waitingMax = 32;
/** What is kept of a dying process' last words. */
const lastWordsMax = 4096;

export function localProcess({
  idleMs = 120_000,
  graceMs = 3_000,
}: LocalProcessOptions = {}): LocalProcess {
  const engine: Engine = { worker: undefined, ending: undefined, closed: false, waiting: 0 };
  const inTurn = mutex();
  let idle: NodeJS.Timeout | undefined;

  const endWhenIdle = () => {
    engine.waiting -= 1;
    if (engine.waiting > 0 || engine.closed) return;
    idle = setTimeout(() => void end(engine), idleMs);
    idle.unref();
  };

  return {
    get pid() {
      return engine.worker?.child.pid;
    },
    async ask<R extends LocalRequest>(request: R, options: AskOptions) {
      if (engine.closed) throw closedError();
      if (engine.waiting >= waitingMax)
        throw new Error('Too many requests wait for the engine process');
      clearTimeout(idle);
      engine.waiting += 1;
      const answer = new Promise<LocalAnswers[R['op']]>((resolve, reject) => {
        // The next request's turn comes when the process can take it, after this one's answer.
        void inTurn(async () => {
          const { result, free } = await begin(engine, request, { ...options, graceMs });
          resolve(result);
          await free;
        })
          .catch(reject)
          .finally(endWhenIdle);
      });
      return untilAborted(answer, options.signal);
    },
    async close() {
      engine.closed = true;
      clearTimeout(idle);
      await end(engine);
      await inTurn(async () => {});
    },
  };
}

/** Asks a process that ends with it. @throws as `LocalProcess.ask` */
export async function askOnce<R extends LocalRequest>(
  request: R,
  options: AskOptions,
): Promise<LocalAnswers[R['op']]> {
  const engine = localProcess();
  try {
    return await engine.ask(request, options);
  } finally {
    await engine.close();
  }
}

/** The process, and what waits for it. */
type Engine = {
  worker: Worker | undefined;
  /** Settles when a process that is being ended is gone. */
  ending: Promise<void> | undefined;
  closed: boolean;
  waiting: number;
};

type Worker = { child: ChildProcess; lastId: number; lastWords: string };

async function begin<R extends LocalRequest>(
  engine: Engine,
  request: R,
  options: AskOptions & { graceMs: number },
): Promise<Exchange<LocalAnswers[R['op']]>> {
  // One that is being ended answers nothing any more.
  await engine.ending;
  const before = await apart();
  options.signal.throwIfAborted();
  if (engine.closed) throw closedError();
  return exchange((engine.worker ??= started(engine, before)), request, options);
}

const closedError = (): Error => new Error('The engine process was closed');

function started(engine: Engine, before: readonly string[]): Worker {
  const child = start(before);
  const worker: Worker = { child, lastId: 0, lastWords: '' };
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    worker.lastWords = (worker.lastWords + text).slice(-lastWordsMax);
  });
  child.once('close', () => {
    if (engine.worker === worker) engine.worker = undefined;
  });
  // A process that cannot be reached is as good as dead. One that could not be started closes by
  // itself, and must not be killed: without a process id the signal would go to our whole group.
  child.on('error', (error) => {
    if (child.pid === undefined) worker.lastWords = error.message;
    else child.kill('SIGKILL');
  });
  // Only a request under way (its time limit) keeps the service from ending.
  child.unref();
  child.channel?.unref();
  (child.stderr as Socket | null)?.unref();
  return worker;
}

/** Ends the process, if there is one. It holds nothing worth saving. */
async function end(engine: Engine): Promise<void> {
  const child = engine.worker?.child;
  if (child && !engine.ending) {
    child.ref(); // this is waited for
    (child.stderr as Socket | null)?.ref();
    engine.ending = new Promise<void>((resolve) => child.once('close', () => resolve())).finally(
      () => (engine.ending = undefined),
    );
    if (child.pid !== undefined) child.kill('SIGKILL');
  }
  await engine.ending;
}

/** `free` settles when the process can take the next request. */
type Exchange<T> = { result: Promise<T>; free: Promise<void> };

/** Asks for one thing, and waits for the answer. */
function exchange<R extends LocalRequest>(
  worker: Worker,
  request: R,
  { signal, timeoutMs, graceMs, onProgress }: AskOptions & { graceMs: number },
): Exchange<LocalAnswers[R['op']]> {
  const { child } = worker;
  const id = ++worker.lastId;
  const kill = () => void child.kill('SIGKILL');
  let freed!: () => void;
  const free = new Promise<void>((resolve) => (freed = resolve));
  const result = new Promise<LocalAnswers[R['op']]>((resolve, reject) => {
    let timer = setTimeout(() => {
      reject(stalled());
      kill();
    }, timeoutMs);
    const forget = onAbort(signal, (reason) => {
      reject(reason);
      clearTimeout(timer);
      timer = setTimeout(kill, graceMs);
    });
    const done = () => {
      clearTimeout(timer);
      forget();
      child.off('message', receive).off('close', gone);
      freed();
    };
    // Not `exit`: a process that could not be started has none.
    function gone(code: number | null, killed: string | null) {
      done();
      const isStarted = child.pid !== undefined && code !== notExecuted;
      reject(isStarted ? crashed(code, killed, worker) : notStarted(worker));
    }
    function receive(reply: LocalReply) {
      if (reply.id !== id) return;
      if ('progress' in reply) {
        if (signal.aborted) return;
        timer.refresh();
        onProgress?.(reply.progress);
        return;
      }
      done();
      if ('error' in reply) reject(failed(reply.error));
      else resolve(reply.value as LocalAnswers[R['op']]);
    }
    child.on('message', receive).once('close', gone);
    if (child.pid === undefined) return;
    child.send({ id, request } satisfies LocalMessage, (error) => {
      if (error) kill();
    });
  });
  return { result, free };
}

const start = (before: readonly string[]): ChildProcess =>
  forkApart(before, 'src/speech/local/local-worker', {
    execArgv: ['--expose-gc'],
    // glibc keeps a heap a thread: with hundreds of stretches a third more memory than with two of them.
    env: { MALLOC_ARENA_MAX: '2' },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });

function crashed(code: number | null, signal: string | null, { lastWords }: Worker): StageError {
  const how = signal ? { signal } : { exit: String(code) };
  return new StageError(failure('speech-crashed', how), {
    retriable: true,
    cause: lastWords === '' ? undefined : new Error(lastWords),
  });
}

function notStarted({ lastWords }: Worker): StageError {
  return new StageError(failure('speech-not-started', { cause: lastWords.trim() }), {
    retriable: true,
  });
}

function failed(message: string): StageError {
  return new StageError(failure('speech-failed', { cause: message }), { retriable: true });
}

function stalled(): StageError {
  return new StageError(failure('speech-stalled'), { retriable: true });
}
