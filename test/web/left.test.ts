import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wav } from '../support/http-client.ts';
import { apiOf } from '../support/service-process.ts';
import { checkLook, openPage, phone, startChromium, startWebService } from './browser.ts';

test('what a removed person left is listed by date and length, and deleted for good', async (t) => {
  const service = await startWebService(t);
  const [admin, ben] = [await service.login(), await service.login('ben')];
  for (const filename of ['one.wav', 'two.wav']) {
    const form = new FormData();
    form.set('file', new Blob([wav(2)]), filename);
    await apiOf(service.url, ben.token).post('/recordings', form);
  }
  const removed = await fetch(`${service.url}/users/ben`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${admin.token}` },
  });
  assert.equal(removed.status, 204);

  const browser = await startChromium(t);
  const url = `${service.url}/settings?part=people`;
  const page = await openPage(t, browser, { url, session: admin });
  await page.getByText('2 recordings').waitFor();
  await page.getByText('Show recordings').click();
  await page.getByRole('row').nth(2).waitFor();
  assert.doesNotMatch(await page.locator('main').innerText(), /one\.wav|two\.wav/);
  await checkLook(page, 'settings-left');
  await page.setViewportSize(phone.viewport);
  await checkLook(page, 'settings-left-phone');
  await page.getByRole('button', { name: 'Delete permanently…' }).click();
  await checkLook(page, 'settings-left-delete');
  await page.getByRole('button', { name: 'Delete permanently', exact: true }).click();
  await page.getByText('2 recordings deleted.').waitFor();
  await page.getByRole('heading', { name: 'Removed account' }).waitFor({ state: 'detached' });
});
