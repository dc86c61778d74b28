import { type KeptLine, linesOf } from '../../projections/recording-row.ts';
import { isIn } from '../../machines/states.ts';
import type { Caller } from '../accounts/caller.ts';
import { limits } from './limits.ts';
import { openLinkIn } from './open-links.ts';
import { perApp } from './route.ts';
import type { HttpServices } from './services.ts';
import { type Needs, isEnough, rightsOf } from './visible-recording.ts';

type Services = Pick<HttpServices, 'settings' | 'accounts' | 'storage' | 'log'>;

/** Who gets something of which recording, and what they need for it; of a link only that it is open. */
type Watched = {
  caller: Pick<Caller, 'userId' | 'isAdmin' | 'link'>;
  recordingId: string;
  needs: Needs;
};

/** Looks whether those still may to whom something goes on being sent. */
export interface AccessWatch {
  /** @param over called once, when they may no longer @returns how to watch no longer */
  watch(watched: Watched, over: () => void): () => void;
}

/**
 * One look every half a second for all that goes on: what ends a right (a link's time, a user, a group, a folder, a
 * setting, another node) is no fact of its recording alone.
 */
export function openAccessWatch(services: Services): AccessWatch {
  const watched = new Set<Watched & { over: () => void }>();
  let timer: NodeJS.Timeout | undefined;
  const rest = (): void => {
    if (watched.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
  const look = async (): Promise<void> => {
    await services.accounts.takeIn();
    const ids = [...new Set([...watched].map(({ recordingId }) => recordingId))];
    const lines = await linesOf(
      services.storage,
      ids.map((id) => `/${id}`),
    );
    const cores = new Map(lines.map(({ core }) => [core.recordingId, core]));
    for (const one of watched) {
      const core = cores.get(one.recordingId);
      if (core && (await stillMay(services, one, core))) continue;
      if (watched.delete(one)) one.over();
    }
    rest();
  };
  return {
    watch(asked, over) {
      const one = { ...asked, over };
      watched.add(one);
      timer ??= setInterval(() => {
        look().catch((err: unknown) => services.log.warn({ err }, 'rights could not be looked at'));
      }, limits.accessLookMs).unref();
      return () => {
        watched.delete(one);
        rest();
      };
    },
  };
}

/** The watch of the routes of one app. */
export const accessWatchOf = perApp(openAccessWatch);

/** Whether a session is good as it was when something began that goes on being sent; the same at other nodes. */
export async function isStillIn(
  { accounts }: Pick<HttpServices, 'accounts'>,
  { sessionId }: Pick<Caller, 'sessionId'>,
): Promise<boolean> {
  await accounts.takeIn();
  return (await accounts.callerOf(sessionId)) !== null;
}

async function stillMay(
  services: Services,
  { caller, needs }: Watched,
  core: KeptLine['core'],
): Promise<boolean> {
  if (isIn(core.state, 'idle.erased')) return false;
  if (caller.link) return openLinkIn(services, core, caller.link.link) !== undefined;
  if (!services.accounts.isActive(caller.userId)) return false;
  const right = await rightsOf(services, caller, core);
  return right !== null && isEnough(right, needs);
}
