import { detail } from '../words/details.ts';
import { inEnglish } from '../words/say.ts';

/** A document as it is stored, wherever that is. */
export type StoredDocument = {
  bytes: Buffer;
  /** Hex; also the strong ETag. */
  sha256: string;
  modifiedAt: Date;
};

/** A document longer than this is not one of ours and is not read. HTTP answers 413. */
export const documentBytesMax = 10 * 1024 * 1024;

export class OversizedDocument extends Error {
  override name = 'OversizedDocument';
  readonly code = 'DOCUMENT_TOO_LARGE';
  constructor() {
    super(inEnglish(detail('document-too-large', { limit: documentBytesMax })));
  }
}
