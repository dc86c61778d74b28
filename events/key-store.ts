import { hash } from 'node:crypto';
import type { Sentence } from '../src/words/params.ts';
import { messageFor, sentenceFor } from '../src/words/say.ts';

/** The keys that make content readable, one a subject. Kept outside the log so that they can be destroyed. */
export interface KeyStore {
  /**
   * The subject's key, made and durable when it did not exist.
   * @param isNew asked before one is made; false when something was sealed with a key that is lost
   * @throws {KeyError} `ERASED`, `DAMAGED`, `MISSING`
   */
  obtain(subject: string, isNew?: () => Promise<boolean>): Promise<Buffer>;
  /** The subject's key to read with; `'erased'` when it was destroyed on purpose. @throws {KeyError} `MISSING`, `DAMAGED` */
  find(subject: string): Promise<Buffer | 'erased'>;
  /** Destroys the key for good and lists the erasure; done when it returns. Twice is once. */
  forget(subject: string): Promise<void>;
  /** Destroys the keys that are there though they are listed as erased: a crash, or a copy that was put back. */
  finishErasures(): Promise<void>;
  /** Whether the subject's key was destroyed on purpose. */
  isErased(subject: string): boolean;
  /** Every erasure, oldest first. */
  erasures(): Promise<{ subject: string; at: string }[]>;
}

export type KeyErrorCode = 'ERASED' | 'MISSING' | 'DAMAGED';

export class KeyError extends Error {
  override name = 'KeyError';
  readonly code: KeyErrorCode;
  /** As of `EventStoreError`. */
  readonly sentence: Sentence | undefined;
  constructor(code: KeyErrorCode, said: string | Sentence, options?: { cause?: unknown }) {
    super(messageFor(said), options);
    this.sentence = sentenceFor(said);
    this.code = code;
  }
}

/**
 * A name for a text that has none of its words in it (SHA-256, hex): for keys of rows, which the
 * database's own files may hold long after the rows are gone.
 */
export const hashedKey = (text: string): string => hash('sha256', text, 'hex');
