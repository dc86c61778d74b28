import { hasCode } from '../../shared/errors.ts';

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

/** Why a model could not be installed or removed: a sentence that says what to do. */
export class ModelError extends Error {
  override name = 'ModelError';
  readonly code: ModelErrorCode;
  constructor(code: ModelErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** @param room bytes, where they are known */
export function noRoom(room?: { free: number; needed: number }): ModelError {
  const figures = room
    ? ` It takes ${megabytes(room.needed)}, and ${megabytes(room.free)} are free.`
    : '';
  return new ModelError(
    'no-room',
    `There is no room on the disk for the model.${figures} Make room, or set MITSCHRIFT_MODELS to a folder on another disk; then install it again.`,
  );
}

/** What the system says of a full disk, as `noRoom`; anything else as it is. */
export const asNoRoom = (error: unknown): unknown =>
  hasCode(error, 'ENOSPC', 'EDQUOT') ? noRoom() : error;

const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1e6)} MB`;
