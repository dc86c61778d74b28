import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { modelsDir as fixtures } from '../support/models.ts';
import { program } from '../support/program.ts';
import { tempDir } from '../support/temp-dir.ts';
import { checkLook, openPage, startChromium, startWebService } from './browser.ts';

const run = promisify(execFile);

test('a download that failed names its files, and is gone when the model is imported beside the open page', async (t) => {
  const models = await tempDir(t);
  const env = { MITSCHRIFT_MODELS: models, MITSCHRIFT_MODELS_MIRROR: join(models, 'nowhere') };
  const service = await startWebService(t, env);
  const browser = await startChromium(t);
  const session = await service.login();
  const page = await openPage(t, browser, {
    url: `${service.url}/setup?step=speech`,
    session,
    locale: 'de-DE',
  });
  await page.getByText('Moonshine tiny').or(page.getByText('Parakeet')).first().waitFor();
  await checkLook(page, 'setup-speech-de');
  await page.getByLabel('Sprecher in Besprechungen').uncheck();
  await page.getByRole('button', { name: 'Weiter', exact: true }).click();
  const failed = page.getByRole('alert').filter({ hasText: 'Download fehlgeschlagen' });
  await failed.waitFor();
  await failed.getByText('Ohne Internet: auf').click();
  await failed
    .getByRole('link', { name: /^https:\/\/github\.com\/k2-fsa\/.*\.tar\.bz2$/ })
    .first()
    .waitFor();
  await failed.getByText('models import DATEI').first().waitFor();
  await checkLook(page, 'setup-failed-de');
  await failed.getByRole('link', { name: 'Downloadquelle für Modelle' }).click();
  await page.getByLabel('Downloadquelle für Modelle').waitFor();

  await page.goto(`${service.url}/settings?part=models`);
  await page.getByText('abgebrochen').first().waitFor();
  await checkLook(page, 'models-failed-de');

  await page.goto(`${service.url}/setup?step=summaries`);
  await failed.waitFor();
  await run(process.execPath, [program, 'models', 'import', join(fixtures, 'espeak-en')], {
    env: { ...process.env, MITSCHRIFT_DATA: service.dataDir, MITSCHRIFT_MODELS: models },
  });
  await failed.waitFor({ state: 'detached' });
});

test('every language that a model speaks has a name in the language of the page', async (t) => {
  const service = await startWebService(t);
  const browser = await startChromium(t);
  const session = await service.login();
  for (const locale of ['en-GB', 'de-DE']) {
    const page = await openPage(t, browser, {
      url: `${service.url}/settings?part=speech`,
      session,
      locale,
    });
    const select = page.locator('select[id="setting-stt-language"]');
    await select.waitFor();
    const options = await select.evaluate((element) =>
      [...(element as unknown as { options: { value: string; text: string }[] }).options].map(
        ({ value, text }) => [value, text.trim()],
      ),
    );
    assert.ok(options.length > 90, `${options.length} languages`);
    assert.deepEqual(
      options.filter(([code, name]) => code === name),
      [],
      locale,
    );
  }
});
