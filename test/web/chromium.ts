import { type TestContext, after } from 'node:test';
import type { Browser } from 'playwright-core';

/**
 * What Playwright switches off, which its list would not be heard beside ours, and the two pages that Chromium loads for
 * its own bar of addresses with each context: nobody sees it here, and they take half a second of the processor.
 */
const featuresOff = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
];

/** The one of this process, for tests that want no switches of their own. */
let shared: Promise<Browser> | undefined;
after(async () => await (await shared)?.close());

/**
 * Chromium without its window (Debian's `chromium-headless-shell`: the same engine, two thirds of the processor a page):
 * what was opened in it is closed when the test is over. @param args more switches of its command line, of a Chromium of
 * its own
 */
export async function startChromium(
  t: TestContext,
  args: readonly string[] = [],
): Promise<Browser> {
  if (args.length > 0) {
    const own = await launch(args);
    t.after(async () => await own.close());
    return own;
  }
  if ((await shared)?.isConnected() !== true) shared = launch([]);
  const browser = await shared!;
  const former = new Set(browser.contexts());
  t.after(async () => {
    const mine = browser.contexts().filter((context) => !former.has(context));
    await Promise.all(mine.map(async (context) => await context.close()));
  });
  return browser;
}

async function launch(args: readonly string[]): Promise<Browser> {
  // Loaded when it is needed: files of the same process that have no pages do without.
  const { chromium } = await import('playwright-core');
  return await chromium.launch({
    executablePath: '/usr/bin/chromium-headless-shell',
    args: ['--no-sandbox', `--disable-features=${featuresOff.join(',')}`, ...args],
  });
}
