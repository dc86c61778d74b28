import { detail } from '../../words/details.ts';
import { fieldFault } from '../../words/field-faults.ts';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { basename, join } from 'node:path';
import type { Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import type { Context } from 'koa';
import { ulid } from 'ulid';
import { ifMissing, syncFile } from '../../shared/files.ts';
import { limits } from '../limits.ts';
import { Problem, invalid } from '../problems.ts';
import { sameAudioAs } from '../../../projections/library.ts';
import type { ProjectionStorage } from '../../../projections/runner/projection.ts';
import { statusName } from '../recording-answer.ts';
import { openCounts } from '../../shared/counts.ts';

type ReceivedUpload = {
  /** Absolute path of the received file, on disk for good (fsync). */
  path: string;
  /** The client's name for it: a plain file name, good for showing and for its extension only. */
  filename: string;
  fields: Record<string, string>;
};

/**
 * Receives a `multipart/form-data` body with one file, streamed into a new folder in `uploadsDir`,
 * hands it to `use`, and removes the folder whatever happened: `use` moves away what it keeps. A
 * connection that breaks off leaves nothing behind either.
 * @throws {Problem} 400, 413, 415, 422
 */
export async function receiveUpload<T>(
  ctx: Context,
  options: {
    uploadsDir: string;
    fileBytesMax: number;
    /** Called with the bytes of the file that have arrived; when it fails, no more are taken. */
    arrived?: Arrived;
  },
  use: (upload: ReceivedUpload) => Promise<T>,
): Promise<T> {
  if (!ctx.is('multipart/form-data')) {
    throw new Problem('unsupported-media', {
      said: detail('content-type-needed', { type: 'multipart/form-data' }),
    });
  }
  const { fileBytesMax } = options;
  if (Number(ctx.get('Content-Length')) > fileBytesMax + limits.uploadOverheadBytes) {
    throw tooLarge(fileBytesMax);
  }
  const folder = join(options.uploadsDir, ulid());
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    const received = await parseForm(ctx, folder, options);
    await syncFile(received.path);
    return await use(received);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** On the file system of the recordings, so that what is received can be moved there. */
export const uploadsDirOf = (dataDir: string): string => join(dataDir, 'uploads');

/**
 * Removes what uploads of dead processes left, of which nothing was ever acknowledged. Where nodes share the folder only what is
 * from before a moment: of later ones another node may be receiving more.
 */
export async function sweepUploads(uploadsDir: string, before: Date | null = null): Promise<void> {
  await mkdir(uploadsDir, { recursive: true, mode: 0o700 });
  for (const name of await readdir(uploadsDir)) {
    const folder = join(uploadsDir, name);
    const found = before && (await stat(folder).catch(ifMissing(null)));
    if (before === null || (found && found.mtime < before))
      await rm(folder, { recursive: true, force: true });
  }
}

type Arrived = ((bytes: number) => Promise<void>) | undefined;

async function parseForm(
  { req }: Context,
  folder: string,
  { fileBytesMax, arrived }: { fileBytesMax: number; arrived?: Arrived },
): Promise<ReceivedUpload> {
  const path = join(folder, 'file');
  const form = await openForm(req);
  let filename: string | undefined;
  let kept: Promise<void> | undefined;
  // Parts whose header it cannot read, busboy leaves out without a word: it alone counts them.
  const { _bparser: boundaries } = form as unknown as { _bparser: { matches: number } };
  let [parts, bodyBytes, fileBytes] = [0, 0, 0];
  let why: unknown;
  const giveUp = (error: unknown) => {
    if (!form.destroyed) why = error;
    form.destroy();
  };
  const tooMuch = () => giveUp(tooLarge(fileBytesMax));
  const fields = openFields(giveUp, tooMuch);
  async function* counted(content: AsyncIterable<Buffer>) {
    for await (const chunk of content) {
      fileBytes += chunk.length;
      if (fileBytes > fileBytesMax) throw tooLarge(fileBytesMax);
      await arrived?.(fileBytes);
      yield chunk;
    }
  }
  // What fails later than the first time is nobody's news, and without a listener ends the process.
  form.on('error', () => {});
  form.on('field', (name, value: string | undefined, { valueTruncated }) => {
    parts += 1;
    if (valueTruncated && name !== 'file') tooMuch();
    else fields.take(name, value);
  });
  form.on('file', (name: string | undefined, content, said) => {
    parts += 1;
    content.on('error', () => {});
    // Some send fields as bytes, which busboy takes for files: what makes a file is its name.
    if (name !== undefined && name !== 'file' && said.filename === undefined)
      return fields.takeFrom(name, content);
    // Given up, it goes on to the end of what has arrived.
    if (form.destroyed || filename !== undefined || name !== 'file')
      return giveUp(invalid([{ path: name ?? 'file', fault: fieldFault('one-file') }]));
    // As browsers write a quotation mark.
    filename = plainName((said.filename ?? '').replaceAll('%22', '"'));
    kept = pipeline(content, counted, createWriteStream(path));
    kept.catch(giveUp);
  });
  // Of a connection that has broken off already nothing is heard any more.
  if (req.destroyed) form.destroy();
  req.on('error', giveUp);
  req.on('data', (chunk: Buffer) => {
    bodyBytes += chunk.length;
    if (bodyBytes - fileBytes > limits.uploadOverheadBytes) tooMuch();
  });
  try {
    await finished(req.pipe(form)).catch((cause: unknown) => {
      throw why ?? unreadable(cause);
    });
    // Given up at its very end, it has finished all the same.
    if (why !== undefined) throw why;
    if (boundaries.matches !== parts + 1) throw unreadable();
    await kept;
  } finally {
    form.destroy();
    await kept?.catch(() => {});
  }
  if (filename === undefined) throw invalid([{ path: 'file', fault: fieldFault('field-missing') }]);
  return { path, filename, fields: fieldsOf(fields.given) };
}

/** Fields of a form, as many and as large as they may be; of more, `tooMuch` is told. */
function openFields(giveUp: (problem: Problem) => void, tooMuch: () => void) {
  const given = new Map<string, string[]>();
  let [count, bytes] = [0, 0];
  const take = (name: string, value: string | undefined) => {
    // It cannot be taken for a file any more: as text, it is read in part.
    if (name === 'file') return giveUp(invalid([{ path: name, fault: fieldFault('file-name') }]));
    // In a charset that nobody knows.
    if (value === undefined) return giveUp(new Problem('malformed-body'));
    count += 1;
    bytes += Buffer.byteLength(value);
    if (count > limits.uploadFieldsMax || bytes > limits.uploadFieldsBytesMax) return tooMuch();
    given.set(name, [...(given.get(name) ?? []), value]);
  };
  return {
    given,
    take,
    /** With the form, the content is bounded. */
    takeFrom(name: string, content: Readable) {
      const chunks: Buffer[] = [];
      content.on('data', (chunk: Buffer) => chunks.push(chunk));
      content.on('end', () => take(name, Buffer.concat(chunks).toString()));
    },
  };
}

/** @throws {Problem} 400 there is no boundary, or none that can be read */
async function openForm({ headers }: IncomingMessage) {
  // With the first upload: the start must not wait for it.
  const { default: busboy } = await import('busboy');
  const [, quoted, plain] = boundaryIn.exec(headers['content-type'] ?? '') ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) throw new Problem('malformed-body');
  try {
    return busboy({
      headers: { 'content-type': `multipart/form-data; boundary="${boundary}"` },
      defParamCharset: 'utf8',
      limits: { fieldSize: limits.uploadFieldsBytesMax + 1 },
    });
  } catch (cause) {
    throw new Problem('malformed-body', { cause });
  }
}

/** Clients leave out the quotation marks that `=` in it needs, and write `;` behind it; busboy takes neither. */
const boundaryIn = /;\s*boundary=(?:"([^"]+)"|([^\s";]+))/i;

function fieldsOf(given: ReadonlyMap<string, readonly string[]>): Record<string, string> {
  const fields = [...given].map(([name, values]) => {
    const [value = '', ...more] = values;
    if (more.length === 0) return [name, value];
    if (name === listField) return [name, JSON.stringify(values)];
    throw invalid([{ path: name, fault: fieldFault('field-twice') }]);
  });
  return Object.fromEntries(fields) as Record<string, string>;
}

/** Of this one a form has as many as there are names: as good as one with a JSON array. */
const listField = 'people';

/** Mostly for the name of the file, which busboy is strict about. */
const unreadable = (cause?: unknown): Problem =>
  new Problem('malformed-body', { said: detail('form-unreadable'), cause });

const tooLarge = (fileBytesMax: number): Problem =>
  new Problem('too-large', {
    said: detail('upload-too-large', { limit: fileBytesMax, fields: limits.uploadFieldsBytesMax }),
    headers: { Connection: 'close' },
  });

/** The last component, without what no file name should have. */
export function plainName(given: string): string {
  const name = basename(given.replaceAll('\\', '/'))
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, '')
    .trim()
    .slice(-200);
  return name === '' || name === '.' || name === '..' ? 'audio' : name;
}

/** The recording that an upload has become. */
export type ImportedUpload = { recordingId: string; state: string };

/** The command by which the log knows that an upload has become a recording. */
export const uploadCommandOf = (uploadId: string): string => `upload:${uploadId}`;

/** What `POST /recordings` answers. */
export async function answerImported(
  ctx: Context,
  { storage }: { storage: ProjectionStorage },
  { recordingId, state }: ImportedUpload,
): Promise<void> {
  ctx.set('Location', `/recordings/${recordingId}`);
  ctx.status = ctx.method === 'HEAD' ? 200 : 202;
  if (ctx.method === 'HEAD') return;
  ctx.body = {
    recording_id: recordingId,
    status: statusName(state),
    same_audio_as: await sameAudioAs(storage, recordingId),
  };
}

/** Uploads that are received at the same time: so many of all users, fewer of one, none too slow. */
export type UploadPlaces = {
  /**
   * Runs what receives the body of a request of a user.
   * @throws {Problem} 503 `busy` when all places are taken; 408 `too-slow`, after which `receive` ends
   *   with the connection
   */
  receive(ctx: Context, userId: string, receive: () => Promise<void>): Promise<void>;
};

export function openUploadPlaces(): UploadPlaces {
  const byUser = openCounts();
  let all = 0;
  return {
    async receive(ctx, userId, receive) {
      if (byUser.of(userId) >= limits.uploadsPerUserMax) throw busy('too-many-uploads-yours');
      if (all >= limits.uploadsAtOnceMax) throw busy('too-many-uploads');
      all += 1;
      byUser.add(userId);
      const received = receive().finally(() => {
        all -= 1;
        byUser.remove(userId);
      });
      await fastEnough(ctx, received);
    },
  };
}

const busy = (code: 'too-many-uploads' | 'too-many-uploads-yours'): Problem =>
  new Problem('busy', { said: detail(code), headers: { 'Retry-After': '30' } });

/** Ends the wait for a body that arrives below `uploadBytesPerSecondMin`. */
async function fastEnough(ctx: Context, received: Promise<void>): Promise<void> {
  const { req } = ctx;
  let before = req.socket.bytesRead;
  let timer: NodeJS.Timeout | undefined;
  const slow = new Promise<never>((_, reject) => {
    timer = setInterval(() => {
      const { bytesRead } = req.socket;
      const least = (limits.uploadBytesPerSecondMin * limits.uploadSpeedMs) / 1000;
      // What has arrived and waits is not the client's slowness: we cannot put it away that fast.
      if (!req.complete && req.readableLength === 0 && bytesRead - before < least) {
        const problem = tooSlow();
        reject(problem);
        // Who reads the body hears it here, and gives up.
        if (req.listenerCount('error') > 0) req.emit('error', problem);
      }
      before = bytesRead;
    }, limits.uploadSpeedMs).unref();
  });
  await Promise.race([received, slow]).finally(() => clearInterval(timer));
}

const tooSlow = (): Problem =>
  new Problem('too-slow', {
    said: detail('upload-slow', { least: limits.uploadBytesPerSecondMin }),
    headers: { Connection: 'close' },
  });
