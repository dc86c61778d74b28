import { spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type TestContext } from 'node:test';
import { buffer } from 'node:stream/consumers';
import { createGzip } from 'node:zlib';
import { type Pack, pack } from 'tar-stream';
import { modelsDir } from './models.ts';

/** What a mirror does wrong with a file, one after the other; afterwards it serves it as it is. */
export type Fault =
  | 'cut'
  | 'flip'
  | 'too-long'
  | 'drip'
  | 'not-found'
  | 'broken'
  | 'redirect'
  | 'changed'
  | 'no-ranges'
  | 'silence'
  | 'no-length'
  | 'stalled';

export type ModelMirror = {
  address: string;
  /** What is asked of it: path, range and status, in order. */
  asked: { path: string; range: string | undefined; status: number }[];
  files: Map<string, Buffer>;
  /** What happens at the next requests for a file. */
  faults: Map<string, Fault[]>;
  /** Bytes of bodies sent. */
  sent(): number;
};

/** A server on the loopback with files of models under their own names. */
export async function modelMirror(t: TestContext): Promise<ModelMirror> {
  const files = new Map<string, Buffer>();
  const faults = new Map<string, Fault[]>();
  const asked: ModelMirror['asked'] = [];
  let sent = 0;
  const server = createServer((request, response) => {
    const name = decodeURIComponent((request.url ?? '').split('/').at(-1)!);
    const fault = faults.get(name)?.shift();
    const status = answer({ request, response, body: files.get(name), fault });
    asked.push({ path: request.url ?? '', range: request.headers.range, status });
    response.on('close', () => (sent += response.writableLength));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { address: `http://127.0.0.1:${port}/models/`, asked, files, faults, sent: () => sent };
}

function answer({
  request,
  response,
  body,
  fault,
}: {
  request: IncomingMessage;
  response: ServerResponse;
  body: Buffer | undefined;
  fault: Fault | undefined;
}): number {
  const status = (code: number): number => {
    response.writeHead(code, { 'content-type': 'text/plain' }).end();
    return code;
  };
  if (!body || fault === 'not-found') return status(404);
  if (fault === 'broken') return status(503);
  if (fault === 'redirect') {
    response.writeHead(302, { location: request.url!.replace('/models/', '/elsewhere/') }).end();
    return 302;
  }
  if (fault === 'silence') return 0;
  const etag = `"${createHash('sha256').update(body).digest('hex').slice(0, 16)}"`;
  const known =
    request.headers['if-range'] === etag && fault !== 'changed' && fault !== 'no-ranges';
  const from = known ? Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0) : 0;
  if (from > 0 && from >= body.length) return status(416);
  const part = Buffer.from(body.subarray(from));
  if (fault === 'flip') part[Math.floor(part.length / 2)]! ^= 1;
  const length = fault === 'too-long' ? part.length + 1000 : part.length;
  const code = from > 0 ? 206 : 200;
  response.writeHead(code, {
    etag,
    ...(fault === 'no-length' ? {} : { 'content-length': length }),
    ...(from > 0 ? { 'content-range': `bytes ${from}-${body.length - 1}/${body.length}` } : {}),
  });
  if (fault === 'cut') {
    response.write(part.subarray(0, part.length / 2), () => response.destroy());
  } else if (fault === 'stalled') {
    response.write(part.subarray(0, part.length / 2));
  } else if (fault === 'too-long') {
    response.write(part, () => response.destroy());
  } else if (fault === 'drip') {
    let at = 0;
    const drip = setInterval(() => response.write(part.subarray(at, (at += 1))), 5);
    response.on('close', () => clearInterval(drip));
  } else response.end(part);
  return code;
}

/** The files of a fixture model as an archive whose top folder has a name of its own. */
export const modelArchive = async (id: string, options?: { manifest?: boolean }): Promise<Buffer> =>
  await gzipped(await modelTar(id, options));

export async function modelTar(
  id: string,
  { manifest = false }: { manifest?: boolean } = {},
): Promise<Pack> {
  const top = `${id}-2026`;
  const folder = join(modelsDir, id);
  const { files } = JSON.parse(await readFile(join(folder, 'model.json'), 'utf8')) as {
    files: Record<string, unknown>;
  };
  const names = [...Object.keys(files), ...(manifest ? ['model.json'] : [])];
  const tar = pack();
  tar.entry({ name: `${top}/`, type: 'directory' });
  tar.entry({ name: `${top}/test_wavs/0.wav` }, Buffer.alloc(5000));
  for (const name of names)
    tar.entry({ name: `${top}/${name}` }, await readFile(join(folder, name)));
  tar.finalize();
  return tar;
}

export async function bzip2(tar: Pack): Promise<Buffer> {
  const child = spawn('bzip2', ['-c'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [bytes] = await Promise.all([
    buffer(child.stdout),
    pipeline(Readable.from(tar), child.stdin),
  ]);
  return bytes;
}

export async function gzipped(tar: Pack): Promise<Buffer> {
  const gzip = createGzip({ level: 1 });
  const [bytes] = await Promise.all([buffer(gzip), pipeline(Readable.from(tar), gzip)]);
  return bytes;
}

/** An entry of the house's own for a fixture model, whose files the mirror has. */
export async function offerModel(
  mirror: ModelMirror & { catalogueDir: string },
  id: string,
  source: { archive: string } | { base: '' },
  missing: string[] = [],
  files: Record<string, object> = {},
  changes: object = {},
): Promise<void> {
  const folder = join(modelsDir, id);
  const { files: all, ...manifest } = JSON.parse(
    await readFile(join(folder, 'model.json'), 'utf8'),
  ) as { files: Record<string, object> };
  const own =
    'archive' in source ? { archive: mirror.address + source.archive } : { base: mirror.address };
  if ('archive' in source) mirror.files.set(source.archive, await modelArchive(id));
  else
    for (const name of Object.keys(all)) mirror.files.set(name, await readFile(join(folder, name)));
  const described = {
    ...manifest,
    about: '',
    size: 2_000_000,
    memory_gb: 1,
    cores: 1,
    rank: 1,
    files: Object.fromEntries(Object.keys(all).map((name) => [name, files[name] ?? {}])),
    sources: [...missing.map((name) => ({ archive: mirror.address + name })), own],
    ...changes,
  };
  await writeFile(join(mirror.catalogueDir, `${id}.json`), JSON.stringify(described));
}
