import type { Ownership } from '../../../events/ownership.ts';
import { repeatedly } from '../../shared/retry.ts';
import type { Postgres } from './connection.ts';
import { type Generation, generationAt } from './generation.ts';
import { postgresProjectionStorage } from './projection-storage.ts';

type OldRowsDeps = {
  db: Postgres;
  ownership: Ownership;
  /** Whose rows are not old. */
  generation: Generation;
  /** Between two looks, in milliseconds: longer than nodes need to come back when the database was away. */
  everyMs: number;
  /** Called with places whose rows were removed. */
  onRemoved(places: string[]): void;
  onFailure(error: unknown): void;
};

/** Removes rows of other releases while this node keeps those of its own. */
export type OldRows = {
  /** Whether this node keeps the rows of its release now. */
  projects(is: boolean): void;
  stop(): Promise<void>;
};

/**
 * Where no node keeps rows, none answers from them: each of that release would keep them at once. So at two looks in a row their
 * projector's name has to be free, while this node had its session all the time, so that others could have theirs.
 */
export function keepRemovingOldRows(deps: OldRowsDeps): OldRows {
  let tenure = new AbortController();
  let looking: Promise<void> = Promise.resolve();
  const keepLooking = async (signal: AbortSignal): Promise<void> => {
    const free = new Set<string>();
    await repeatedly(() => look(deps, free, signal), {
      pauseMs: deps.everyMs,
      pausesFirst: true,
      signal,
      onFailure: deps.onFailure,
    });
  };
  return {
    projects(is) {
      tenure.abort();
      if (!is) return;
      tenure = new AbortController();
      const { signal } = tenure;
      looking = looking.then(() => keepLooking(signal));
    },
    async stop() {
      tenure.abort();
      await looking;
    },
  };
}

/** @param free names that nobody had at the last look; brought up to this one */
async function look(deps: OldRowsDeps, free: Set<string>, signal: AbortSignal): Promise<void> {
  const { db, ownership, generation } = deps;
  const found = await db.ask<{ place: string }>({ text: placesWithRows });
  const places = found.map(({ place }) => place);
  const projectors = new Set(places.map(projectorOf));
  projectors.delete(generation.projector);
  for (const projector of projectors) {
    const held = await ownership.claim(projector, signal);
    if (held === null) {
      free.delete(projector);
      continue;
    }
    try {
      const theirs = places.filter((place) => projectorOf(place) === projector);
      if (free.has(projector)) await remove(deps, theirs, signal);
      free.add(projector);
    } finally {
      await held.release();
    }
  }
}

/** Fenced: a projector of theirs that comes after all finds no checkpoint, and makes them again. */
async function remove(
  { db, onRemoved }: OldRowsDeps,
  places: string[],
  signal: AbortSignal,
): Promise<void> {
  const storage = postgresProjectionStorage(db, { fenced: true, signal });
  for (const place of places) {
    await storage.checkpoint(place);
    await storage.clear(place);
  }
  onRemoved(places);
}

const projectorOf = (place: string): string => generationAt(place).projector;

/** By one seek a place; rows whose checkpoint is gone already are found too. */
const placesWithRows = `
  with recursive found as (
    (select projection from rows order by projection limit 1)
    union all
    select (select r.projection from rows r where r.projection > f.projection order by r.projection limit 1)
      from found f where f.projection is not null
  )
  select projection as place from found where projection is not null
    union select projection collate "C" from checkpoints`;
