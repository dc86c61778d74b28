import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { wav } from '../support/http-client.ts';
import { apiOf } from '../support/service-process.ts';
import { checkLook, openPage, startChromium, startWebService } from './browser.ts';

/** Long enough to differ, so that none is the same as another. */
const talk = (name: string, seconds: number) => ({
  name,
  mimeType: 'audio/wav',
  buffer: Buffer.from(wav(seconds)),
});

test('files go into the folder that was chosen with them, whatever is chosen, or looked into, afterwards', async (t) => {
  const service = await startWebService(t);
  const session = await service.login();
  const api = apiOf(service.url, session.token);
  const folder = (await api.post<{ id: string }>('/folders', { name: 'Choir' })).id;
  const browser = await startChromium(t);
  const page = await openPage(t, browser, { url: service.url, session, expected: /ERR_FAILED/ });
  await page.getByText('No notes yet').waitFor();
  const dialog = page.getByRole('dialog', { name: 'Upload files' });
  const openDialog = async () => {
    await page.getByRole('button', { name: 'Source and options' }).click();
    await page.getByRole('banner').getByRole('button', { name: 'Upload files…' }).click();
    await dialog.getByLabel('Folder').waitFor();
  };
  type Taken = { recordings: { source: string; folder: string | null }[] };
  const folderOf = async (source: string) => {
    const found = await eventually(`${source} has arrived`, async () => {
      const { recordings } = await api.get<Taken>('/recordings?limit=50');
      return recordings.find((one) => one.source === source);
    });
    return found.folder;
  };
  const over = page.locator('.dropover');
  /** Before the page is there, nothing hears of a file. */
  const isThere = async () => {
    await page.getByRole('button', { name: 'Source and options' }).waitFor();
    await page.locator('main h1, main h2').first().waitFor();
  };

  await t.test(
    'one that is dropped, into the folder that is looked into, else into none',
    async () => {
      await openDialog();
      await dialog.getByLabel('Folder').selectOption('Choir');
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await carry(page, talk('private.wav', 0.2), 'dragover');
      await over.getByText('Drop to upload').waitFor();
      assert.equal(await over.getByText('Choir').count(), 0);
      await carry(page, talk('private.wav', 0.2), 'drop');
      assert.equal(await folderOf('private.wav'), null, 'what a cancelled dialog chose is over');

      await page.goto(`${service.url}/?folder=${folder}`);
      await isThere();
      await page.locator('main').getByText('Choir').first().waitFor();
      await carry(page, talk('choir.wav', 0.3), 'dragover');
      await over.getByText('into the folder “Choir”').waitFor();
      await checkLook(page, 'upload-over-folder');
      await carry(page, talk('choir.wav', 0.3), 'drop');
      assert.equal(await folderOf('choir.wav'), folder);
    },
  );

  await t.test('one that is dropped on the dialog, as the dialog says', async () => {
    await page.goto(service.url);
    await openDialog();
    await dialog.getByLabel('Folder').selectOption('Choir');
    await dialog.getByText('One person speaking').click();
    await carry(page, talk('by-dialog.wav', 0.4), 'drop');
    await dialog.waitFor({ state: 'detached' });
    assert.equal(await folderOf('by-dialog.wav'), folder);
  });

  await t.test('also where what sends it could not be loaded at first', async () => {
    await page.goto(service.url);
    await isThere();
    const sender = '**/assets/browser-*.js';
    await page.route(sender, (route) => route.abort());
    await carry(page, talk('late.wav', 0.45), 'drop');
    // In the list and in the bar.
    const seen = (text: string) => page.getByText(text).filter({ visible: true }).first().waitFor();
    await seen('The upload stopped at 0%.');
    await seen('Part of this page could not be loaded.');
    await page.unrouteAll({ behavior: 'wait' });
    await page.reload();
    await isThere();
    await carry(page, talk('late.wav', 0.45), 'drop');
    assert.equal(await folderOf('late.wav'), null);
  });

  await t.test('those that wait for others, too', async () => {
    let begin = () => {};
    const gate = new Promise<void>((resolve) => (begin = resolve));
    await page.route('**/uploads', async (route) => {
      await gate;
      await route.continue();
    });
    const names = ['a.wav', 'b.wav', 'c.wav', 'd.wav'];
    await openDialog();
    await dialog.getByLabel('Folder').selectOption('Choir');
    const chooser = page.waitForEvent('filechooser');
    await dialog.getByRole('button', { name: 'Choose files' }).click();
    await (await chooser).setFiles(names.map((name, at) => talk(name, 0.5 + at / 10)));
    await dialog.waitFor({ state: 'detached' });
    await openDialog();
    await dialog.getByLabel('Folder').selectOption('No folder');
    begin();
    for (const name of names) assert.equal(await folderOf(name), folder, name);
    await page.unrouteAll({ behavior: 'wait' });
  });
});

/** As if a file were carried over the page from the desktop, or let go there. */
async function carry(
  page: Page,
  file: ReturnType<typeof talk>,
  type: 'dragover' | 'drop',
): Promise<void> {
  await page.evaluate(
    `((name, base64, type) => {
      const bytes = Uint8Array.from(atob(base64), (each) => each.charCodeAt(0));
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([bytes], name, { type: 'audio/wav' }));
      document.body.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
    })(${JSON.stringify(file.name)}, '${file.buffer.toString('base64')}', '${type}')`,
  );
}
