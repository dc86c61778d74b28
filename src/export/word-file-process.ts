import type { DocumentsInput } from '../documents/documents.ts';
import { wordFile } from './word-file.ts';

// Started by `word-file-aside.ts`, which sends the input; the one answer is the file, or why there is none.
process.once('message', (input) => {
  wordFile(input as DocumentsInput).then(
    (bytes) => answer({ bytes: new Uint8Array(bytes) }),
    (error: unknown) => answer({ error }),
  );
});

/** It has a parent, which forked it. */
const answer = (message: object) => process.send!(message, () => process.disconnect());
