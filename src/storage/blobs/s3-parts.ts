import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  type CompletedPart,
  type S3Client,
  CreateMultipartUploadCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { dataFailure } from '../../words/data-failures.ts';
import { BlobsError } from './blobs.ts';

/** A bucket, and how it is asked. */
export type Bucket = {
  client: S3Client;
  /** For the request that makes parts one. */
  joining: S3Client;
  bucket: string;
  where: string;
  /** Within a time; what the server or the network says becomes `BlobsError`. */
  ask<T>(send: (options: { abortSignal: AbortSignal }) => Promise<T>, bytes?: number): Promise<T>;
};

/** One part is in memory at a time. */
const partBytesMin = 8 * 1024 ** 2;
/** S3 takes 10,000. */
const partsMax = 9_000;

/**
 * Sends a file in parts; nothing is there until all of it is.
 * @param conditions go with the last request, which makes it one object
 * @throws {BlobsError} `BLOBS_DIFFER`: the file changed meanwhile; what is refused or failed, with the parts given up
 */
export async function putInParts(
  { client, joining, ask }: Bucket,
  { Metadata, ...object }: { Bucket: string; Key: string; Metadata: Record<string, string> },
  { path, size, sha256 }: { path: string; size: number; sha256: string },
  conditions: { IfNoneMatch?: string; IfMatch?: string },
): Promise<void> {
  const begun = await ask((how) =>
    client.send(new CreateMultipartUploadCommand({ ...object, Metadata }), how),
  );
  const upload = { ...object, UploadId: begun.UploadId };
  try {
    const partBytes = Math.max(partBytesMin, Math.ceil(size / partsMax));
    const Parts: CompletedPart[] = [];
    const hash = createHash('sha256');
    for await (const Body of partsOf(path, partBytes)) {
      hash.update(Body);
      const PartNumber = Parts.length + 1;
      const part = { ...upload, PartNumber, Body, ContentLength: Body.length };
      const { ETag } = await ask(
        (how) => client.send(new UploadPartCommand(part), how),
        Body.length,
      );
      Parts.push({ PartNumber, ...(ETag === undefined ? {} : { ETag }) });
    }
    if (hash.digest('hex') !== sha256)
      throw new BlobsError('BLOBS_DIFFER', dataFailure('file-changing'));
    const all = { ...upload, ...conditions, MultipartUpload: { Parts } };
    // Joining them may take a server as long as copying them.
    await ask((how) => joining.send(new CompleteMultipartUploadCommand(all), how), size);
  } catch (error) {
    // What is not given up here, the bucket's rule for unfinished uploads removes; the first error counts.
    await ask((how) => client.send(new AbortMultipartUploadCommand(upload), how)).catch(() => {});
    throw error;
  }
}

async function* partsOf(path: string, partBytes: number): AsyncGenerator<Buffer, void, void> {
  const file = await open(path, 'r');
  try {
    for (let at = 0; ;) {
      const part = Buffer.alloc(partBytes);
      let length = 0;
      while (length < partBytes) {
        const { bytesRead } = await file.read(part, length, partBytes - length, at + length);
        if (bytesRead === 0) break;
        length += bytesRead;
      }
      if (length > 0) yield part.subarray(0, length);
      if (length < partBytes) return;
      at += length;
    }
  } finally {
    await file.close();
  }
}
