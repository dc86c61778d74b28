import type { Browser, Page } from 'playwright-core';
import { type Measured, milliseconds } from './measure.ts';

/** The longest task of a page's main thread: by the clock, and in processor time, which other programs do not lengthen. */
export type LongestTask = { wallMs: number; processorMs: number };

/** A task longer than this is felt, milliseconds. */
export const limitMs = 100;

type TraceEvent = {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  /** Microseconds; `tdur` of the thread's own processor time. */
  dur?: number;
  tdur?: number;
  args: { name?: string };
};

/** What the main threads of the browser's pages did at most at once while `act` was done. */
export async function longestTask(
  browser: Browser,
  page: Page,
  act: () => Promise<unknown>,
): Promise<LongestTask> {
  await browser.startTracing(page, { categories: ['toplevel'] });
  await act();
  const trace = JSON.parse((await browser.stopTracing()).toString('utf8')) as {
    traceEvents: TraceEvent[];
  };
  const events = trace.traceEvents;
  const isMain = (event: TraceEvent) =>
    event.name === 'thread_name' && event.args.name === 'CrRendererMain';
  const mains = new Set(events.filter(isMain).map(({ pid, tid }) => `${pid} ${tid}`));
  const tasks = events.filter(
    ({ name, ph, pid, tid }) =>
      ph === 'X' && name.endsWith('RunTask') && mains.has(`${pid} ${tid}`),
  );
  if (tasks.length === 0) throw new Error('the trace holds no task');
  return {
    wallMs: Math.max(...tasks.map(({ dur = 0 }) => dur)) / 1000,
    processorMs: Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1000,
  };
}

/** A row: the longest task, in processor time, against the limit. */
export const taskRow = (what: string, { wallMs, processorMs }: LongestTask): Measured => ({
  what: `longest task: ${what}`,
  ours: `${milliseconds(processorMs)} (${milliseconds(wallMs)} by the clock)`,
  bare: `${limitMs} ms`,
  ratio: processorMs / limitMs,
  aim: '≤ 1',
});

/** As a link of the app does, without loading it again. */
export const goTo = (page: Page, path: string) =>
  page.evaluate(
    `history.pushState(null, '', ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent('popstate'))`,
  );
