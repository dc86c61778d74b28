/** What the person who looks at a note may do with it. Pages take it from here; the service refuses the rest. */
import type { Schema } from '../client/api.ts';

type Access = Schema<'Recording'>['access'];

export type May = {
  hear: boolean;
  /** Title, names, passages, summary; and see earlier versions. */
  correct: boolean;
  /** Everything else: file it, write side notes, process it again, share, delete. */
  own: boolean;
};

/** By whose it is, and by what its owner gives. */
export const mayOf = ({ access }: { access: Access }): May => ({
  hear: access === null || access.audio,
  correct: access === null || access.role === 'correct',
  own: access === null,
});

/** Whether it is written, so that there is something to correct. Only its owner is told where the documents lie. */
export const isWritten = ({
  access,
  documents,
  version,
}: Pick<Schema<'Recording'>, 'access' | 'documents' | 'version'>): boolean =>
  documents !== null || (access !== null && version > 0);
