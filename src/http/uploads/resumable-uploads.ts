import { detail } from '../../words/details.ts';
import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { ReadableStream } from 'node:stream/web';
import type { Readable } from 'node:stream';
import { ERRORS, Server, Upload, DataStore } from '@tus/server';
import type { Context } from 'koa';
import { hasCode } from '../../shared/errors.ts';
import type { AcceptedAudio } from '../../audio/accepts-audio.ts';
import { speechBytesBeyond } from '../../audio/speech-file.ts';
import { callerOf } from '../middleware/authenticate.ts';
import { refuseWhenStopped, untilReadable } from '../written.ts';
import {
  type ImportedUpload,
  answerImported,
  uploadCommandOf,
  plainName,
} from './receive-upload.ts';
import { validated } from '../body.ts';
import { folderGiven, folderLeft } from '../order-changes.ts';
import { limits } from '../limits.ts';
import { Problem, notFound } from '../problems.ts';
import { uploadLocks } from './upload-locks.ts';
import { type Admission, SpaceLimitReached } from '../../storage/quota.ts';
import type { RouteServices } from '../services.ts';
import type { State } from '../state.ts';
import { fieldsSchema } from '../routes/uploads.ts';
import type { UnfinishedUploads } from '../../storage/uploads/unfinished-uploads.ts';

/**
 * Resumable uploads by tus 1.0. The protocol is the package's; errors, rights and what becomes of the
 * file are ours.
 */
export function openResumable(services: RouteServices) {
  const store = new TusStore(services.unfinished);
  const maxBytes = () => services.settings()['limits.upload_mb'] * 1024 * 1024;
  const contexts = new WeakMap<Request, Exchange>();
  const server = new Server({
    path: '/uploads',
    datastore: store,
    locker: uploadLocks(services.ownership),
    // For what has arrived of a connection that has to let go.
    lockDrainTimeout: limits.resumableDrainMs,
    relativeLocation: true,
    maxSize: maxBytes,
    allowedOrigins: () => false,
    namingFunction: () => randomBytes(16).toString('hex'),
    getFileIdFromRequest: (request) => /\/([0-9a-f]{32})$/.exec(request.url)?.[1],
    async onUploadCreate(request, { metadata }) {
      const { state } = exchange(request).ctx;
      // Refused now, not after hours of uploading.
      const { folder } = fieldsOf(metadata ?? {});
      folderGiven(folder, await services.order.of(callerOf(state).userId));
      const { command } = state.repeatable ? state : {};
      return {
        metadata: { ...metadata, owner: callerOf(state).userId, command: command ?? null },
      };
    },
    async onUploadFinish(request, upload) {
      exchange(request).imported = await importUpload(upload, services);
      return {};
    },
    onResponseError(request, error) {
      exchange(request).error = error;
      return undefined;
    },
  });
  return { store, maxBytes, answer };

  function exchange(request: object): Exchange {
    return contexts.get(request as Request)!;
  }

  /**
   * @param how.coming what the body is counted into as it arrives
   * @param how.endAt all bytes of the upload are there, so many: it is asked for its end, whatever the method
   */
  async function answer(
    ctx: KoaContext,
    how: { coming?: Admission | undefined; endAt?: number | undefined } = {},
  ): Promise<void> {
    const mine: Exchange = { ctx, coming: how.coming, endAt: how.endAt };
    const request = webRequest(mine);
    contexts.set(request, mine);
    const response = await server.handleWeb(request);
    for (const [name, value] of response.headers) {
      if (passedOn.has(name)) ctx.set(name, value);
    }
    if (mine.refused !== undefined) throw mine.refused;
    if (mine.error !== undefined || response.status >= 400) {
      throw asProblem(mine.error, response.status, maxBytes());
    }
    if (mine.imported) {
      await answerImported(ctx, services, mine.imported);
      return;
    }
    // Everything is said in headers.
    ctx.body = '';
    ctx.status = response.status;
  }
}

type KoaContext = Context & { state: State };

type Exchange = {
  ctx: KoaContext;
  coming: Admission | undefined;
  endAt: number | undefined;
  /** Why no more of the body is taken. */
  refused?: unknown;
  error?: unknown;
  imported?: ImportedUpload;
};

const passedOn = new Set([
  'location',
  'tus-resumable',
  'upload-offset',
  'upload-length',
  'upload-defer-length',
  'upload-expires',
]);

/** A complete upload takes the same way as a file of a form; what is refused for good is removed. */
async function importUpload(
  { id, metadata = {} }: Upload,
  services: RouteServices,
): Promise<ImportedUpload> {
  const fields = fieldsOf(metadata);
  const { owner } = fields;
  const { unfinished } = services;
  refuseWhenStopped(services);
  if (!services.accounts.isUser(owner)) {
    await unfinished.remove(id);
    throw notFound(detail('uploader-gone'));
  }
  if (!services.accounts.isActive(owner)) throw notFound(detail('uploader-gone'));
  return await unfinished.withFile(id, (path) => importFile({ id, path, fields }, services));
}

async function importFile(
  { id, path, fields: said }: { id: string; path: string; fields: ReturnType<typeof fieldsOf> },
  services: RouteServices,
): Promise<ImportedUpload> {
  const { filename, owner, started_at, modified_at, usual_kind: usualKind, ...fields } = said;
  const { size: bytes } = await stat(path);
  let audio: AcceptedAudio;
  try {
    audio = await services.acceptsAudio(path);
  } catch (error) {
    if (hasCode(error, 'unsupported-media')) await services.unfinished.remove(id);
    throw error;
  }
  // The file itself was let in when it was announced, or as it arrived.
  const later = speechBytesBeyond({ bytes, seconds: audio.seconds });
  const coming = later > 0 ? await services.space.admit(0, owner) : null;
  try {
    await coming?.becomes(0, { later });
    refuseWhenStopped(services);
    const accepted = await services.recordingService.importAudio({
      path,
      filename,
      owner,
      by: owner,
      command: uploadCommandOf(id),
      ...fields,
      usualKind,
      folder: folderLeft(fields.folder, await services.order.of(owner)),
      began: { said: started_at, madeAt: audio.madeAt, modifiedAt: modified_at },
    });
    coming?.kept();
    await services.unfinished.end(id);
    await untilReadable(services, accepted);
    return accepted;
  } finally {
    coming?.gone();
  }
}

/** @throws {Problem} 422. Clients add other metadata (`filetype`, …), which is ignored. */
function fieldsOf(metadata: Record<string, string | null>) {
  // A name without a value comes as null.
  const given = Object.keys(fieldsSchema.shape).flatMap((name) =>
    metadata[name] ? [[name, metadata[name]] as const] : [],
  );
  return {
    ...validated(fieldsSchema, Object.fromEntries(given)),
    filename: plainName(metadata['filename'] ?? ''),
    owner: metadata['owner'] ?? '',
  };
}

/** The request as the package wants it. A body of another request than PATCH is left unread. */
function webRequest(mine: Exchange): Request {
  const { ctx } = mine;
  const headers = new Headers();
  for (const [name, value] of Object.entries(ctx.req.headers)) {
    if (typeof value === 'string' && forwarded.test(name)) headers.set(name, value);
  }
  const { path } = ctx;
  const method = mine.endAt === undefined ? ctx.method : 'PATCH';
  if (mine.endAt !== undefined) {
    headers.set('upload-offset', String(mine.endAt));
    headers.set('content-type', 'application/offset+octet-stream');
  } else if (method !== 'PATCH') headers.delete('content-type');
  const body =
    method === 'PATCH' ? { body: ReadableStream.from(counted(mine)), duplex: 'half' } : {};
  return new Request(`http://localhost${path}`, { method, headers, ...body } as RequestInit);
}

/** The body, as long as there is room for what arrives. */
async function* counted(mine: Exchange): AsyncGenerator<Buffer> {
  let bytes = 0;
  try {
    // The answer goes out over the same connection.
    const chunks: AsyncIterable<Buffer> = mine.ctx.req.iterator({ destroyOnReturn: false });
    for await (const chunk of chunks) {
      bytes += chunk.length;
      await mine.coming?.arrived(bytes);
      yield chunk;
    }
  } catch (error) {
    if (error instanceof Problem || error instanceof SpaceLimitReached) mine.refused = error;
    throw error;
  }
}

const forwarded = /^(?:tus-|upload-|content-(?:type|length)$)/;

function asProblem(error: unknown, status: number, bytesMax: number): unknown {
  if (error instanceof Error) return error;
  if (error === ERRORS.INVALID_CONTENT_TYPE) {
    const type = 'application/offset+octet-stream';
    return new Problem('unsupported-media', { said: detail('content-type-needed', { type }) });
  }
  switch (status) {
    case 404:
      return notFound();
    case 409:
      return new Problem('wrong-offset');
    case 410:
      return new Problem('upload-over');
    case 412:
      return new Problem('tus-version', { headers: { 'Tus-Version': '1.0.0' } });
    case 413:
      return new Problem('too-large', {
        said: detail(
          error === ERRORS.ERR_SIZE_EXCEEDED ? 'more-than-announced' : 'file-too-large',
          { limit: bytesMax },
        ),
        headers: { Connection: 'close' },
      });
    default:
      return error === ERRORS.ERR_LOCK_TIMEOUT
        ? new Problem('busy', {
            said: detail('upload-elsewhere'),
            headers: { 'Retry-After': '5' },
          })
        : new Problem('malformed-request', { said: detail('not-an-upload') });
  }
}

/** Unfinished uploads, as the package wants them. */
class TusStore extends DataStore {
  /** Without creation-with-upload: an upload would be complete before its address is known. */
  override extensions = ['creation', 'creation-defer-length', 'termination', 'expiration'];
  readonly #uploads: UnfinishedUploads;

  constructor(uploads: UnfinishedUploads) {
    super();
    this.#uploads = uploads;
  }

  override async create(upload: Upload): Promise<Upload> {
    const { id, metadata = {}, size, creation_date } = upload;
    await this.#uploads.put(id, { metadata, size, creation_date });
    return upload;
  }

  override async getUpload(id: string): Promise<Upload> {
    const { metadata, size, creation_date } = await this.#underWay(id);
    return new Upload({
      id,
      offset: await this.#uploads.bytesOf(id),
      metadata,
      ...(size === undefined ? {} : { size }),
      ...(creation_date === undefined ? {} : { creation_date }),
    });
  }

  override async declareUploadLength(id: string, size: number): Promise<void> {
    const { metadata, creation_date } = await this.#underWay(id);
    await this.#uploads.put(id, { metadata, size, creation_date });
  }

  override write(bytes: Readable, id: string, offset: number): Promise<number> {
    return this.#uploads.append(id, offset, bytes);
  }

  override async remove(id: string): Promise<void> {
    await this.#underWay(id);
    await this.#uploads.remove(id);
  }

  override getExpiration(): number {
    return limits.resumableMs;
  }

  /** @throws as the package wants it */
  async #underWay(id: string) {
    const info = await this.#uploads.infoOf(id);
    if (!info) throw ERRORS.FILE_NOT_FOUND;
    if (info.isOver) throw ERRORS.FILE_NO_LONGER_EXISTS;
    return info;
  }
}
