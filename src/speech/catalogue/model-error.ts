import { SaidError, hasCode } from '../../shared/errors.ts';
import { modelFailure } from '../../words/models.ts';

/** Why a model could not be installed, as a stable slug. */
export type ModelErrorCode =
  | 'model-unknown'
  | 'not-installed'
  | 'download-failed'
  | 'no-room'
  | 'checksum-differs'
  | 'archive-unusable'
  | 'program-missing'
  | 'model-unusable';

/** Why a model could not be installed or removed, and what to do. */
export class ModelError extends SaidError<ModelErrorCode> {
  override name = 'ModelError';
}

/** @param room bytes, where they are known */
export const noRoom = (room: { free?: number; needed?: number } = {}): ModelError =>
  new ModelError('no-room', modelFailure('no-space-for-model', room));

/** What the system says of a full disk, as `noRoom`; anything else as it is. */
export const asNoRoom = (error: unknown): unknown =>
  hasCode(error, 'ENOSPC', 'EDQUOT') ? noRoom() : error;
