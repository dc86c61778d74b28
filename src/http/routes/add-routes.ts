import type Router from '@koa/router';
import type { HttpServices } from '../services.ts';
import type { State } from '../state.ts';
import type { Tickets } from '../tickets.ts';

/** What routes need: the service's parts, and what belongs to one app. */
export type RouteServices = HttpServices & { tickets: Tickets };

/** Adds the routes of one resource. */
export type AddRoutes = (router: Router<State>, services: RouteServices) => void;
