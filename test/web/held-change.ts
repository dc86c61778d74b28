import type { Page } from 'playwright-core';

/** The next such change waits on its way to the service. @returns a function that lets it through, and hears its answer */
export async function hold(page: Page, url: RegExp): Promise<() => Promise<void>> {
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const asked = page.waitForRequest((request) => isChange(request.method(), request.url(), url));
  await page.route(url, async (route) => {
    if (!isChange(route.request().method(), route.request().url(), url))
      return await route.fallback();
    await released;
    await route.fallback();
  });
  return async () => {
    const answered = (await asked).response();
    release();
    await answered;
    await page.unroute(url);
  };
}

const isChange = (method: string, at: string, url: RegExp): boolean =>
  method !== 'GET' && url.test(at);
