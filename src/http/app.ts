import { type Layer, Router, type RouterMiddleware } from '@koa/router';
import Koa from 'koa';
import { answerPage, answerSharedPage } from './app-pages.ts';
import { authenticate } from './middleware/authenticate.ts';
import { compressAnswers } from './middleware/compress.ts';
import { rememberAnswers } from './middleware/idempotency.ts';
import { answerProblems } from './middleware/problems.ts';
import { untilReady } from './middleware/ready.ts';
import { requestLog } from './middleware/request-log.ts';
import { checkHost, hostsOf, securityHeaders } from './middleware/security.ts';
import { Problem, notFound, onlyWorks } from './problems.ts';
import { type Route, answerBy, isRepeatable } from './route.ts';
import { routes } from './routes.ts';
import { sweepUploadsRegularly } from './routes/tus.ts';
import type { HttpServices, RouteServices } from './services.ts';
import type { State } from './state.ts';
import { openTickets } from './tickets.ts';
import { isOpenLink } from './open-links.ts';
import { openUploadPlaces } from './uploads/receive-upload.ts';

/**
 * The HTTP interface. The order of what happens to a request is the order of the lines: first what must
 * be true of every answer, then what its route asks for (`addRoute`).
 */
export function createApp(services: HttpServices): Koa<State> {
  const app = new Koa<State>();
  app.use(requestLog(services.log, services.metrics));
  app.use(securityHeaders());
  app.use(answerProblems(services));
  app.use(compressAnswers());
  app.use(checkHost(hostsOf(services)));
  if (!services.standing.serves) app.use(onlyFigures);
  const tickets = openTickets(services.accounts, services.kept, (link) =>
    isOpenLink(services, link),
  );
  const parts = { ...services, tickets, uploads: openUploadPlaces() };
  app.use(async (ctx, next) => {
    if (!(await answerSharedPage(ctx))) await next();
  });
  app.use(answerByRoute(parts));
  app.use(async (ctx, next) => {
    if (await answerPage(ctx)) return;
    // Told to everybody, as those that are there.
    if (ctx.path.startsWith('/assets/')) throw notFound();
    await next();
  });
  // A stranger learns nothing of what there is.
  app.use(authenticate(parts, { access: 'user' }));
  app.use((ctx) => {
    // `matched`: routes of that path, whatever their method.
    const methods = new Set(
      (ctx.matched as Layer[] | undefined)?.flatMap((route) => route.methods),
    );
    if (methods.size === 0) throw notFound();
    throw new Problem('method-not-allowed', {
      params: { methods: [...methods] },
      headers: { Allow: [...methods].join(', ') },
    });
  });
  sweepUploadsRegularly(services);
  // What fails after the answer has begun (a client that went away, a file that shrank).
  app.on('error', (error: unknown) =>
    services.log.debug({ err: error }, 'connection failed after the answer had begun'),
  );
  return app;
}

const onlyFigures: Koa.Middleware<State> = (ctx, next) => {
  if (!['health', 'metrics'].includes(firstSegment(ctx.path))) throw onlyWorks();
  return next();
};

/**
 * A router for each first segment of a path: one compares a path with each of its routes, which for all ninety of them
 * takes longer than most answers.
 */
function answerByRoute(services: RouteServices): RouterMiddleware<State> {
  const routers = new Map<string, Router<State>>();
  const remember = rememberAnswers(services);
  for (const route of routes) {
    const segment = firstSegment(route.path);
    // Case and slashes count: a path has one meaning.
    const router = routers.get(segment) ?? new Router<State>({ sensitive: true, strict: true });
    routers.set(segment, router);
    addRoute(router, route, services, remember);
  }
  const answers = new Map([...routers].map(([segment, router]) => [segment, router.routes()]));
  return (ctx, next) => answers.get(firstSegment(ctx.path))?.(ctx, next) ?? next();
}

/** What happens to a request of a route: first who it is from, only then what it asks for. */
function addRoute(
  router: Router<State>,
  route: Route,
  services: RouteServices,
  remember: Koa.Middleware<State>,
): void {
  const { method, needs, makesRoom } = route;
  const pattern = route.path.replace('{filename}', '{path}').replaceAll(/\{(\w+)\}/g, ':$1');
  const named: Koa.Middleware<State> = (ctx, next) => {
    ctx.state.route = pattern;
    return next();
  };
  const stack = [
    named,
    authenticate(services, route),
    ...(needs.length > 0 ? [untilReady(services.readiness, needs)] : []),
    ...(isRepeatable(route) ? [remember] : []),
    ...(makesRoom || method === 'delete' ? [makeRoom(services)] : []),
    answerBy(route, services),
  ];
  router[method](asRouterTakes(pattern), ...stack);
}

/**
 * Gives up the reserve on a full disk for requests that make room: deleting, and logging in for it. They
 * wait until the log takes facts again.
 */
const makeRoom =
  ({ disk, store, rows }: Pick<HttpServices, 'disk' | 'store' | 'rows'>): Koa.Middleware<State> =>
  async (_, next) => {
    if (await disk.giveUpReserve()) {
      await store.usable();
      await rows.withRoom();
    }
    return next();
  };

/** What stands for a file has slashes. */
const asRouterTakes = (pattern: string): string | RegExp =>
  pattern.includes(':path') ? new RegExp(`^${pattern.replace(':path', '(.+)')}$`) : pattern;

/** The first segment of a path, without its slashes. */
function firstSegment(path: string): string {
  const end = path.indexOf('/', 1);
  return end === -1 ? path.slice(1) : path.slice(1, end);
}
