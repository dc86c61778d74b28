import { Router, type Layer, type RouterMiddleware } from '@koa/router';
import type { State } from './state.ts';

/**
 * The routes of a router, found by the first segment of the path: the router compares a path with every
 * route it has, which for ninety of them takes longer than most answers. What the routes are, and what is
 * told of those that matched, stays the router's own.
 */
export function bySegment(all: Router<State>): RouterMiddleware<State> {
  const anywhere = (layer: Layer) => segmentOf(layer.path) === undefined;
  const routers = new Map<string, RouterMiddleware<State>>();
  for (const layer of all.stack as Layer[]) {
    const segment = segmentOf(layer.path);
    if (segment === undefined || routers.has(segment)) continue;
    // In their order, for the first that matches answers.
    const layers = (all.stack as Layer[]).filter(
      (other) => anywhere(other) || segmentOf(other.path) === segment,
    );
    routers.set(segment, routesOf(all, layers));
  }
  const rest = routesOf(all, (all.stack as Layer[]).filter(anywhere));
  const find: RouterMiddleware<State> = (ctx, next) => {
    const end = ctx.path.indexOf('/', 1);
    const segment = end === -1 ? ctx.path.slice(1) : ctx.path.slice(1, end);
    return (routers.get(segment) ?? rest)(ctx, next);
  };
  return Object.assign(find, { router: all });
}

function routesOf(all: Router<State>, layers: Layer[]): RouterMiddleware<State> {
  const router = new Router<State>(all.opts);
  router.stack.push(...(layers as typeof router.stack));
  return router.routes();
}

/** The first segment that every path of a route has; undefined: it may have any. */
function segmentOf(path: string | RegExp): string | undefined {
  if (typeof path === 'string') return /^\/([\w.-]*)(?=\/|$)/.exec(path)?.[1];
  return /^\^\\\/([\w-]*)(?=\\\/|\$$)/.exec(path.source)?.[1];
}
