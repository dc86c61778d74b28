import { chartJson } from '../../../machines/chart.ts';
import type { AddRoutes } from './add-routes.ts';

/** `GET /machine`: the statechart, made from the machine's own definition. */
export const machineRoutes: AddRoutes = (router) => {
  const chart = chartJson();
  router.get('/machine', (ctx) => {
    ctx.body = chart;
  });
};
