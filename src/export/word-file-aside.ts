import type { DocumentsInput } from '../documents/documents.ts';
import { apart, forkApart } from '../shared/apart.ts';

/** A Word file that takes longer than this will not come any more; one of 24 h of talk takes seconds. */
const withinMs = 120_000;
/** Of the process's heap; text of hours is a few MB, and the library makes fifty times as much of it. */
const memoryMbMax = 1024;

/**
 * `wordFile` in a separate process: the library makes the whole file in one go, which for hours of
 * talk takes seconds in which no other request would be answered.
 * @throws {Error} what went wrong there, or that it took too long
 */
export async function wordFileAside(input: DocumentsInput): Promise<Buffer> {
  const before = await apart();
  return await new Promise((resolve, reject) => {
    const child = forkApart(before, 'src/export/word-file-process', {
      execArgv: [`--max-old-space-size=${memoryMbMax}`],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      timeout: withinMs,
      killSignal: 'SIGKILL',
    });
    child.once('message', (message) => {
      const { bytes, error } = message as { bytes?: Uint8Array; error?: unknown };
      if (bytes) resolve(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
      else reject(error instanceof Error ? error : new Error(String(error)));
    });
    child.once('error', reject);
    // Without effect when it has answered before.
    child.once('exit', (code, signal) =>
      reject(new Error(`making a Word file ended with ${signal ?? `code ${code}`}`)),
    );
    child.send(input, (error) => {
      if (error) reject(error);
    });
  });
}
