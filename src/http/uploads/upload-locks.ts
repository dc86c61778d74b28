import { ERRORS, type Lock, type Locker } from '@tus/server';
import { setTimeout as wait } from 'node:timers/promises';
import type { Held, Ownership } from '../../../events/ownership.ts';
import { aborted } from '../../shared/abort.ts';
import { uploadCommandOf } from './receive-upload.ts';

/** A client that wants to go on with an upload waits this long for the connection before to let go. */
const letGoMs = 10_000;
/** How often it is asked whether another node has let go. */
const askMs = 250;

/**
 * One connection at a time for each upload, among all nodes. At this node the one that has it is asked to let go when
 * another comes, which is the same client after its network failed; another node is waited for. (The package's own
 * locker looks again and again in every tick of the event loop.)
 * @param waitMs how long is waited, before `ERR_LOCK_TIMEOUT`
 */
export function uploadLocks(ownership: Ownership, waitMs = letGoMs): Locker {
  const here = new Map<string, Holder>();
  return { newLock: (id) => lockOf(id, { here, ownership, waitMs }) };
}

type Holder = { letGo: () => void | Promise<void>; gone: Promise<void> };
type Locks = { here: Map<string, Holder>; ownership: Ownership; waitMs: number };

function lockOf(id: string, { here, ownership, waitMs }: Locks): Lock {
  let release: (() => void) | undefined;
  let held: Held | undefined;
  const free = (): void => {
    if (!release) return;
    here.delete(id);
    release();
    release = undefined;
  };
  const take = async (waited: AbortSignal, letGo: Holder['letGo']): Promise<void> => {
    for (let holder = here.get(id); holder; holder = here.get(id)) {
      await holder.letGo();
      await Promise.race([holder.gone, aborted(waited)]);
      if (waited.aborted) throw ERRORS.ERR_LOCK_TIMEOUT;
    }
    const gone = new Promise<void>((resolve) => (release = resolve));
    here.set(id, { letGo, gone });
    try {
      held = await amongNodes(ownership, uploadCommandOf(id), waited);
    } catch (error) {
      free();
      throw waited.aborted ? ERRORS.ERR_LOCK_TIMEOUT : error;
    }
  };
  return {
    async lock(signal, letGo) {
      // No AbortSignal.timeout: within AbortSignal.any it may be collected, and never end (nodejs/node#57736).
      const over = new AbortController();
      const timer = setTimeout(() => over.abort(), waitMs);
      try {
        await take(AbortSignal.any([signal, over.signal]), letGo);
      } finally {
        clearTimeout(timer);
      }
      // Another node may take it from now on.
      if (held?.lost.aborted) await letGo();
      else held?.lost.addEventListener('abort', () => void letGo(), { once: true });
    },
    async unlock() {
      try {
        await held?.release();
      } finally {
        free();
      }
    },
  };
}

/** @throws the reason of `signal`, and what claiming throws */
async function amongNodes(ownership: Ownership, name: string, signal: AbortSignal): Promise<Held> {
  for (;;) {
    const held = await ownership.claim(name, signal);
    if (held) return held;
    await wait(askMs, undefined, { signal });
  }
}
