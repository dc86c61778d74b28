import { aboutModel } from '../../words/models.ts';
import type { Sentence } from '../../words/params.ts';
import type { Machine } from '../../shared/machine.ts';
import type { CatalogueEntry } from './catalogue.ts';

/**
 * Which model of each purpose to take on this machine, by id, with the reason in a sentence. Of those that
 * speak the language and for which memory and cores suffice, the one of the highest rank.
 * @param language ISO 639-1 code; null when it is not known: then the model with the most languages counts
 */
export function recommended(
  entries: readonly CatalogueEntry[],
  language: string | null,
  { memoryBytes, cores }: Machine,
): Map<string, Sentence> {
  const memory = memoryBytes / 1e9;
  const chosen = new Map<string, Sentence>();
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

function reasonFor(
  { languages, memory_gb: needed }: CatalogueEntry,
  language: string | null,
  machine: Machine,
): Sentence {
  const fits = aboutModel('computer-fits', {
    memory: machine.memoryBytes,
    count: machine.cores,
    needed: needed * 1024 ** 3,
  });
  if (languages.length === 0 || language === null) return aboutModel('recommendation', { fits });
  return aboutModel('recommendation', { languages: spokenBy(languages.length, language), fits });
}

function spokenBy(count: number, language: string): Sentence {
  return count === 1
    ? aboutModel('language-one', { language })
    : aboutModel('language-and-others', { language, count: count - 1 });
}
