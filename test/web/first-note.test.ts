import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { modelsDir } from '../support/models.ts';
import { sentences, speech } from '../support/pulse-speech.ts';
import { privatePulse } from '../support/pulse.ts';
import { startServiceProcess } from '../support/service-process.ts';
import { tempDir } from '../support/temp-dir.ts';
import { checkLook, openPage, recordedFor, startChromium } from './browser.ts';
import { microphoneThatSpeaks } from './fake-microphone.ts';

test('from the setup link to the first readable note, by the browser alone', async (t) => {
  const pulse = await privatePulse(t);
  const dataDir = await tempDir(t);
  const said = await speech(dataDir, 'mic', sentences.mic);
  const service = await startServiceProcess(dataDir, {
    ...(pulse.env as Record<string, string>),
    MITSCHRIFT_MODELS: modelsDir,
  });
  t.after(async () => await service.end('SIGTERM'));
  const link = service.said.map((line) => /\S+\/setup#code=\S+/.exec(line)?.[0]).find(Boolean);
  const browser = await startChromium(t, await microphoneThatSpeaks(t, sentences.mic));
  const page = await openPage(t, browser, {
    url: link!,
    permissions: ['microphone'],
    expected: /status of (?:409|422)/,
  });
  t.after(async () => await page.context().close());
  const press = async (name: string | RegExp) => await page.getByRole('button', { name }).click();
  const step = async (name: string) => {
    await page.getByRole('heading', { name }).waitFor();
    assert.equal(await page.evaluate('document.activeElement.tagName'), 'H1', name);
  };

  await page.getByLabel('User name').fill('ada');
  await page.getByLabel('Password').fill('paper lantern harbour nine');
  await page.getByText('strong').waitFor();
  assert.doesNotMatch(page.url(), /code=/, 'the code is in no history');
  await checkLook(page, 'setup-administrator');
  await press('Create administrator');

  await step('Where should recordings be transcribed?');
  await page.getByRole('radio', { name: /espeak/, checked: true }).waitFor();
  await checkLook(page, 'setup-speech');
  await press('Continue');

  // What was typed is there again on the way back.
  const server = page.getByLabel('Server address');
  await server.fill('http://127.0.0.1:9/v1');
  await press('Test connection');
  await page.getByText('The test failed.').waitFor();
  const steps = page.getByRole('navigation');
  await steps.getByText('Speech recognition').click();
  await page.getByRole('radio', { name: /espeak/ }).waitFor();
  await steps.getByText('Summaries').click();
  assert.equal(await server.inputValue(), 'http://127.0.0.1:9/v1');
  await checkLook(page, 'setup-summaries');
  await press('Skip');

  // The level of a device of the service's computer, as somebody speaks into it.
  await page.getByLabel('Record from').selectOption('Desk Mic');
  const meter = page.getByRole('meter');
  await meter.and(page.locator('[aria-valuetext=silent]')).waitFor();
  const playing = pulse.play(said.path, 'mic');
  await meter.and(page.locator('[aria-valuetext=good]')).waitFor();
  await playing;
  await checkLook(page, 'setup-microphone');
  await press('Continue');

  const folder = page.getByLabel('Folder on the Mitschrift server');
  const vault = join(await tempDir(t), 'vault');
  await folder.fill('Vault');
  await press('Continue');
  await page.getByText('This folder must be a full path').waitFor();
  await folder.fill(vault);
  await folder.press('Enter');
  await page.getByText('This folder doesn’t exist: create the folder first').waitFor();
  assert.equal(await folder.getAttribute('aria-invalid'), 'true');
  await checkLook(page, 'setup-folder');
  await mkdir(vault);
  await press('Continue');

  await step('Now say a sentence.');
  await press('Source and options');
  await press('This device’s microphone');
  await press('Record');
  await recordedFor(page, 7);
  await press(/^Stop/);
  const words = /lose a single word/i;
  await page.locator('blockquote').getByText(words).waitFor();
  await page.getByText('skipped').first().waitFor();
  await checkLook(page, 'setup-first');
  await page.getByRole('link', { name: 'Open your first note' }).click();
  await page.locator('[data-turn]').getByText(words).waitFor();
  await page.getByRole('button', { name: 'Play', exact: true }).waitFor();

  // Microphone and speakers together, built and heard.
  await page.goto(`${service.url}/settings?part=recording`);
  await press('Set up and listen');
  await page.getByText('Active: 3 modules').waitFor();
  await meter.and(page.locator('[aria-valuetext=silent]')).waitFor();
  await checkLook(page, 'settings-recording');
  await press('Remove');
  await page.getByText('Set up the combined source to hear both.').waitFor();
  // Before the service ends, of which a page complains.
  await page.context().close();
});
