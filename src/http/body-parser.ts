import { createRequire } from 'node:module';

/**
 * koa-body, loaded with the first body: it brings parsers of everything, and the start must not wait for them.
 * By `require`, in one go: as ES modules, while a recording that is taken up loads its own, Node 20.20 ran
 * formidable before what it imports, and kept that failure: every body was answered 500 until a restart.
 */
export function bodyParser(): typeof import('koa-body').koaBody {
  const { koaBody } = createRequire(import.meta.url)('koa-body') as typeof import('koa-body');
  return koaBody;
}
