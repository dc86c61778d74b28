import * as z from 'zod';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeDurably, ifMissing } from '../shared/files.ts';

const stateSchema = z.object({
  /** Id of the log it is about; of another log it says nothing. */
  log: z.string(),
  /** Every record up to here was found sound, the one after it too unless it is damaged. */
  verified: z.number().int().nonnegative(),
  /** The damaged position that comes first, as long as it is not known to be sound again. */
  damagedAt: z.number().int().positive().nullable(),
  /** How far the present pass has come: in the log, then by streams' names through files and keys. */
  position: z.number().int().nonnegative(),
  stream: z.string().nullable(),
  /** When a pass through everything was last completed, RFC 3339 UTC. */
  completedAt: z.string().nullable(),
});

export const newScrubState = (log: string): ScrubState => ({
  log,
  verified: 0,
  damagedAt: null,
  position: 0,
  stream: null,
  completedAt: null,
});

/**
 * What is remembered; undefined when there is nothing usable. It can be lost without harm: everything
 * is looked at again.
 */
export async function readScrubState(dataDir: string): Promise<ScrubState | undefined> {
  const text = await readFile(pathIn(dataDir), 'utf8').catch(ifMissing(undefined));
  if (text === undefined) return undefined;
  try {
    return stateSchema.parse(JSON.parse(text));
  } catch {
    // Not an error: a state that cannot be read says as much as none.
    return undefined;
  }
}

export const writeScrubState = (dataDir: string, state: ScrubState): Promise<void> =>
  writeDurably(pathIn(dataDir), `${JSON.stringify(state)}\n`);

/**
 * Records checked at open at most when nothing is known to be damaged; the scrub does the rest. More where
 * the last process did not close the log: what it wrote last is the likeliest to be harmed.
 */
const checkedAfterCleanEnd = 1_000;
const checkedAtOpenMax = 10_000;

/**
 * What `openLog` needs to know: from where on records have not been checked. Damage that was found
 * before is found again at once, wherever it is.
 */
export function openingCheck(
  state: ScrubState | undefined,
  { cleanEnd }: { cleanEnd: boolean },
): { verifiedPosition: number; checkedAtOpenMax?: number } | Record<string, never> {
  if (state === undefined) return {};
  if (state.damagedAt !== null) {
    return { verifiedPosition: Math.max(0, Math.min(state.verified, state.damagedAt - 2)) };
  }
  return {
    verifiedPosition: state.verified,
    checkedAtOpenMax: cleanEnd ? checkedAfterCleanEnd : checkedAtOpenMax,
  };
}

const pathIn = (dataDir: string): string => join(dataDir, scrubStateFile);
/** Beside the log; not part of a backup. */
export const scrubStateFile = 'scrub.json';

/** What the scrub remembers across restarts. */
export type ScrubState = z.infer<typeof stateSchema>;
