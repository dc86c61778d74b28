import { test } from 'node:test';
import {
  checkLook,
  openPage,
  phone,
  screenshot,
  startChromium,
  startWebService,
  untilHolds,
} from './browser.ts';

test('a template is copied, edited by its sections, saved, given to a folder and deleted', async (t) => {
  const service = await startWebService(t);
  const session = await service.login();
  const browser = await startChromium(t);
  const page = await openPage(t, browser, { url: service.url, session });
  await page.goto(`${service.url}/organise?part=templates`);
  await page.getByRole('heading', { name: 'Templates', exact: true }).waitFor();
  await page.getByText('default for meetings').waitFor();
  await checkLook(page, 'templates-list');
  await page.getByRole('button', { name: 'Copy to edit: Interview' }).click();
  await page.getByLabel('Name').fill('Portraits');
  await page.getByLabel('Heading of section 1').fill('Childhood');
  await page.getByRole('button', { name: 'Move section 1 down' }).click();
  await page.getByRole('button', { name: 'Add section' }).click();
  await page.getByLabel('Heading of section 5').fill('Places');
  await page.getByText('5 of 12').waitFor();
  await page.getByLabel('Length').selectOption('long');
  await checkLook(page, 'templates-form');
  await screenshot(page, 'templates-form-wide');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('5 sections').waitFor();
  await page.getByRole('button', { name: 'Edit Portraits' }).click();
  await untilHolds(
    page,
    "document.querySelector('fieldset ol > li:nth-child(2) input')?.value === 'Childhood'",
  );
  await page.setViewportSize({ ...phone.viewport, width: 320 });
  await checkLook(page, 'templates-form-320');
  await page.getByRole('button', { name: 'Delete template…' }).click();
  await page.getByRole('button', { name: 'Delete template', exact: true }).click();
  await page.getByRole('button', { name: 'Edit Portraits' }).waitFor({ state: 'detached' });
});
