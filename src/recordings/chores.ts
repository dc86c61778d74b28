/**
 * Work on files that a fact promises and that a crash may leave undone. Noted durably before the fact
 * is stored, crossed out when done: what is still noted at a start is looked at again.
 */
export interface Chores {
  note(recordingId: string, chore: Chore): Promise<void>;
  done(recordingId: string, chore: Chore): Promise<void>;
  list(): Promise<{ recordingId: string; chore: Chore }[]>;
}

/**
 * `erase`: all of a recording. `delete-documents`: those its last `documents.deleted` names.
 * `keep-audio`: compressing or removing its audio, which documents were made of.
 */
export type Chore = Removal | 'keep-audio';
export type Removal = 'erase' | 'delete-documents';
