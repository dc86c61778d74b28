import { EventEmitter } from 'node:events';

/**
 * Tells who follows a captured file that no more comes into it. The log says so later: with the file's hash, which
 * takes the longer the longer people talked.
 */
export interface FileEnds {
  tell(recordingId: string): void;
  /** Calls back once; what was told before is not told again. Returns how to stop. */
  onEnd(recordingId: string, listener: () => void): () => void;
}

export function openFileEnds(): FileEnds {
  const events = new EventEmitter();
  return {
    tell: (recordingId) => void events.emit(recordingId),
    onEnd(recordingId, listener) {
      events.once(recordingId, listener);
      return () => events.off(recordingId, listener);
    },
  };
}
