/** Each of the filters that are set: what it says, and the filter without it. */
import { computed } from 'nanostores';
import { order, tagsOf } from '../../../order/order.ts';
import { words as ordered } from '../../../order/words.ts';
import { dates } from '../../../words/i18n.ts';
import { words } from '../words.ts';
import { type Filter, tagIdsIn } from './filter.ts';

export type FilterPart = { key: string; filter: Filter; name: string };

export const filterParts = computed(
  [order, words, ordered, dates],
  (there, said, named, { day }) =>
    (filter: Filter): FilterPart[] => {
      const { kind, speaker, folder, tag, from, to } = filter;
      const dayOf = (date: string) => day(`${date}T00:00:00`);
      const folderName =
        there?.folders.find(({ id }) => id === folder)?.name ??
        (folder === 'none' ? named.noFolder : named.folderGone);
      const tagNames = tagsOf(there, tagIdsIn(filter)).map(({ name }) => name);
      const parts: (FilterPart | false)[] = [
        kind !== null && {
          key: 'kind',
          filter: { ...filter, kind: null },
          name: said[kind === 'solo' ? 'solos' : 'meetings'],
        },
        speaker !== null && {
          key: 'speaker',
          filter: { ...filter, speaker: null },
          name: said.speakerIs({ name: speaker }),
        },
        folder !== null && {
          key: 'folder',
          filter: { ...filter, folder: null },
          name: folderName,
        },
        tag !== null && {
          key: 'tag',
          filter: { ...filter, tag: null },
          name: tagNames.join(', '),
        },
        (from !== null || to !== null) && {
          key: 'dates',
          filter: { ...filter, from: null, to: null },
          name: said.dateRange({ from: from ? dayOf(from) : '…', to: to ? dayOf(to) : '…' }),
        },
      ];
      return parts.filter((part) => part !== false);
    },
);
