import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { packageVersion } from '../../src/shared/package.ts';
import { program } from '../support/program.ts';
import { checkLook, openPage, startChromium, startWebService } from './browser.ts';

test('after an upgrade the pages say once what is new, and the account menu names the version', async (t) => {
  const service = await startWebService(t);
  const browser = await startChromium(t);
  const session = await service.login();
  const url = `${service.url}/account`;
  const page = await openPage(t, browser, { url, session });
  const title = page.getByRole('heading', { level: 1, name: 'Account' });
  const news = page.getByRole('complementary', { name: 'What’s new' });
  await title.waitFor();
  assert.equal(await news.count(), 0, 'nothing is new to who begins with this release');

  await page.getByLabel('ada, account').click();
  const changes = page.getByRole('link', { name: `What’s new ${packageVersion()}` });
  assert.equal(await changes.getAttribute('href'), '/docs/changes');
  // The page, the interface and the command line name one version.
  const health = (await (await fetch(`${service.url}/health`)).json()) as { version: string };
  assert.equal(health.version, packageVersion());
  const { stdout } = await promisify(execFile)(process.execPath, [program, '--version']);
  assert.equal(stdout.trim(), packageVersion());

  await page.evaluate(`localStorage.setItem('mitschrift.news', '0.1.9')`);
  await page.goto(url);
  await news.getByText(`What’s new in Mitschrift`).waitFor();
  assert.ok((await news.getByRole('listitem').count()) <= 5);
  await checkLook(page, 'news');
  assert.equal(
    await news.getByRole('link', { name: 'All changes' }).getAttribute('href'),
    '/docs/changes',
  );
  const answer = await fetch(`${service.url}/docs/changes`);
  assert.match(await answer.text(), new RegExp(`<h2 id="[^"]+">\\[?${packageVersion()}`));

  await news.getByRole('button', { name: 'Dismiss' }).click();
  await news.waitFor({ state: 'detached' });
  await page.goto(url);
  await title.waitFor();
  assert.equal(await news.count(), 0, 'said once');
});
