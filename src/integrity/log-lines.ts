import { createReadStream } from 'node:fs';
import * as z from 'zod';

/*
 * An exported log: JSON lines, UTF-8, each ended by a line feed. The first is the header, then one
 * line a fact by position: the record's own JSON, byte for byte, or with `content` opened when the
 * header says `decrypted`; then one line an erasure. Nothing in it depends on when it was exported.
 */

export const headerSchema = z.strictObject({
  /** Version of this format. */
  mitschrift_log: z.literal(1),
  /** The log's id. */
  log: z.string().min(1),
  /** Position of the last fact. */
  position: z.number().int().nonnegative(),
  decrypted: z.boolean(),
});
export type LogHeader = z.infer<typeof headerSchema>;

/** A subject whose key was destroyed on purpose: its content can be read by nobody any more. */
export const erasureLineSchema = z.strictObject({
  erasure: z.strictObject({ subject: z.string(), at: z.string() }),
});

/** Bytes of one line: more than any fact can take. */
export const lineBytesMax = 256 * 1024 * 1024;

/**
 * The lines of a file without their line feeds. Not `readline`: that also ends lines at U+2028, which
 * may stand in what people said.
 * @throws {Error} for a line over `lineBytesMax`, or a last line without its line feed: a torn file
 */
export async function* linesOf(path: string): AsyncGenerator<string, void, void> {
  const parts: Buffer[] = [];
  let length = 0;
  let line = 0;
  for await (const read of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
    let chunk = read as Buffer;
    for (;;) {
      const end = chunk.indexOf(0x0a);
      const part = end === -1 ? chunk : chunk.subarray(0, end);
      length += part.length;
      if (length > lineBytesMax) throw new Error(`Line ${line + 1} of ${path} is too long.`);
      parts.push(part);
      if (end === -1) break;
      line += 1;
      yield Buffer.concat(parts).toString();
      parts.length = 0;
      length = 0;
      chunk = chunk.subarray(end + 1);
    }
  }
  if (length > 0) throw new Error(`${path} ends in the middle of line ${line + 1}.`);
}
