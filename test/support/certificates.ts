import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { type RequestOptions, request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';

/** A certificate that trusts itself, for localhost and 127.0.0.1, made by openssl. @param options.days below 0: it has ended */
export async function selfSigned(
  folder: string,
  name: string,
  { days = 30, names = 'DNS:localhost,IP:127.0.0.1' } = {},
): Promise<{ cert: string; key: string }> {
  const [cert, key] = [join(folder, `${name}-cert.pem`), join(folder, `${name}-key.pem`)];
  const made = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const about = [
    '-days',
    String(Math.max(1, days)),
    '-subj',
    `/CN=${name}`,
    '-addext',
    `subjectAltName=${names}`,
  ];
  await promisify(execFile)('openssl', ['req', ...made, ...about, '-keyout', key, '-out', cert]);
  if (days < 1) {
    const ended = ['-days', String(days), '-in', cert, '-signkey', key, '-out', cert];
    await promisify(execFile)('openssl', ['x509', ...ended]);
  }
  return { cert, key };
}

/** Asks over https, and trusts one certificate alone. */
export async function askEncrypted(
  url: string,
  cert: string,
  options: Omit<RequestOptions, 'headers'> & {
    headers?: Record<string, string>;
    json?: unknown;
  } = {},
): Promise<{ status: number; headers: IncomingHttpHeaders; body: string; serial: string }> {
  const { json, headers, ...rest } = options;
  const ca = await readFile(cert);
  return await new Promise((resolve, reject) => {
    const type = json === undefined ? {} : { 'content-type': 'application/json' };
    const all = { ca, agent: false as const, ...rest, headers: { ...type, ...headers } };
    const asked = request(url, all, (answer) => {
      const { serialNumber } = (
        answer.socket as unknown as { getPeerCertificate(): { serialNumber: string } }
      ).getPeerCertificate();
      const { statusCode: status = 0, headers: said } = answer;
      text(answer).then(
        (body) => resolve({ status, headers: said, body, serial: serialNumber }),
        reject,
      );
    });
    asked.once('error', reject);
    asked.end(json === undefined ? undefined : JSON.stringify(json));
  });
}
