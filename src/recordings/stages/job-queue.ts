import { LRUCache } from 'lru-cache';

/** A slot at an engine: hold it while working, give it back in any case. */
export type Slot = { release(): void };

/** Until it is its turn, until one that has to run alone is done, or until all others are. */
export type WaitsUntil = 'turn' | 'recording-alone' | 'all-others';
export type QueueWait = { for: WaitsUntil; ahead: number; since: string };

export type SlotRequest = {
  /** Which engine; jobs of the same queue share its slots. */
  queue: string;
  /** How many jobs the queue lets run at once. */
  concurrency: number;
  /** Whose job it is: users take turns, however many jobs each has. */
  owner: string;
  /** Run only while nothing else runs, and let nothing else start meanwhile. */
  alone?: boolean;
  signal: AbortSignal;
  /** Called when what the job waits for changes; with null once it has a slot. */
  onWaiting?(waiting: QueueWait | null): void;
};

/** Hands out slots at engines, fair across users, first come first served within one user's jobs. */
export interface JobQueue {
  /** Resolves when this job has a slot. @throws the signal's reason when aborted; `JobQueueFull`. */
  acquire(request: SlotRequest): Promise<Slot>;
}

/** Works in a slot, which is given back in any case. @throws as `JobQueue.acquire`, and what the work throws */
export async function inSlot<T>(
  jobQueue: JobQueue,
  request: SlotRequest,
  work: () => Promise<T>,
): Promise<T> {
  const slot = await jobQueue.acquire(request);
  try {
    return await work();
  } finally {
    slot.release();
  }
}

/** More jobs than this waiting at once is a mistake somewhere, not a busy day. */
export const waitingMax = 10_000;

export class JobQueueFull extends Error {
  override name = 'JobQueueFull';
  readonly code = 'JOB_QUEUE_FULL';
  constructor() {
    super(`More than ${waitingMax} jobs are waiting for an engine`);
  }
}

type Job = Required<SlotRequest> & { arrived: number; since: string; shown: string; start(): void };

type Queue = {
  waiting: Job[];
  running: Set<Job>;
  /** When each owner last got a slot of a queue: who waited longest goes next. */
  servedAt: LRUCache<string, number>;
  clock: number;
  /** Until the jobs that wait are told what for: once for all that came and went meanwhile. */
  tells: NodeJS.Immediate | null;
};

export function openJobQueue(now: () => Date = () => new Date()): JobQueue {
  const queue: Queue = {
    waiting: [],
    running: new Set(),
    servedAt: new LRUCache({ max: 1000 }),
    clock: 0,
    tells: null,
  };
  return {
    acquire: (request) =>
      new Promise((resolve, reject) => {
        request.signal.throwIfAborted();
        if (queue.waiting.length >= waitingMax) throw new JobQueueFull();
        const leave = () => queue.waiting.splice(queue.waiting.indexOf(job), 1);
        const abandon = () => {
          leave();
          reject(request.signal.reason);
          settle(queue);
        };
        const job: Job = {
          alone: false,
          onWaiting() {},
          ...request,
          arrived: ++queue.clock,
          since: now().toISOString(),
          shown: '',
          start() {
            request.signal.removeEventListener('abort', abandon);
            leave();
            queue.running.add(job);
            // Forgetting who was served long ago only lets them go first: bounded at no cost.
            queue.servedAt.set(ownerIn(job), ++queue.clock);
            job.onWaiting(null);
            resolve({ release: () => queue.running.delete(job) && settle(queue) });
          },
        };
        request.signal.addEventListener('abort', abandon, { once: true });
        queue.waiting.push(job);
        // It keeps others from starting at most.
        if (obstaclesIn(queue)(job) === null) job.start();
        tellSoon(queue);
      }),
  };
}

/** Starts what may start when a job has gone. */
function settle(queue: Queue): void {
  for (;;) {
    const obstacle = obstaclesIn(queue);
    const next = inOrder(queue).find((job) => obstacle(job) === null);
    if (!next) break;
    next.start();
  }
  tellSoon(queue);
}

function tellSoon(queue: Queue): void {
  queue.tells ??= setImmediate(() => {
    queue.tells = null;
    tell(queue);
  });
}

/** Notifies the jobs that wait of what for. */
function tell(queue: Queue): void {
  const obstacle = obstaclesIn(queue);
  const ahead = new Map<string, number>();
  for (const job of queue.running) ahead.set(job.queue, (ahead.get(job.queue) ?? 0) + 1);
  for (const job of inOrder(queue)) {
    const before = ahead.get(job.queue) ?? 0;
    ahead.set(job.queue, before + 1);
    const waits: QueueWait = {
      for: obstacle(job) ?? 'turn',
      ahead: before,
      since: job.since,
    };
    if (job.shown === JSON.stringify(waits)) continue;
    job.shown = JSON.stringify(waits);
    job.onWaiting(waits);
  }
}

/** Jobs that must run alone first (nothing else would let them in), then users in turn. */
function inOrder({ waiting, servedAt }: Queue): Job[] {
  const place = new Map<string, number>();
  const placed = waiting.map((job) => {
    const key = ownerIn(job);
    const nth = place.get(key) ?? 0;
    place.set(key, nth + 1);
    return { job, nth, served: servedAt.peek(key) ?? 0 };
  });
  placed.sort((a, b) => {
    if (a.job.alone !== b.job.alone) return a.job.alone ? -1 : 1;
    return a.nth - b.nth || a.served - b.served || a.job.arrived - b.job.arrived;
  });
  return placed.map(({ job }) => job);
}

/** What keeps a job from starting, as things are; asked of every job that waits. */
function obstaclesIn({ waiting, running }: Queue): (job: Job) => WaitsUntil | null {
  const wantsAlone = ({ alone }: Job) => alone;
  const oneRunsAlone = [...running].some(wantsAlone);
  const oneWaitsAlone = waiting.some(wantsAlone);
  const taken = new Map<string, number>();
  for (const { queue } of running) taken.set(queue, (taken.get(queue) ?? 0) + 1);
  return ({ alone, queue, concurrency }) => {
    if (oneRunsAlone) return 'recording-alone';
    if (alone) return running.size > 0 ? 'all-others' : null;
    if (oneWaitsAlone) return 'recording-alone';
    return (taken.get(queue) ?? 0) >= concurrency ? 'turn' : null;
  };
}

const ownerIn = ({ queue, owner }: Job): string => `${queue}\n${owner}`;
