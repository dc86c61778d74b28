import { setImmediate } from 'node:timers/promises';
import { idIn, libraryEntries } from '../../projections/library.ts';
import { allPages, pageRowsMax } from '../../projections/list-page.ts';
import { linesOf } from '../../projections/recording-row.ts';
import { recordingsByOwner } from '../../projections/recordings.ts';
import type { ProjectionStorage } from '../../projections/runner/projection.ts';
import type { PassageRows } from '../storage/passage-rows.ts';

export type WaitingDeps = { storage: ProjectionStorage; passages: PassageRows };

/** Recordings that are remembered as waiting; the older ones are looked for again when these are done. */
const waitingMax = 10_000;

/**
 * Recordings with documents that have no passages, those of other documents, or of another model; the newest first. Passages of
 * recordings that are no more are removed.
 * @returns `isAll`: whether no others wait
 */
export async function waitingFor(
  deps: WaitingDeps,
  model: string,
  signal: AbortSignal,
): Promise<{ ids: string[]; isAll: boolean }> {
  const waiting: string[] = [];
  const known = new Set<string>();
  for (const owner of (await recordingsByOwner(deps.storage)).keys()) {
    for await (const entries of allPages(libraryEntries(deps.storage, owner))) {
      signal.throwIfAborted();
      for (const entry of entries) known.add(idIn(entry));
      waiting.push(...(await withoutPassages(deps, model, entries)));
      await setImmediate();
    }
  }
  await removeLeft(deps.passages, known, signal);
  const newest = waiting.toSorted().toReversed();
  return { ids: newest.slice(0, waitingMax).map(idIn), isAll: newest.length <= waitingMax };
}

async function withoutPassages(
  { storage, passages }: WaitingDeps,
  model: string,
  entries: readonly string[],
): Promise<string[]> {
  const heads = await passages.heads(entries.map(idIn));
  const present = entries.filter((_, at) => heads[at]?.model === model);
  const lines = await linesOf(storage, present);
  const versions = new Map(lines.map(({ core }) => [core.recordingId, core.version]));
  return entries.filter((entry, at) => {
    const head = heads[at];
    return head?.model !== model || head.version !== versions.get(idIn(entry));
  });
}

/** A row that an interrupted erasure, or one at another node, has left. */
async function removeLeft(
  passages: PassageRows,
  known: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<void> {
  for (let after = ''; !signal.aborted;) {
    const ids = await passages.ids(after, pageRowsMax);
    const left = ids.filter((id) => !known.has(id));
    if (left.length > 0) await passages.remove(left);
    const last = ids.at(-1);
    if (last === undefined || ids.length < pageRowsMax) return;
    after = last;
  }
}
