import * as z from 'zod';
import type { Readable } from 'node:stream';

/**
 * Resumable uploads until they are complete, and for a while the memory of those that became recordings. They survive
 * restarts. Their ids cannot be guessed. Every function but `put` is about an upload that may be unknown.
 */
export interface UnfinishedUploads {
  /** Begins an upload, or changes what is known of it. */
  put(id: string, info: UploadInfo): Promise<void>;
  /** `isOver`: it is complete, and only remembered; null: there is no such upload. */
  infoOf(id: string): Promise<(UploadInfo & { isOver: boolean }) | null>;
  /** The upload that a command began, complete or not; null: none that is known. */
  begunBy(command: string): Promise<{ id: string; info: UploadInfo } | null>;
  /** How many bytes are there without a hole. */
  bytesOf(id: string): Promise<number>;
  /**
   * Adds the bytes of a stream behind `offset`, where the upload ends; of a connection that breaks off what has arrived.
   * @returns where the upload ends now @throws what the stream throws; {BlobsError}, the system's errors
   */
  append(id: string, offset: number, bytes: Readable): Promise<number>;
  /** Works with all bytes of one that is complete, in a file of this machine that may be moved away, on the disk for good. */
  withFile<T>(id: string, work: (path: string) => Promise<T>): Promise<T>;
  /** Of one that became a recording only `rememberedOf` is kept, until it is swept: names and titles may be erased. */
  end(id: string): Promise<void>;
  /** Nothing of it is left; twice is once. The last to go is what makes it known. */
  remove(id: string): Promise<void>;
  /** All that are not complete, with how many bytes are there. */
  underWay(): Promise<UploadUnderWay[]>;
  /** Removes uploads, and the memory of them, that began before then. @returns how many files that were */
  sweep(before: Date): Promise<number>;
}

export type UploadUnderWay = { id: string; info: UploadInfo; bytes: number };

const uploadInfoSchema = z.object({
  /** `owner`: whose it is; `command`: that began it, if it can be repeated; all else is what the client says of the file. */
  metadata: z.record(z.string(), z.string().nullable()).default({}),
  /** Bytes; absent while the client has not said. */
  size: z.number().optional(),
  /** RFC 3339. */
  creation_date: z.string().optional(),
});

/** What was said of an upload. */
export type UploadInfo = z.infer<typeof uploadInfoSchema>;

/** Null: it is not as it was written, and the upload has to be begun again. */
export function parseUploadInfo(text: string): UploadInfo | null {
  try {
    return uploadInfoSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** What stays known of an upload that became a recording: none of its words. */
export const rememberedOf = ({ metadata, size, creation_date }: UploadInfo): UploadInfo => ({
  metadata: { owner: uploadOwner({ metadata }), command: metadata['command'] ?? null },
  size,
  creation_date,
});

/** The user whose upload it is; empty where that was not said. */
export const uploadOwner = ({ metadata }: Pick<UploadInfo, 'metadata'>): string =>
  metadata['owner'] ?? '';

/**
 * Removes the unfinished uploads of some users, with the names of their files. One that another connection is sending to
 * meanwhile is refused at its next piece.
 * @returns how many there were
 */
export async function removeUploadsOf(
  owners: ReadonlySet<string>,
  uploads: Pick<UnfinishedUploads, 'underWay' | 'remove'>,
): Promise<number> {
  if (owners.size === 0) return 0;
  const theirs = (await uploads.underWay()).filter(({ info }) => owners.has(uploadOwner(info)));
  for (const { id } of theirs) await uploads.remove(id);
  return theirs.length;
}
