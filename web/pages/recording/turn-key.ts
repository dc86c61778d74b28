import type { Schema } from '../../client/api.ts';

export type Recording = Schema<'Recording'>;
export type Turn = Recording['utterances'][number];

/** What names a turn in the page, wherever it stands: its block; of one that is only recognised so far its place. */
export const turnKey = ({ block, index }: Pick<Turn, 'block' | 'index'>): string =>
  block ?? `#${index}`;
