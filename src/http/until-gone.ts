import { StageError } from '../shared/errors.ts';
import { Problem } from './problems.ts';
import type { RouteContext } from './route.ts';

/** What a language model answers while its client waits; it ends when that goes. @throws {Problem} */
export async function untilGone<T>(
  ctx: RouteContext,
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const gone = new AbortController();
  ctx.res.once('close', () => gone.abort());
  try {
    return await ask(gone.signal);
  } catch (error) {
    if (error instanceof StageError)
      throw new Problem('unavailable', { said: error.sentence, cause: error });
    throw error;
  }
}
