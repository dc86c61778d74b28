import { test } from 'node:test';
import { openPage, startChromium, startWebService } from './browser.ts';

test('a guide is in the language of its address, else of the account, else of the browser', async (t) => {
  const service = await startWebService(t);
  const browser = await startChromium(t);
  const session = await service.login();
  const page = await openPage(t, browser, {
    url: `${service.url}/account`,
    session,
    locale: 'de-DE',
  });
  await page.getByLabel('Sprache').selectOption('en');
  await page.getByText('Appearance').waitFor();

  const guide = async (path: string, heading: string) => {
    await page.goto(service.url + path);
    await page.getByRole('heading', { level: 2, name: heading, exact: true }).waitFor();
  };
  await guide('/docs/readme', 'First steps');
  await page.getByRole('link', { name: 'Deutsch', exact: true }).click();
  await page.getByRole('heading', { level: 2, name: 'Erste Schritte', exact: true }).waitFor();
  await page.getByRole('link', { name: 'English', exact: true }).click();
  await page.getByRole('heading', { level: 2, name: 'First steps', exact: true }).waitFor();
  await page.goto(`${service.url}/docs`);
  await page.getByRole('link', { name: 'First steps' }).waitFor();

  await page.goto(`${service.url}/account`);
  await page.getByLabel('Language').selectOption('');
  await page.getByText('Darstellung').waitFor();
  await guide('/docs/readme', 'Erste Schritte');
});
