import { sizeText } from './size-text.ts';

/** What was about to come in has no place within `limits.spaces_gb`. HTTP answers 507. */
export class SpaceLimitReached extends Error {
  override name = 'SpaceLimitReached';
  readonly code = 'SPACE_LIMIT_REACHED';
  readonly takenBytes: number;
  readonly limitBytes: number;
  /** @param bytes of what was about to come in; 0 when nobody knows */
  constructor({ taken, limit, bytes }: { taken: number; limit: number; bytes: number }) {
    const more = bytes > 0 ? `, and this would be ${sizeText(bytes)} more` : '';
    super(
      `Documents, recordings and uploads of all users take ${sizeText(taken)} of the ` +
        `${sizeText(limit)} they may (limits.spaces_gb)${more}. ${whatToDo}`,
    );
    this.takenBytes = taken;
    this.limitBytes = limit;
  }
}

/** For whoever reads that the limit is reached. */
export const whatToDo = 'Delete recordings, or have an administrator raise the limit.';
