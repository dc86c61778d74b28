import { X509Certificate, createPrivateKey } from 'node:crypto';
import { fieldFault } from '../words/field-faults.ts';
import { readFile, stat } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { messageOf } from './errors.ts';
import { check } from '../words/checks.ts';
import type { Sentence } from '../words/params.ts';

/** A certificate that fits its key, both as they were read. */
export type Certificate = {
  pem: { cert: Buffer; key: Buffer };
  /** Names and addresses it is for, as browsers compare them. */
  names: string[];
  validTo: Date;
};

/** What the service speaks: nothing of both while no certificate is wanted. */
export type EncryptionState = {
  /** The one that is used. */
  certificate: Certificate | null;
  /** Why the files that the settings name are not used. */
  problem: Sentence | null;
};

/**
 * Reads the files that `server.tls_cert` and `server.tls_key` name.
 * @returns also when they are not to be used: then with the reason
 */
export async function encryptionOf(
  certPath: string | null,
  keyPath: string | null,
): Promise<EncryptionState> {
  if (certPath === null && keyPath === null) return { certificate: null, problem: null };
  if (certPath === null || keyPath === null) {
    const [one, other] =
      certPath === null
        ? ['server.tls_key', 'server.tls_cert']
        : ['server.tls_cert', 'server.tls_key'];
    return { certificate: null, problem: check('certificate-half-set', { set: one, other }) };
  }
  try {
    return { certificate: await readCertificate(certPath, keyPath), problem: null };
  } catch (error) {
    // OpenSSL's words, such as “key values mismatch”, with their place in its sources before them.
    const why = messageOf(error).replace(/^error:[0-9A-F]+:/, '');
    return {
      certificate: null,
      problem: check('certificate-unusable', { cert: certPath, key: keyPath, cause: why }),
    };
  }
}

/**
 * What is wrong with a file that is to be used, as the end of a sentence that begins with the field; null: nothing. The
 * answer is the same for a file that is not there and for one that holds something else: nobody explores the host by it.
 */
export async function pemFault(
  path: string,
  kind: 'certificate' | 'private-key',
): Promise<Sentence | null> {
  try {
    const { size } = await stat(path).then((found) =>
      found.isFile() ? found : { size: Infinity },
    );
    if (size > pemBytesMax) throw new Error('no file of that kind');
    const pem = await readFile(path);
    if (!pem.includes('-----BEGIN ')) throw new Error('no PEM');
    readers[kind](pem);
    return null;
  } catch {
    return fieldFault(kind === 'certificate' ? 'not-a-certificate' : 'not-a-private-key');
  }
}

const readers = {
  certificate: (pem: Buffer) => new X509Certificate(pem),
  'private-key': (pem: Buffer) => createPrivateKey(pem),
};

/** A certificate with its chain is some kilobytes. */
const pemBytesMax = 1024 ** 2;

/** Changes when one of the files does; also when one is not there or cannot be looked at. */
export async function signatureOf(...paths: (string | null)[]): Promise<string> {
  const signs = paths.map(async (path) => {
    if (path === null) return '';
    const found = await stat(path).catch(() => null); // reading it says why
    return `${path} ${found?.ino} ${found?.size} ${found?.mtimeMs}`;
  });
  return (await Promise.all(signs)).join('\n');
}

/** @throws what reading and OpenSSL say */
async function readCertificate(certPath: string, keyPath: string): Promise<Certificate> {
  const [cert, key] = await Promise.all([readFile(certPath), readFile(keyPath)]);
  createSecureContext({ cert, key });
  // Of a chain the first is the service's own.
  const { subjectAltName = '', validTo } = new X509Certificate(cert);
  const names = subjectAltName
    .split(', ')
    .flatMap((name) => /^(?:DNS|IP Address):(.+)$/.exec(name)?.[1] ?? []);
  return { pem: { cert, key }, names, validTo: new Date(validTo) };
}
