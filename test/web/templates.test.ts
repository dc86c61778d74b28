import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startLanguageServer } from '../support/language-servers.ts';
import { type Brain, wellBehaved } from '../support/language-servers-brains.ts';
import { apiOf, startServiceProcess } from '../support/service-process.ts';
import {
  checkLook,
  dataWithAda,
  openPage,
  phone,
  screenshot,
  startChromium,
  startWebService,
  untilHolds,
} from './browser.ts';
import { readingRoom, tellMeetings } from './told-meetings.ts';

test('a template is copied, edited by its sections, saved, given to a folder and deleted', async (t) => {
  const service = await startWebService(t);
  const session = await service.login();
  const browser = await startChromium(t);
  const page = await openPage(t, browser, {
    url: `${service.url}/organise?part=templates`,
    session,
  });
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

test('templates for everyone are made by administrators and copied or chosen by all; one that was deleted says what follows', async (t) => {
  const service = await startWebService(t);
  const session = await service.login();
  const ben = await service.login('ben');
  const browser = await startChromium(t);
  const page = await openPage(t, browser, {
    url: `${service.url}/organise?part=templates`,
    session,
  });
  await page.getByRole('button', { name: 'New template' }).click();
  await page.getByLabel('Name').fill('Board minutes');
  await page.getByLabel('For', { exact: true }).selectOption('everyone');
  await page.getByLabel('Heading of section 1').fill('Resolutions');
  await checkLook(page, 'templates-house-form');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'For everyone' }).waitFor();
  await page.getByRole('button', { name: 'Copy to edit: Board minutes' }).waitFor();
  await checkLook(page, 'templates-house-list');

  const theirs = await openPage(t, browser, {
    url: `${service.url}/organise?part=templates`,
    session: ben,
    ...phone,
    viewport: { width: 320, height: 800 },
    locale: 'de-DE',
  });
  await theirs.getByRole('heading', { name: 'Für alle' }).waitFor();
  await theirs.getByText('Administratoren ändern sie.').waitFor();
  assert.equal(await theirs.getByRole('button', { name: 'Board minutes bearbeiten' }).count(), 0);
  await checkLook(theirs, 'templates-house-320-de');
  await theirs.getByRole('button', { name: 'Zum Bearbeiten kopieren: Board minutes' }).tap();
  assert.equal(await theirs.getByLabel('Für', { exact: true }).count(), 0);
  await apiOf(service.url, ben.token).post('/folders', { name: 'Vorstand' });
  await theirs.goto(`${service.url}/organise`);
  await theirs.getByRole('button', { name: 'Vorstand bearbeiten' }).tap();
  await theirs.getByLabel('Vorlage').selectOption('Board minutes');
  await theirs.getByRole('button', { name: 'Speichern' }).tap();
  await theirs.getByText('Vorlage Board minutes').waitFor();

  await page.getByRole('button', { name: 'Edit Board minutes' }).click();
  await page.getByText('Everyone can choose these templates.').waitFor();
  await page.getByRole('button', { name: 'Delete template…' }).click();
  await page.getByText('Folders and rules of all people').waitFor();
  await checkLook(page, 'templates-house-delete');
  await page.getByRole('button', { name: 'Delete template', exact: true }).click();
  await page.getByRole('heading', { name: 'For everyone' }).waitFor({ state: 'detached' });
  await theirs.reload();
  await theirs.getByText('Vorlage gelöscht, nach Art').waitFor();
  await checkLook(theirs, 'templates-house-gone-320-de');
  // The folder can still be changed: what is gone is not chosen again.
  await theirs.getByRole('button', { name: 'Vorstand bearbeiten' }).tap();
  await theirs.getByLabel('Name').fill('Vorstand 2');
  await theirs.getByRole('button', { name: 'Speichern' }).tap();
  await theirs.getByText('Vorlage gelöscht, nach Art').waitFor({ state: 'detached' });
  await theirs.context().close();
});

/** Of the meeting in the reading room: two sections and a line in none of them. */
const answered = [
  { turn: 7, kind: 'point', section: 1, text: 'The sixth of March is safe either way.' },
  { turn: 6, kind: 'point', section: 2, text: 'If they find something, we lose a week.' },
  { turn: 11, kind: 'open', section: 9, text: 'We plan for six days and keep Sunday in mind.' },
].map((line) => ({ person: null, due: null, ...line }));

const bySections: Brain = (prompt) =>
  /summarise/u.test(prompt.system) ? JSON.stringify({ lines: answered }) : wellBehaved(prompt);

test('a template is tried beside a note, chosen for a folder and a run; its sections are edited, copied and printed', async (t) => {
  const language = await startLanguageServer({ flavour: 'openai', brain: bySections });
  t.after(language.close);
  const { dataDir, session } = await dataWithAda(t);
  const [id] = await tellMeetings(dataDir, [readingRoom]);
  const service = await startServiceProcess(dataDir, {
    MITSCHRIFT_LLM_BASE_URL: language.url,
    MITSCHRIFT_LLM_MODEL: 'test-model',
  });
  t.after(async () => await service.end('SIGTERM'));
  const api = apiOf(service.url, session.token);
  await api.post('/templates', {
    name: 'Building site',
    sections: [
      { title: 'Dates that are safe' },
      { title: 'What may go wrong', about: 'and what it would cost' },
      { title: 'Money' },
    ],
  });
  await api.post('/folders', { name: 'Library' });
  const browser = await startChromium(t);
  const page = await openPage(t, browser, {
    url: `${service.url}/organise?part=templates`,
    session,
  });
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);

  await t.test('tried beside a note', async () => {
    await page.getByRole('button', { name: 'Edit Building site' }).click();
    const panel = page.getByRole('region', { name: 'Try it' });
    await panel.getByRole('button', { name: 'Try', exact: true }).click();
    await panel.getByText('The sixth of March is safe either way.').waitFor();
    await panel.getByText('Nothing was said about this.').waitFor();
    await checkLook(page, 'templates-tried');
    await page.setViewportSize({ width: 320, height: 800 });
    await checkLook(page, 'templates-tried-320');
    await page.setViewportSize({ width: 1280, height: 900 });
    await panel.getByRole('link', { name: '00:57' }).click();
    await page.waitForURL(`**/notes/${id}?t=57`);
  });

  await t.test('chosen for a folder', async () => {
    await page.goto(`${service.url}/organise`);
    await page.getByRole('button', { name: 'Edit Library' }).click();
    await page.getByLabel('Template').selectOption('Building site');
    await checkLook(page, 'templates-folder');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Building site').waitFor();
  });

  await t.test('chosen when a note is processed again', async () => {
    await page.goto(`${service.url}/notes/${id}`);
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('button', { name: 'Process again…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Summary', { exact: false }).last().click();
    await dialog.getByLabel('Template').selectOption('Building site');
    await checkLook(page, 'templates-again');
    await dialog.getByRole('button', { name: 'Process again' }).click();
    await page.getByRole('heading', { name: 'Dates that are safe' }).waitFor();
    await page.getByRole('heading', { name: 'What may go wrong' }).waitFor();
    await checkLook(page, 'templates-note');
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('button', { name: 'Versions' }).click();
    await page
      .getByRole('dialog', { name: 'Versions' })
      .getByText('Template: Building site')
      .waitFor();
    await checkLook(page, 'templates-versions');
    await page.keyboard.press('Escape');
  });

  await t.test('its sections stay while a line is edited, copied and printed', async () => {
    const section = page.getByRole('region', { name: 'What may go wrong' });
    await section.getByText('If they find something, we lose a week.').click();
    await page.locator('.summary textarea').fill('We may lose a week.');
    await page.keyboard.press('Enter');
    await untilHolds(page, "document.activeElement?.value === ''");
    await page.keyboard.type('And money.');
    await page.keyboard.press('Enter');
    await section.getByText('And money.').waitFor();
    await checkLook(page, 'templates-note-editing');
    await page.keyboard.press('Escape');
    await section.getByText('We may lose a week.').waitFor();
    await page.getByRole('button', { name: 'Copy', exact: true }).click();
    await page.getByRole('button', { name: 'Copy as Markdown' }).click();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    const wanted =
      /## Dates that are safe\n\n- The sixth[^\n]*\n\n## What may go wrong\n\n- We may lose a week\.\n- And money\.\n\n## Open questions\n\n- We plan/u;
    assert.match(copied, wanted);
    await page.evaluate("dispatchEvent(new Event('beforeprint'))");
    await page.emulateMedia({ media: 'print' });
    const printed = page.locator('.paper');
    await printed.getByRole('heading', { name: 'What may go wrong' }).waitFor();
    await screenshot(page, 'templates-printed');
    await page.emulateMedia({ media: 'screen' });
    await page.evaluate("dispatchEvent(new Event('afterprint'))");
  });

  await t.test('on a phone of 320 pixels, in German and dark', async () => {
    const german = await openPage(t, browser, {
      url: `${service.url}/organise?part=templates`,
      session,
      theme: 'dark',
      ...phone,
      viewport: { width: 320, height: 800 },
      locale: 'de-DE',
    });
    await german.getByText('Standard für Besprechungen').waitFor();
    const dark = async (name: string) => {
      await checkLook(german, name);
      await german.emulateMedia({ colorScheme: 'dark' });
      await screenshot(german, `${name}-dark`);
    };
    await dark('templates-list-german');
    await german.getByRole('button', { name: 'Building site bearbeiten' }).tap();
    const panel = german.getByRole('region', { name: 'Ausprobieren' });
    await panel.getByRole('button', { name: 'Ausprobieren' }).tap();
    await panel.getByText('In keinem Abschnitt').waitFor();
    await dark('templates-form-german');
    await german.goto(`${service.url}/notes/${id}`);
    await german.getByRole('heading', { name: 'What may go wrong' }).waitFor();
    await dark('templates-note-german');
    await german.context().close();
  });

  await t.test('chosen for many notes at once: what that means is said before', async () => {
    const before = language.chats().length;
    await page.goto(service.url);
    const row = page.locator(`[data-row="${id}"] h3 a`);
    // Until it is seen it takes no focus, and the key would go to the page.
    await row.waitFor();
    await row.press('x');
    const bar = page.getByRole('region', { name: 'Selection' });
    await bar.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('button', { name: 'Process again…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('The summary alone, by a template').click();
    await dialog.getByText('There’s no Undo for all of them.', { exact: false }).waitFor();
    await dialog.getByLabel('Template', { exact: true }).selectOption('Lecture');
    await checkLook(page, 'templates-many');
    await dialog.getByRole('button', { name: 'Process again…' }).click();
    await page.getByText('1 note is being processed again.').first().waitFor();
    while (language.chats().length === before) await page.waitForTimeout(100);
    const versions = async () =>
      (
        await api.get<{ versions: { template: { id: string } | null }[] }>(
          `/recordings/${id}/versions`,
        )
      ).versions;
    while ((await versions())[0]?.template?.id !== 'lecture') await page.waitForTimeout(100);
  });

  await t.test('chosen for many on a phone of 320 pixels, in German', async () => {
    const german = await openPage(t, browser, {
      url: service.url,
      session,
      ...phone,
      viewport: { width: 320, height: 800 },
      locale: 'de-DE',
    });
    await german.getByRole('button', { name: 'Auswählen' }).tap();
    await german.locator('input[type=checkbox]').first().tap();
    const bar = german.getByRole('region', { name: 'Auswahl' });
    await bar.getByRole('button', { name: 'Mehr', exact: true }).tap();
    await german.getByRole('button', { name: 'Neu verarbeiten…' }).tap();
    const dialog = german.getByRole('dialog');
    await dialog.getByText('Nur die Zusammenfassung, nach einer Vorlage').tap();
    await dialog.getByLabel('Vorlage', { exact: true }).waitFor();
    await checkLook(german, 'templates-many-320-de');
    await german.context().close();
  });
});
