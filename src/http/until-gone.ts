import { StageError } from '../shared/errors.ts';
import { detail } from '../words/details.ts';
import { accessWatchOf } from './access-watch.ts';
import { callerOf } from './middleware/authenticate.ts';
import { Problem, notFound } from './problems.ts';
import type { RouteContext } from './route.ts';
import type { RouteServices } from './services.ts';

/**
 * What a language model answers while its client waits; it ends when that goes, or may read no more what is asked about.
 * @throws {Problem} 404 as well, when one of the recordings was withdrawn or erased meanwhile
 */
export async function untilGone<T>(
  ctx: RouteContext,
  services: RouteServices,
  { recordingIds }: { recordingIds: readonly string[] },
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const caller = callerOf(ctx.state);
  const gone = new AbortController();
  ctx.res.once('close', () => gone.abort());
  let isTaken = false;
  const unwatch = recordingIds.map((recordingId) =>
    accessWatchOf(services).watch({ caller, recordingId, needs: 'read' }, () => {
      isTaken = true;
      gone.abort();
    }),
  );
  try {
    return await ask(gone.signal);
  } catch (error) {
    if (isTaken) throw notFound(detail('recording-not-found'));
    if (error instanceof StageError)
      throw new Problem('unavailable', { said: error.sentence, cause: error });
    throw error;
  } finally {
    for (const stop of unwatch) stop();
  }
}
