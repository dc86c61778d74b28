import type { Turn } from './recording.ts';

/** What names a turn in the page, wherever it stands: its block; of one that is only recognised so far its place. */
export const turnKey = ({ block, index }: Pick<Turn, 'block' | 'index'>): string =>
  block ?? `#${index}`;
