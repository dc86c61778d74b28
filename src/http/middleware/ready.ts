import type { Middleware } from 'koa';
import { commands } from '../../../projections/commands.ts';
import { recordings } from '../../../projections/recordings.ts';
import { people } from '../../../projections/people.ts';
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

/** Lets a request in when what it needs is ready; 503 `starting` when that takes too long. */
export const untilReady =
  (readiness: Readiness): Middleware<State> =>
  async (ctx, next) => {
    const isPublic = ctx.state.access === 'public';
    if (!isPublic) await readiness.until(needsOf(ctx.method, ctx.path), limits.readyWaitMs);
    return next();
  };

/** What a WebSocket shows and what it can record needs. */
export const socketNeeds: readonly string[] = [recordings.name, unfinished];

/**
 * What has to be ready for a request: the projections it reads, and those in which the next request looks
 * for what it did. Decided from method and path, as `accessTo`. What is not named here needs all.
 */
function needsOf(method: string, path: string): readonly string[] {
  const reads = method === 'GET' || method === 'HEAD';
  const rule = rules.find(({ pattern }) => pattern.test(path)) ?? rest;
  return reads ? rule.reads : rule.changes;
}

type Rule = { reads: readonly string[]; changes: readonly string[] };

/** Changes wait for unfinished recordings too: documents that were deleted before the start must be gone first. */
const rest: Rule = {
  reads: [recordings.name],
  changes: [commands.name, recordings.name, unfinished],
};

/** The first that fits. */
const rules: readonly (Rule & { pattern: RegExp })[] = [
  { pattern: /^\/users\/me(\/|$)/, reads: [], changes: [] },
  // Deleting a user ends what is done for them; the list counts their recordings.
  { pattern: /^\/users(\/|$)/, reads: [recordings.name], changes: [recordings.name] },
  {
    pattern: /^\/(logout|config|models|doctor|nodes|metrics|machine|backup)(\/|$)/,
    reads: [],
    changes: [],
  },
  // Says itself how much of the library it has searched.
  { pattern: /^\/search$/, reads: [], changes: [] },
  { pattern: /^\/people$/, reads: [people.name], changes: [] },
  {
    pattern: /^\/speakers\/profiles(\/|$)/,
    reads: [people.name],
    changes: [people.name, ...rest.changes],
  },
  { pattern: /^\/audio(\/|$)/, reads: [unfinished], changes: [unfinished] },
  {
    pattern: /^\/(recordings|uploads(\/.*)?)$/,
    reads: rest.reads,
    changes: [commands.name, recordings.name],
  },
];
