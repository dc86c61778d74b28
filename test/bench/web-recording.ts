import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { type Measured, countFrom, percentile } from './measure.ts';

/** What the page records, and how often it gets each block of its worklet: an hour takes three minutes. */
const minutes = countFrom('BENCH_RECORDED_MINUTES', 60);
const faster = countFrom('BENCH_RECORDED_FASTER', 20);

/** The page gets each block of a tenth of a second again and again, as if so many had been posted. */
const repeatBlocks = `globalThis.AudioWorkletNode = class extends AudioWorkletNode {
  constructor(...from) {
    super(...from);
    this.port.addEventListener('message', ({ data, isTrusted }) => {
      if (!isTrusted || !(data instanceof ArrayBuffer)) return;
      for (let k = 1; k < ${faster}; k += 1)
        this.port.dispatchEvent(new MessageEvent('message', { data: data.slice(0) }));
    });
  }
};`;

/**
 * The browser's microphone: what the page keeps in memory in the second half, against in the first. Medians, because a
 * heap goes up and down by a tenth from one moment to the next, also when nothing of it stays.
 */
export async function recordLong(page: Page): Promise<Measured> {
  await page.addInitScript(repeatBlocks);
  await page.goto(new URL('/', page.url()).href);
  await page.locator('.btn.rec').click();
  await page.locator('.recbar.recording').waitFor();
  const samples: number[] = [];
  for (let k = 0; k < 10; k += 1) {
    await sleep((minutes * 6_000) / faster);
    samples.push(await page.evaluate<number>('gc(), performance.memory.usedJSHeapSize'));
  }
  const recorded = await page.locator('.rb-clock').textContent();
  await page.locator('.recbar .stop').click();
  await page.locator('.btn.rec').waitFor();
  await page.context().close();
  const MB = (size: number) => `${(size / 1e6).toFixed(1)} MB`;
  const second = percentile(samples.slice(5), 0.5);
  const first = percentile(samples.slice(0, 5), 0.5);
  return {
    what: `heap while the browser records ${recorded}, ${faster} times as fast (samples: ${samples.map(MB).join(', ')})`,
    ours: MB(second),
    bare: MB(first),
    ratio: second / first,
    aim: '≤ 1.1',
  };
}
