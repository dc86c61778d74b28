import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import { apiOf } from '../support/service-process.ts';
import { checkLook, openPage, password, phone, startChromium, startWebService } from './browser.ts';

/** A code of so many seconds from now: each is good once. */
const codeOf = (secret: string, ahead = 0) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({
    timestamp: Date.now() + ahead * 1000,
  });

test('two-step login: set up in the account, asked for at the login, switched off', async (t) => {
  const service = await startWebService(t);
  const browser = await startChromium(t);
  const expected = /401|403|422|WebSocket/;
  const session = await service.login();
  const page = await openPage(t, browser, { url: `${service.url}/account`, session, expected });
  await page.getByRole('button', { name: 'Set up…' }).click();
  await page.getByLabel('Password', { exact: true }).fill('wrong');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('This is not your current password.').waitFor();
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.keyboard.press('Enter');
  await page.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
  await page.getByText('Type the key instead').click();
  const secret = (await page.locator('details code').innerText()).replaceAll(' ', '');
  await checkLook(page, 'two-step-picture');
  await page.getByLabel('Enter the 6 digits the app shows').fill('000000');
  await page.keyboard.press('Enter');
  await page.getByText('Wrong code.').waitFor();
  await page.getByLabel('Enter the 6 digits the app shows').fill(codeOf(secret, -30));
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Keep these recovery codes' }).waitFor();
  const codes = (await page.locator('output').innerText()).split('\n');
  assert.equal(codes.length, 10);
  await checkLook(page, 'two-step-codes');
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByText('10 of 10 recovery codes left').waitFor();

  const other = await openPage(t, browser, {
    url: `${service.url}/login?next=%2Faccount`,
    expected,
    ...phone,
  });
  await other.getByLabel('User name').fill('ada');
  await other.getByLabel('Password').fill(password);
  await other.keyboard.press('Enter');
  await other.getByRole('heading', { level: 1, name: 'Enter code' }).waitFor();
  await checkLook(other, 'two-step-login');
  await other.getByLabel('6 digits from your authenticator app').fill('000000');
  await other.keyboard.press('Enter');
  await other.getByText('Wrong code. Each code is valid once').waitFor();
  await other.getByRole('button', { name: 'Use a recovery code' }).click();
  await other.getByLabel('One of your 10 recovery codes').fill(codes[0]!);
  await checkLook(other, 'two-step-recovery');
  await other.keyboard.press('Enter');
  await other.waitForURL(`${service.url}/account`);
  await other.getByText('9 of 10 recovery codes left').waitFor();
  await other.getByRole('button', { name: 'Switch off…' }).click();
  await other.getByLabel('Code, or recovery code').fill(codeOf(secret, 30));
  await other.getByRole('textbox', { name: 'Current password' }).first().waitFor();
  await checkLook(other, 'two-step-off');
});

test('who must have two-step login is led to it', async (t) => {
  const service = await startWebService(t);
  const browser = await startChromium(t);
  const expected = /401|403|WebSocket/;
  const { token } = await service.login();
  await apiOf(service.url, token).put('/config', { auth: { totp: 'administrators' } });
  const page = await openPage(t, browser, {
    url: `${service.url}/login`,
    expected,
    locale: 'de-DE',
  });
  await page.getByLabel('Benutzername').fill('ada');
  await page.getByLabel('Passwort').fill(password);
  await page.keyboard.press('Enter');
  await page
    .getByRole('heading', { level: 1, name: 'Anmeldung in zwei Schritten einrichten' })
    .waitFor();
  await checkLook(page, 'two-step-must');
  await page.getByRole('button', { name: 'Weiter' }).click();
  await page.getByText('Stattdessen den Schlüssel eintippen').click();
  const secret = (await page.locator('details code').innerText()).replaceAll(' ', '');
  await page.getByLabel('Geben Sie die 6 Ziffern ein, die die App zeigt').fill(codeOf(secret));
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Fertig' }).click();
  await page.waitForURL(`${service.url}/`);
});
