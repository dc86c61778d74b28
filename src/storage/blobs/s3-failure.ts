import { type BlobsErrorCode, BlobsError, away } from './blobs.ts';

/** What is sent. */
export type Sent = ({ bytes: Uint8Array } | { path: string; size: number }) & { sha256: string };

/** An error of the SDK, by what it says of itself. */
type Said = { name?: string; $metadata?: { httpStatusCode?: number; attempts?: number } };

/**
 * What a failed request means.
 * @returns {BlobsError}; what a condition or a missing object led to is still to be seen by `httpStatusOf` and `isMissing`
 */
export function s3Failure(error: unknown, where: string): unknown {
  if (error instanceof BlobsError) return error;
  const { name = '', $metadata } = error as Said;
  const status = $metadata?.httpStatusCode;
  if (name === 'NoSuchBucket') return refused(where, 'there is no such bucket', error);
  if (name === 'RequestTimeTooSkewed')
    return refused(where, 'the clock of this machine is more than 15 minutes off', error);
  if (name === 'CredentialsProviderError')
    return refused(
      where,
      'there are no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
      error,
    );
  if (status === 401 || status === 403)
    return refused(
      where,
      'it does not let us in: look at the credentials and what they may',
      error,
    );
  if (status === 404 || status === 409 || status === 412 || status === 501) return error;
  if (status !== undefined && status >= 300 && status < 500 && status !== 408 && status !== 429)
    return refused(where, `it answers ${status} ${name}`, error);
  const why = status === undefined ? `no answer (${name || 'network'})` : `it answers ${status}`;
  return away(where, why, error);
}

export const httpStatusOf = (error: unknown): number | undefined =>
  (error as Said).$metadata?.httpStatusCode;

/** How often the server was asked until it said so. */
export const attemptsOf = (error: unknown): number => (error as Said).$metadata?.attempts ?? 1;

export const isMissing = (error: unknown): boolean => httpStatusOf(error) === 404;
export const isConflict = (error: unknown): boolean => httpStatusOf(error) === 409;

const refused = (where: string, why: string, cause: unknown): BlobsError => {
  const code: BlobsErrorCode = 'BLOBS_REFUSED';
  return new BlobsError(code, `The blob store ${where} cannot be used: ${why}.`, { cause });
};
