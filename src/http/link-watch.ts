import { linesOf } from '../../projections/recording-row.ts';
import type { Caller } from '../accounts/caller.ts';
import { limits } from './limits.ts';
import { openLinkIn } from './open-links.ts';
import type { HttpServices } from './services.ts';

type OfLink = NonNullable<Caller['link']>;
type Services = Pick<HttpServices, 'settings' | 'accounts' | 'storage' | 'log'>;

/** Looks whether links are still open through which something goes on. */
export interface LinkWatch {
  /** @param over called once, when the link is open no more @returns how to watch no longer */
  watch(link: OfLink, over: () => void): () => void;
}

/**
 * One look every half a second for all that goes on: what closes a link (its time, its owner, a setting, another node) is
 * no fact of its recording alone.
 */
export function openLinkWatch(services: Services): LinkWatch {
  const watched = new Set<OfLink & { over: () => void }>();
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
      if (core && openLinkIn(services, core, one.link)) continue;
      watched.delete(one);
      one.over();
    }
    rest();
  };
  return {
    watch({ recordingId, link }, over) {
      const one = { recordingId, link, over };
      watched.add(one);
      timer ??= setInterval(() => {
        look().catch((err: unknown) => services.log.warn({ err }, 'links could not be looked at'));
      }, limits.linkLookMs).unref();
      return () => {
        watched.delete(one);
        rest();
      };
    },
  };
}
