import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { speak } from '../support/espeak.ts';
import { eventually } from '../support/eventually.ts';
import { apiOf, uploadForm } from '../support/service-process.ts';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tempDir } from '../support/temp-dir.ts';
import { openPage, screenshot, startChromium, startWebService } from './browser.ts';
import { microphoneThatSpeaks } from './fake-microphone.ts';

/** Words that stand in nearly every English sentence of ours, and in none of German. */
const english =
  /\b(?:the|and|of|to|with|from|could|can|can’t|isn’t|doesn’t|has|not|no|be|been|are|try again)\b/gi;

async function assertGerman(page: Page, where: string): Promise<void> {
  const text = await page.evaluate<string>('document.body.innerText');
  assert.ok(text.length > 200, `${where}: ${text}`);
  const lines = text.split('\n').filter((line) => [...line.matchAll(english)].length > 1);
  assert.deepEqual(lines, [], where);
}

test('a failure, a recording without live text and what is wrong with the server are German on a German page', async (t) => {
  // Refuses the key: nothing is tried again.
  const refusing = createServer((_, response) => response.writeHead(401).end());
  refusing.listen(0, '127.0.0.1');
  await once(refusing, 'listening');
  t.after(() => refusing.close());
  const { port } = refusing.address() as AddressInfo;
  const service = await startWebService(t, {
    MITSCHRIFT_STT_BASE_URL: `http://127.0.0.1:${port}/v1`,
  });
  const session = await service.login();
  const api = apiOf(service.url, session.token);
  const wav = join(await tempDir(t), 'rede.wav');
  await speak('guten morgen', wav);
  const form = uploadForm(new Uint8Array(await readFile(wav)), { kind: 'solo' });
  const { recording_id: failed } = await api.post<{ recording_id: string }>('/recordings', form);
  await eventually(
    'it failed',
    async () => (await api.get<{ status: string }>(`/recordings/${failed}`)).status === 'ERROR',
  );

  const browser = await startChromium(t, await microphoneThatSpeaks(t, 'guten morgen'));
  const page = await openPage(t, browser, {
    url: service.url,
    session,
    locale: 'de-DE',
    permissions: ['microphone'],
  });
  await page.getByText('lehnt den Zugriff').or(page.getByText('API-Schlüssel')).first().waitFor();
  await assertGerman(page, 'home');
  await page.getByRole('button', { name: 'Quelle und Optionen' }).click();
  await assertGerman(page, 'what can be recorded from');
  await page.getByRole('button', { name: 'Mikrofon dieses Geräts' }).click();
  await page.getByRole('button', { name: 'Aufnehmen', exact: true }).click();
  await page.waitForURL(/\/notes\//);
  await page.locator('.recbar').waitFor();
  await screenshot(page, 'german-recording');
  await assertGerman(page, 'a recording that runs');

  await page.goto(`${service.url}/notes/${failed}`);
  await page.getByText('API-Schlüssel').first().waitFor({ state: 'attached' });
  await screenshot(page, 'german-failed');
  await assertGerman(page, 'a recording that failed');
  await page.goto(`${service.url}/settings?part=health`);
  await page.locator('.health').first().waitFor();
  await screenshot(page, 'german-health');
  await assertGerman(page, 'health');
});
