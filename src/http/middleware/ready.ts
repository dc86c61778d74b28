import type { Middleware } from 'koa';
import { commands } from '../../../projections/commands.ts';
import { recordings } from '../../../projections/recordings.ts';
import { limits } from '../limits.ts';
import type { State } from '../state.ts';

/** What a start still has to do. */
export type StartProgress = {
  /** `log` while it is opened; else names of projections, or `unfinished`. */
  waitsFor: readonly string[];
  /** How far the slowest of them is, 0 to 1; null when that is unknown. */
  fraction: number | null;
  /** Seconds after which it may be done. */
  retryAfter: number;
};

/** What was asked for is not ready yet. HTTP answers 503 `starting`. */
export class Starting extends Error {
  override name = 'Starting';
  readonly code = 'STARTING';
  readonly progress: StartProgress;
  constructor(progress: StartProgress) {
    const { waitsFor, fraction } = progress;
    const percent = fraction === null ? '' : `, ${Math.floor(fraction * 100)} % done`;
    super(`The service is starting: it still reads ${waitsFor.join(', ')}${percent}.`);
    this.progress = progress;
  }
}

/** What of the service is ready. */
export interface Readiness {
  /** What is not ready of these (names of projections, `unfinished`), or of everything; null: nothing. */
  progress(which?: readonly string[]): StartProgress | null;
  /**
   * Resolves when all of these are ready. A projection that has stopped is: who reads its rows finds out.
   * @throws {Starting} after `withinMs`; at once where a projection is rebuilt from the beginning
   */
  until(which: readonly string[], withinMs: number): Promise<void>;
  /** Resolves when everything is ready, at the latest after `withinMs`. */
  started(withinMs: number): Promise<void>;
}

/** The part that is ready when every unfinished recording is taken up; captures that still run come first. */
export const unfinished = 'unfinished recordings';

/** Parts of the service that a request needs: the projections it reads, and those in which the next request looks for its effect. */
export const toRead: readonly string[] = [recordings.name];
/** Changes wait for unfinished recordings too: documents that were deleted before the start must be gone first. */
export const toChange: readonly string[] = [commands.name, recordings.name, unfinished];
export const toImport: readonly string[] = [commands.name, recordings.name];
/** What a WebSocket shows and what it can record needs. */
export const socketNeeds: readonly string[] = [recordings.name, unfinished];

/** Lets a request in when what it needs is ready; 503 `starting` when that takes too long. */
export const untilReady =
  (readiness: Readiness, needs: readonly string[]): Middleware<State> =>
  async (_, next) => {
    await readiness.until(needs, limits.readyWaitMs);
    return next();
  };
