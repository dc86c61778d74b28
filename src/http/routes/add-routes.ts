import type Router from '@koa/router';
import type { HttpServices } from '../services.ts';
import type { State } from '../state.ts';

/** Adds the routes of one resource. */
export type AddRoutes = (router: Router<State>, services: HttpServices) => void;
