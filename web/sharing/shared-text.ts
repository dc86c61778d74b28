/** With how many a note is shared, as its owner reads it. */
import { computed } from 'nanostores';
import { order } from '../order/order.ts';
import { words } from './words.ts';

type Shared = { folder: string | null; shared: number; links: number };

/** “shared with 2, folder shared with 1, 1 link”; null: with nobody. Somebody with both is in both numbers. */
export const sharedText = computed(
  [words, order],
  (said, known) =>
    ({ folder, shared, links }: Shared): string | null => {
      const byFolder = known?.folders.find(({ id }) => id === folder)?.shared ?? 0;
      const parts = [
        shared > 0 && said.sharedWith(shared),
        byFolder > 0 && said.sharedByFolder(byFolder),
        links > 0 && said.linkCount(links),
      ].filter(Boolean);
      return parts.length > 0 ? parts.join(', ') : null;
    },
);
