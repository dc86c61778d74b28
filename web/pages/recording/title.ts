/** What a note is called: by its title, its file, or when it began. */
import { computed } from 'nanostores';
import { titleOf } from '../../recording-bar/sentences.ts';
import type { Recording } from './turn-key.ts';

type Named = Pick<Recording, 'title' | 'source' | 'started_at'>;

export const noteTitle = computed(
  titleOf,
  (named) =>
    ({ title, source, started_at }: Named): string =>
      title ?? source ?? named({ title, startedAt: Date.parse(started_at) }),
);
