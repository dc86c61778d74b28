import type { SearchParts } from '../../src/search/search.ts';
import type { Readable } from '../../src/search/user-index.ts';

/** Where nothing is shared. */
export const ownAlone: Readable = {
  rightOf: async () => null,
  entries: async () => async () => [],
  signature: async () => '',
  nameOf: () => null,
};

/** A search of one's own by words: nothing is shared, and nothing finds by meaning. */
export const wordsAlone: Pick<SearchParts, 'readable' | 'meaning'> = {
  readable: ownAlone,
  meaning: {
    of: { isOn: () => false, ask: async () => null },
    passages: { read: async () => [] },
    onMade: () => {},
  },
};
