import { detail } from '../../words/details.ts';
import type { Context } from 'koa';
import { importedBy } from '../../../projections/commands.ts';
import { loadOnce } from '../../shared/package.ts';
import { callerOf } from '../middleware/authenticate.ts';
import { doneBefore, usedDifferently } from '../middleware/idempotency.ts';
import { refuseWhenStopped } from '../written.ts';
import {
  answerImported,
  sweepUploads,
  uploadCommandOf,
  uploadsDirOf,
} from '../uploads/receive-upload.ts';
import { limits } from '../limits.ts';
import { Problem, notFound } from '../problems.ts';
import type { openResumable } from '../uploads/resumable-uploads.ts';
import { uploadOwner } from '../../storage/uploads/unfinished-uploads.ts';
import type { RouteServices, HttpServices } from '../services.ts';
import {
  type RouteRequest,
  type RequestHeader,
  type RouteContext,
  perApp,
  routesOf,
} from '../route.ts';
import { uploaded } from '../openapi/recording-answers.ts';
import { toImport } from '../middleware/ready.ts';

const opened = perApp((services) =>
  loadOnce(async () => {
    const { openResumable } = await import('../uploads/resumable-uploads.ts');
    return openResumable(services);
  }),
);

const version: RequestHeader = {
  name: 'Tus-Resumable',
  description: '`1.0.0`',
  required: true,
};
const protocol = 'tus 1.0: https://tus.io/protocols/resumable-upload';
const offset = { 'Upload-Offset': 'Bytes that are there.', 'Upload-Expires': 'When it is over.' };

const route = routesOf({ tag: 'Recordings', needs: toImport });
const ofUpload = routesOf({ tag: 'Recordings', access: 'upload', needs: toImport });

/**
 * Resumable uploads by tus 1.0 (https://tus.io/protocols/resumable-upload). Creating one needs
 * a login; its address, which cannot be guessed, is the right to finish it, also when the session has
 * ended meanwhile. Its completion is `POST /recordings`: the last answer is that one's.
 */
export const tusRoutes = [
  route('options', '/uploads', {
    id: 'resumableUploads',
    summary: 'What of the protocol of resumable uploads is spoken here',
    description: protocol,
    answers: {
      204: {
        description: 'In headers.',
        headers: {
          'Tus-Version': '`1.0.0`',
          'Tus-Extension': 'Extensions of the protocol.',
          'Tus-Max-Size': 'Bytes an upload may have.',
        },
      },
    },
    async run({ ctx }, services) {
      const { store, maxBytes } = await opened(services)();
      ctx.set('Tus-Resumable', '1.0.0');
      ctx.set('Tus-Version', '1.0.0');
      ctx.set('Tus-Extension', store.extensions.join(','));
      ctx.set('Tus-Max-Size', String(maxBytes()));
    },
  }),
  route('post', '/uploads', {
    id: 'beginUpload',
    summary: 'Begins a resumable upload',
    description: protocol,
    headers: [
      version,
      { name: 'Upload-Length', description: 'Bytes of the file.' },
      { name: 'Upload-Defer-Length', description: '`1`: the length follows later.' },
      {
        name: 'Upload-Metadata',
        description:
          '`filename`, and the fields of `POST /recordings`, each with its value in Base64.',
      },
    ],
    answers: {
      201: { description: 'Begun.', headers: { Location: 'Its address, for PATCH.', ...offset } },
    },
    problems: [
      'malformed-request',
      'too-large',
      'invalid',
      'tus-version',
      'busy',
      'view-stopped',
      'space-limit',
    ],
    async run({ ctx }, services) {
      refuseWhenStopped(services);
      await beginUpload(ctx, services, await opened(services)());
    },
  }),
  ofUpload('head', '/uploads/{upload}', {
    id: 'lookAtUpload',
    summary: 'How much of it is there; all of it: a recording, and work goes on',
    hidden: true,
    answers: { 200: { description: 'In headers.', headers: offset } },
    run: continueUpload,
  }),
  ofUpload('patch', '/uploads/{upload}', {
    id: 'continueUpload',
    summary: 'Sends a piece of a resumable upload; the last one makes it a recording',
    description:
      'HEAD tells how much is there; of an upload that was complete when its end failed, it makes the recording, and is refused as PATCH is. The address is the right to send: no login is needed.',
    headers: [
      version,
      { name: 'Upload-Offset', description: 'Where the piece begins.', required: true },
      { name: 'Upload-Length', description: 'Bytes of the file, if it was not sent before.' },
    ],
    body: {
      mediaType: 'application/offset+octet-stream',
      description: 'Any number of bytes from there on.',
    },
    answers: {
      202: {
        description: 'That was all of it: a recording, and work goes on.',
        json: uploaded,
        headers: { Location: 'Path of the recording.', ...offset },
      },
      204: { description: 'Taken.', headers: offset },
    },
    problems: [
      'malformed-request',
      'wrong-offset',
      'upload-over',
      'tus-version',
      'too-large',
      'unsupported-media',
      'decoder-stalled',
      'invalid',
      'disk-full',
      'space-limit',
    ],
    command: true,
    run: continueUpload,
  }),
  ofUpload('delete', '/uploads/{upload}', {
    id: 'endUpload',
    summary: 'Gives a resumable upload up',
    headers: [version],
    answers: { 204: { description: 'Gone.' } },
    problems: ['malformed-request', 'tus-version', 'upload-over'],
    run: continueUpload,
  }),
];

/** Removes unfinished uploads that are over, now and as long as the process runs. */
export function sweepUploadsRegularly(
  services: Pick<HttpServices, 'unfinished' | 'storage' | 'dataDir' | 'log'>,
): void {
  const sweep = () =>
    void removeOver(services).catch((error: unknown) =>
      services.log.error({ err: error }, 'removing expired uploads failed'),
    );
  sweep();
  setInterval(sweep, limits.resumableSweepMs).unref();
}

async function removeOver({
  unfinished,
  storage,
  dataDir,
}: Pick<HttpServices, 'unfinished' | 'storage' | 'dataDir'>): Promise<void> {
  const before = new Date(Date.now() - limits.resumableMs);
  await unfinished.sweep(before);
  await sweepUploads(uploadsDirOf(dataDir), before);
  // Where a process died behind the fact, nobody may ask for the end any more.
  for (const { id } of await unfinished.underWay())
    if (await importedBy(storage, uploadCommandOf(id))) await unfinished.end(id);
}

/** As ids are made. */
const uploadId = /^[0-9a-f]{32}$/;

type Resumable = ReturnType<typeof openResumable>;

async function beginUpload(
  ctx: RouteContext,
  services: RouteServices,
  { maxBytes, answer }: Resumable,
): Promise<void> {
  const { userId } = callerOf(ctx.state);
  const { command, repeatable } = ctx.state;
  const { unfinished } = services;
  const begun = repeatable && command !== undefined ? await unfinished.begunBy(command) : null;
  if (begun) {
    // The other fields are forgotten with the end of the upload; of a length told later nothing was said.
    const told = ctx.get('Upload-Length');
    if (told !== '' && begun.info.size !== Number(told)) throw usedDifferently();
    ctx.set('Tus-Resumable', '1.0.0');
    ctx.set('Location', `/uploads/${begun.id}`);
    ctx.body = '';
    ctx.status = 201;
    return;
  }
  await doneBefore(services, ctx.state, { types: [] });
  const all = await unfinished.underWay();
  const mine = all.filter(({ info }) => uploadOwner(info) === userId);
  if (all.length >= limits.resumableMax || mine.length >= limits.resumablePerUserMax) {
    throw new Problem('busy', {
      said: detail('too-many-uploads-open'),
      headers: { 'Retry-After': '60' },
    });
  }
  const length = announcedLength(ctx);
  // The protocol refuses what is too long for any room.
  const coming = await services.space.admit(length > maxBytes() ? 0 : length, userId);
  try {
    await answer(ctx);
    coming.kept();
  } finally {
    coming.gone();
  }
}

async function continueUpload(
  { ctx, params: { upload: id } }: RouteRequest<'/{upload}'>,
  services: RouteServices,
): Promise<void> {
  const { answer } = await opened(services)();
  const { unfinished } = services;
  const info = uploadId.test(id) ? await unfinished.infoOf(id) : null;
  const { caller } = ctx.state;
  if (!info) throw notFound();
  const owner = uploadOwner(info);
  if (caller && caller.userId !== owner) throw notFound();
  ctx.set('Tus-Resumable', '1.0.0');
  const finished = await importedBy(services.storage, uploadCommandOf(id));
  if (finished && ctx.method !== 'DELETE') {
    // The answer got lost, or the service died before it: this is what it said.
    await unfinished.end(id);
    ctx.set('Upload-Offset', String(info.size));
    ctx.set('Upload-Length', String(info.size));
    await answerImported(ctx, services, finished);
    return;
  }
  if (ctx.method !== 'PATCH') {
    // Of what is complete clients ask for nothing more: they would take it for a recording.
    const isWhole = ctx.method === 'HEAD' && info.size === (await unfinished.bytesOf(id));
    if (isWhole) ctx.set('Upload-Length', String(info.size));
    await answer(ctx, { endAt: isWhole ? info.size : undefined });
    return;
  }
  if (!services.accounts.isActive(owner)) {
    throw notFound(detail('uploader-gone'));
  }
  await services.uploads.receive(ctx, owner, async () => {
    // What was begun without a length counts as it arrives, and stays when the connection breaks off.
    const rest = Math.max(0, announcedLength(ctx) - (await unfinished.bytesOf(id)));
    const coming = info.size === undefined ? await services.space.admit(rest, owner) : undefined;
    try {
      await answer(ctx, { coming });
    } finally {
      coming?.kept();
    }
  });
}

/** Bytes the upload is to have; 0 when that is not known yet, or not a number. */
const announcedLength = (ctx: Context): number => {
  const length = ctx.get('Upload-Length');
  return /^\d{1,15}$/.test(length) ? Number(length) : 0;
};
