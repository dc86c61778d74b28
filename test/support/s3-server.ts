import S3rver from 's3rver';
import { EventEmitter, once } from 'node:events';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mutex } from '../../src/shared/mutex.ts';
import { hasCode } from '../../src/shared/errors.ts';
import { type HasEnd, tempDir } from './temp-dir.ts';

/** A bucket on a server of the tests' own, on a loopback port. */
export type S3Server = {
  /** As the setting has it, of the bucket or of a prefix in it. */
  url(prefix?: string): string;
  /** What it does with the requests to come. */
  behave(how: Behaviour): void;
  /** Resolves when a request is held. */
  holds(): Promise<void>;
  /** Names of methods, of the requests that came since it was last asked. */
  asked(): string[];
};

/**
 * `busy`: 503. `hang`: no answer. `hold`: none until it is `well`. `break`: the connection ends behind the first piece of
 * a body. `cut`: the connection ends, after the work was done; `cut-join`: where parts are made one.
 */
export type Behaviour = 'well' | 'busy' | 'hang' | 'hold' | 'break' | 'cut' | 'cut-join';

const bucket = 'notes';

/**
 * s3rver, which knows no conditions: it overwrites on `If-None-Match: *`.
 * @param options.keepsConditions has what is in front of it keep to them, as AWS and Ceph do
 */
export async function s3Server(
  test: HasEnd,
  { keepsConditions = false }: { keepsConditions?: boolean } = {},
): Promise<S3Server> {
  process.env['AWS_ACCESS_KEY_ID'] = 'S3RVER';
  process.env['AWS_SECRET_ACCESS_KEY'] = 'S3RVER';
  const s3 = new S3rver({
    directory: await tempDir(test),
    silent: true,
    vhostBuckets: false,
    configureBuckets: [{ name: bucket }],
  });
  await s3.configureBuckets();
  const handle = s3.callback();
  const oneAtATime = mutex();
  let behaviour: Behaviour = 'well';
  let methods: string[] = [];
  const changes = new EventEmitter();
  const joined = new Set<string | null>();

  const etagOf = async (request: IncomingMessage): Promise<string | null> => {
    const path = decodeURIComponent(new URL(request.url!, 'http://s3').pathname);
    const key = path.slice(`/${bucket}/`.length);
    return await s3.store.getMetadata(bucket, key).then(
      ({ etag }) => etag,
      (error: unknown) => {
        if (hasCode(error, 'ENOENT')) return null;
        throw error;
      },
    );
  };
  const done = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const closed = once(response, 'close');
    handle(request, response);
    await closed;
  };
  const server = createServer((request, response) => {
    methods.push(request.method!);
    void answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  test.after(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: (prefix = '') => `s3://${bucket}/${prefix}?endpoint=http://127.0.0.1:${port}`,
    behave(how) {
      behaviour = how;
      changes.emit(how);
    },
    async holds() {
      await once(changes, 'held');
    },
    asked: () => methods.splice(0),
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { 'if-none-match': ifNone, 'if-match': ifMatch } = request.headers;
    switch (behaviour) {
      case 'busy':
        request.resume();
        response.writeHead(503).end();
        return;
      case 'hang':
        request.resume();
        return;
      case 'hold':
        changes.emit('held');
        await once(changes, 'well');
        break;
      case 'cut':
        behaviour = 'well';
        cutOff(response);
        break;
      case 'cut-join':
        if (joins(request) === null) break;
        behaviour = 'well';
        cutOff(response);
        break;
      case 'break':
        breakOff(response);
        break;
      case 'well':
        break;
    }
    if (joins(request) !== null) {
      if (joined.has(joins(request))) return refuse(request, response, 404, 'NoSuchUpload');
      joined.add(joins(request));
    }
    if (!keepsConditions || (ifNone ?? ifMatch) === undefined || request.method === 'GET') {
      await done(request, response);
      return;
    }
    await oneAtATime(async () => {
      const present = await etagOf(request);
      const isRefused = ifNone === undefined ? present !== ifMatch : present !== null;
      if (!isRefused) return await done(request, response);
      if (ifMatch !== undefined && present === null)
        return refuse(request, response, 404, 'NoSuchKey');
      refuse(request, response, 412, 'PreconditionFailed');
    });
  }
}

/** Of the request that makes parts one, of which upload they are; null: it is another one. */
const joins = ({ method, url }: IncomingMessage): string | null =>
  method === 'POST' ? new URL(url!, 'http://s3').searchParams.get('uploadId') : null;

function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  code: string,
): void {
  request.resume();
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code></Error>`;
  response.writeHead(status, { 'Content-Type': 'application/xml' }).end(body);
}

function cutOff(response: ServerResponse): void {
  response.end = function end() {
    response.destroy();
    return response;
  } as typeof response.end;
}

/** Sends the first piece of a body, then ends the connection. */
function breakOff(response: ServerResponse): void {
  const write = response.write.bind(response);
  response.write = function once(piece: Uint8Array | string) {
    write(piece);
    response.destroy();
    return true;
  } as typeof response.write;
}
