import { repeatedPairs } from '../../projections/corrections.ts';
import type { KnownWord } from '../../projections/known-words.ts';
import { foldedText } from '../../projections/recording/corrected-pairs.ts';
import { recordingById } from '../../projections/recordings.ts';
import type { ProjectionStorage } from '../../projections/runner/projection.ts';
import { foldName } from '../../projections/library.ts';

const suggestionsMax = 50;

/**
 * What a user corrected in several recordings, the last first, without what a word says already.
 * @param words their own, and those of the house
 */
export async function suggestedWords(
  storage: ProjectionStorage,
  owner: string,
  words: { own: readonly KnownWord[]; house: readonly KnownWord[] },
) {
  const said = new Set(
    [...words.own, ...words.house].flatMap(({ write, heard }) =>
      heard.flatMap((term) => [
        keyOf(write, term),
        // What a word puts there is not to be put back by another.
        keyOf(term, write),
      ]),
    ),
  );
  const pairs = (await repeatedPairs(storage, owner))
    .filter(({ write, heard }) => !said.has(keyOf(write, heard)))
    .slice(0, suggestionsMax);
  return await Promise.all(
    pairs.map(async ({ write, heard, recordings, lastAt: last_at, examples }) => ({
      write,
      heard,
      word:
        words.own.find((one) => one.folder === null && foldName(one.write) === foldName(write))
          ?.id ?? null,
      recordings,
      last_at,
      examples: await Promise.all(
        examples.map(async ({ recordingId, block }) => {
          const row = await recordingById(storage, recordingId);
          return { recording_id: recordingId, title: row?.title ?? row?.source ?? null, block };
        }),
      ),
    })),
  );
}

const keyOf = (write: string, heard: string): string =>
  JSON.stringify([foldedText(write), foldedText(heard)]);
