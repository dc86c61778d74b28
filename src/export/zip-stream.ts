import { type PassThrough, Readable, finished } from 'node:stream';

type Entry = {
  mtime: Date;
  /** It is compressed already. */
  stored?: true;
};

/** A zip file that is written as it is sent: each entry when the one before has been taken, so that none is held in memory. */
export interface ZipStream {
  readonly stream: Readable;
  /** Whether nobody takes it any more. */
  isClosed(): boolean;
  /** Resolves when the content has been taken, or never will be. */
  add(path: string, content: Buffer | string | Readable, entry: Entry): Promise<void>;
  end(): void;
}

/** Loaded with the first export: the service must not wait for it at the start. */
export async function openZipStream(): Promise<ZipStream> {
  const { ZipFile } = await import('yazl');
  const zip = new ZipFile();
  const stream = zip.outputStream as PassThrough;
  zip.on('error', (error: Error) => stream.destroy(error));
  return {
    stream,
    isClosed: () => stream.destroyed,
    async add(path, content, { mtime, stored }) {
      const source =
        content instanceof Readable ? content : Readable.from(Buffer.from(content), bytes);
      if (stream.destroyed) {
        source.destroy();
        return;
      }
      // Not as a buffer: the archive would hold what it has sent until its end.
      zip.addReadStream(source, path, { mtime, mode: 0o100_600, compress: stored !== true });
      await untilTaken(source, stream);
    },
    end: () => zip.end(),
  };
}

const bytes = { objectMode: false };

async function untilTaken(source: Readable, stream: PassThrough): Promise<void> {
  const leave = () => void source.destroy();
  stream.once('close', leave);
  await new Promise<void>((resolve) => finished(source, () => resolve()));
  stream.off('close', leave);
}
