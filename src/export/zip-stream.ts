import { type PassThrough, Readable, finished } from 'node:stream';

export type ZipEntry = {
  path: string;
  content: Buffer | string | Readable;
  mtime: Date;
  /** It is compressed already. */
  stored?: true;
};

/**
 * A zip file that is written as it is sent: each entry is asked for when the one before has been taken, so that none is held
 * in memory, and none where nobody takes it any more. An error of the entries cuts it off.
 */
export async function zipStream(
  entries: Iterable<ZipEntry> | AsyncIterable<ZipEntry>,
  onCutOff?: (error: unknown) => void,
): Promise<Readable> {
  // Loaded with the first export: the service must not wait for it at the start.
  const { ZipFile } = await import('yazl');
  const zip = new ZipFile();
  const stream = zip.outputStream as PassThrough;
  zip.on('error', (error: Error) => stream.destroy(error));
  const fill = async (): Promise<void> => {
    for await (const { path, content, mtime, stored } of entries) {
      const source =
        content instanceof Readable ? content : Readable.from(Buffer.from(content), bytes);
      if (stream.destroyed) source.destroy();
      else {
        // Before 1970 the archive has no times: yazl throws outside of every handler, which ends the process.
        const since1970 = new Date(Math.max(0, mtime.getTime()));
        const options = { mtime: since1970, mode: 0o100_600, compress: stored !== true };
        // Not as a buffer: the archive would hold what it has sent until its end.
        zip.addReadStream(source, path, options);
        await untilTaken(source, stream);
      }
      if (stream.destroyed) return;
    }
    zip.end();
  };
  fill().catch((error: unknown) => {
    onCutOff?.(error);
    stream.destroy(error as Error);
  });
  return stream;
}

const bytes = { objectMode: false };

async function untilTaken(source: Readable, stream: PassThrough): Promise<void> {
  const leave = () => void source.destroy();
  stream.once('close', leave);
  await new Promise<void>((resolve) => finished(source, () => resolve()));
  stream.off('close', leave);
}
