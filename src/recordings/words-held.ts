import { houseId } from '../../events/facts/personal.ts';
import type { KnownWord } from '../../projections/known-words.ts';
import type { Personal } from '../../projections/personal.ts';
import { orderOf } from '../../projections/recording/order.ts';
import type { Recording } from '../../projections/recording/recording.ts';

/** The words that count in a recording, the most useful first. `owner`: whose it is where it does not say so itself. */
export type WordsOf = (recording: Recording, owner: string) => Promise<readonly KnownWord[]>;

/** Those of its folder, then the owner's for all recordings, then those of the house; of each those saved last first. */
export const openWords =
  (order: { of(userId: string): Promise<Pick<Personal, 'words'>> }): WordsOf =>
  async (recording, given) => {
    // It may be handed over while a stage is at work.
    const owner = recording.files.owner ?? given;
    const [own, house] = [await order.of(owner), await order.of(houseId)];
    const { folder } = orderOf(recording);
    const newestFirst = ({ words }: Pick<Personal, 'words'>) =>
      // Without its key a word is only an id.
      [...words.values()].filter(({ id, write }) => write !== id).toReversed();
    const mine = newestFirst(own);
    return [
      ...mine.filter((word) => folder !== null && word.folder === folder),
      ...mine.filter((word) => word.folder === null),
      ...newestFirst(house),
    ];
  };
