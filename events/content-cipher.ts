import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { deflateRaw, deflateRawSync, inflateRaw, inflateRawSync } from 'node:zlib';

/** Where a content belongs: it can be opened nowhere else. */
export type Place = { stream: string; version: number };

/** Bytes of JSON that one content may have. An hour of speech with word times has less than one million. */
export const contentBytesMax = 64 * 1024 * 1024;

/**
 * Content as it lies in a record: its JSON, compressed (RFC 1951), encrypted with AES-256-GCM and
 * bound to its place; base64 of 12 bytes of nonce, the ciphertext, and 16 bytes of tag.
 * @throws {RangeError} for more than `contentBytesMax`
 */
export async function sealContent(key: Buffer, place: Place, json: string): Promise<string> {
  const plain = Buffer.from(json);
  if (plain.length > contentBytesMax) {
    throw new RangeError(`content of ${plain.length} bytes is more than ${contentBytesMax}`);
  }
  const packed = plain.length > inlineBytesMax ? await deflate(plain) : deflateRawSync(plain);
  const nonce = randomBytes(nonceLength);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(boundTo(place));
  const parts = [nonce, cipher.update(packed), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat(parts).toString('base64');
}

/**
 * The content that was sealed: a promise where it is large enough to be worth another thread.
 * @throws {Error} (or rejects) when the key, the place or the bytes are not those it was sealed with
 */
export function openContent(key: Buffer, place: Place, sealed: string): unknown {
  const bytes = Buffer.from(sealed, 'base64');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceLength), {
    authTagLength: tagLength,
  });
  decipher.setAAD(boundTo(place));
  decipher.setAuthTag(bytes.subarray(-tagLength));
  const cipherText = bytes.subarray(nonceLength, -tagLength);
  const packed = Buffer.concat([decipher.update(cipherText), decipher.final()]);
  if (packed.length <= inlineBytesMax) {
    return JSON.parse(inflateRawSync(packed, inflateOptions).toString());
  }
  return inflate(packed, inflateOptions).then((plain) => JSON.parse(plain.toString()) as unknown);
}

/** Up to here (un)packing takes well under a millisecond: less than a detour over the thread pool. */
const inlineBytesMax = 32 * 1024;
const nonceLength = 12;
const tagLength = 16;
const inflateOptions = { maxOutputLength: contentBytesMax };
const deflate = promisify(deflateRaw);
const inflate = promisify<Buffer, { maxOutputLength: number }, Buffer>(inflateRaw);

/** No name of a stream has a line feed, so no two places read the same. */
const boundTo = ({ stream, version }: Place): Buffer => Buffer.from(`${stream}\n${version}`);
