import { availableParallelism, totalmem } from 'node:os';
import type { CatalogueEntry } from './catalogue.ts';

/** What a recommendation follows. */
export type Machine = { memoryBytes: number; cores: number };

/** What this process may use: in a container with a limit, that. */
export function thisMachine(): Machine {
  const constrained = process.constrainedMemory();
  const memory = constrained > 0 && constrained < totalmem() ? constrained : totalmem();
  return { memoryBytes: memory, cores: availableParallelism() };
}

/**
 * Which model of each purpose to take on this machine, by id, with the reason in a sentence. Of those that
 * speak the language and for which memory and cores suffice, the one of the highest rank.
 * @param language ISO 639-1 code; null when it is not known: then the model with the most languages counts
 */
export function recommended(
  entries: readonly CatalogueEntry[],
  language: string | null,
  { memoryBytes, cores }: Machine,
): Map<string, string> {
  const memory = memoryBytes / 1e9;
  const chosen = new Map<string, string>();
  for (const purpose of new Set(entries.map((entry) => entry.purpose))) {
    const fitting = entries
      .filter((entry) => entry.purpose === purpose && speaks(entry, language))
      // A machine of 4 GB has a little less, as its system counts.
      .filter((entry) => entry.memory_gb * 0.9 <= memory && entry.cores <= cores)
      .toSorted((a, b) => b.rank - a.rank);
    const [best] = fitting;
    if (best) chosen.set(best.id, reasonFor(best, language, { memoryBytes, cores }));
  }
  return chosen;
}

function speaks({ languages }: CatalogueEntry, language: string | null): boolean {
  if (languages.length === 0) return true;
  // One language alone is no choice for a house of which nothing is known.
  return language === null ? languages.length > 1 : languages.includes(language);
}

function reasonFor(entry: CatalogueEntry, language: string | null, machine: Machine): string {
  const has = `${(machine.memoryBytes / 1e9).toFixed(0)} GB of memory and ${machine.cores} ${machine.cores === 1 ? 'core' : 'cores'}`;
  const fits = `This machine has ${has}; it takes ${entry.memory_gb} GB and ${entry.cores}.`;
  if (entry.languages.length === 0) return fits;
  const tongue =
    language === null ? null : new Intl.DisplayNames('en', { type: 'language' }).of(language);
  const others = entry.languages.length - 1;
  const spoken =
    tongue === null || tongue === undefined
      ? `It speaks ${entry.languages.length} languages.`
      : `It speaks ${tongue}${others > 0 ? ` and ${others} other${others === 1 ? '' : 's'}` : ''}.`;
  return `${spoken} ${fits}`;
}
