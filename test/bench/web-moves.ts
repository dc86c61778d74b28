import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { goTo, longestTask, taskRow } from './browser-tasks.ts';
import type { Measured } from './measure.ts';

const movesEachSecond = 500;

/** The page of the statechart while a recording's log grows by hundreds of facts a second. */
export async function watchMoves(browser: Browser, page: Page, id: string): Promise<Measured[]> {
  const began = performance.now();
  const seconds = 5;
  let tell: ((text: string) => void) | undefined;
  await page.routeWebSocket(/\/ws/, (socket) => {
    socket.connectToServer();
    tell = (text) => socket.send(text);
  });
  await page.route(/\/events\?/, async (route) => {
    const after = Number(new URL(route.request().url()).searchParams.get('after') ?? 0);
    const most = Math.floor(((performance.now() - began) / 1000) * movesEachSecond);
    const events = Array.from({ length: Math.max(0, Math.min(200, most - after)) }, (_, k) =>
      factAt(id, after + k + 1),
    );
    await route.fulfill({ json: { events, next_after: null } });
  });
  // Its connections are made with the routes in place.
  await page.reload();
  await goTo(page, `/debug?recording=${id}&all`);
  await page.locator('.chart .node').first().waitFor();
  await page.evaluate(`globalThis.painted = 0;
    (function count() { globalThis.painted += 1; requestAnimationFrame(count); })()`);
  const longest = await longestTask(browser, page, async () => {
    let position = 0;
    for (const end = performance.now() + seconds * 1000; performance.now() < end;) {
      for (let k = 0; k < movesEachSecond / 20; k += 1) {
        position += 1;
        tell?.(JSON.stringify(moveAt(id, position)));
      }
      await sleep(50);
    }
  });
  const painted = (await page.evaluate<number>('globalThis.painted')) / seconds;
  await page.context().close();
  return [
    taskRow(`statechart, ${movesEachSecond} moves a second`, longest),
    {
      what: 'the same: frames painted a second',
      ours: painted.toFixed(0),
      bare: '60',
      ratio: painted / 60,
      aim: '',
    },
  ];
}

const states = ['transcribing.recognising', 'transcribing.joining', 'transcribing.writing'];
const stateAt = (at: number) => states[at % states.length]!;
const type = 'stage.started';

const factAt = (id: string, position: number) => ({
  position,
  stream: `recording-${id}`,
  version: position,
  type,
  at: new Date(Date.now()).toISOString(),
  by: 'service',
  from: stateAt(position - 1),
  to: stateAt(position),
  data: { stage: 'join' },
});

const moveAt = (id: string, position: number) => ({
  type: 'transition',
  position: 1e6 + position,
  // Of many recordings, a tenth of the moves this one's.
  recording_id: position % 10 === 0 ? id : `${id.slice(0, -2)}${10 + (position % 90)}`,
  event: type,
  from: stateAt(position - 1),
  to: stateAt(position),
  at: new Date(Date.now()).toISOString(),
});
