import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { apiOf, startServiceProcess } from '../support/service-process.ts';
import {
  accessibilityFaults,
  checkLook,
  dataWithAda,
  openPage,
  phone,
  screenshot,
  startChromium,
  startWebService,
  untilHolds,
} from './browser.ts';
import { type ToldMeeting, readingRoom, tellMeetings } from './told-meetings.ts';

const german320 = { ...phone, viewport: { width: 320, height: 640 }, locale: 'de-DE' };
type Word = { id: string; write: string; heard: string[]; folder: string | null };
const focusedIs = (name: string): string =>
  `(document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent).trim() === '${name}'`;

test('words are added, filtered, changed, imported and deleted, with a way back; the house’s by administrators', async (t) => {
  const service = await startWebService(t);
  const browser = await startChromium(t);
  const session = await service.login();
  const ben = await service.login('ben');
  const api = apiOf(service.url, session.token);
  const listed = async (of: string) =>
    (await api.get<{ words: Word[] }>(`/words?of=${of}`)).words.map(({ write, heard }) => [
      write,
      heard,
    ]);
  const folder = await api.post<{ id: string }>('/folders', { name: 'Interviews' });
  const expected = /status of 4(?:09|22)/;
  const page = await openPage(t, browser, {
    url: `${service.url}/organise?part=words`,
    session,
    expected,
  });
  const list = page.getByRole('listitem');
  const row = (write: string) => list.filter({ has: page.getByText(write, { exact: true }) });

  await t.test(
    'the first is added by keyboard; one that is there is refused where it is typed',
    async () => {
      await page.getByText('No words yet.').waitFor();
      await checkLook(page, 'words-none');
      await page.getByLabel('Written').fill('Kubernetes');
      await page.getByLabel('Often transcribed as').fill('Kuba Netis, cube and eddies');
      await page.keyboard.press('Enter');
      await row('Kubernetes').getByText('“Kuba Netis”, “cube and eddies”').waitFor();
      await untilHolds(page, `document.activeElement.maxLength === 64`);
      await page.keyboard.type('kubernetes');
      await page.keyboard.press('Enter');
      await page.getByText('There is already a word that is written so.').waitFor();
      await checkLook(page, 'words-taken');
      await page.getByLabel('Written').fill('Grete Lindqvist');
      await page.getByLabel('Often transcribed as').fill('x'.repeat(65));
      await page.keyboard.press('Enter');
      await untilHolds(page, `document.activeElement.getAttribute('aria-invalid') === 'true'`);
      await page.getByLabel('Often transcribed as').fill('Greta Lindquist');
      await page.getByLabel('For', { exact: true }).selectOption('Interviews');
      await page.getByRole('button', { name: 'Add', exact: true }).press('Enter');
      await row('Grete Lindqvist').getByText('folder Interviews').waitFor();
      assert.equal((await api.get<{ words: Word[] }>('/words')).words[0]?.folder, folder.id);
    },
  );

  await t.test('many are imported; lines that cannot be read stay in the field', async () => {
    await page.getByRole('button', { name: 'Import…' }).press('Enter');
    await untilHolds(page, focusedIs('Import words'));
    await page
      .getByLabel('Lines')
      .fill('Güterschuppen = Güter Schuppen\n= x\n\nDonaudampfschifffahrt');
    await page.getByRole('button', { name: 'Import', exact: true }).press('Enter');
    await page.getByText('2 words imported').first().waitFor();
    await page.getByText('“= x”: there is no word before “=”.').waitFor();
    assert.equal(await page.getByLabel('Lines').inputValue(), '= x');
    await checkLook(page, 'words-import');
    await page.getByLabel('Lines').fill('Anna Müller = Anna Mueller');
    await page.getByRole('button', { name: 'Import', exact: true }).press('Enter');
    await row('Anna Müller').waitFor();
    await untilHolds(page, focusedIs('Words'));
    await page.getByText('5 words', { exact: true }).waitFor();
    await checkLook(page, 'words-list');
  });

  await t.test('they are filtered, also by what was heard', async () => {
    await page.getByLabel('Filter').fill('schuppen');
    await page.getByText('1 word found').waitFor();
    await row('Güterschuppen').waitFor();
    assert.equal(await row('Kubernetes').count(), 0);
    await page.getByLabel('Filter').fill('');
    await row('Kubernetes').waitFor();
  });

  await t.test('one is changed where it stands, and one deleted, with a way back', async () => {
    const edit = page.getByRole('button', { name: 'Edit Anna Müller' });
    await edit.press('Enter');
    const form = row('Anna Müller').locator('form');
    await untilHolds(page, `document.activeElement.value === 'Anna Müller'`);
    await form.getByLabel('Often transcribed as').fill('Anna Mueller, Anna Miller');
    await checkLook(page, 'words-edit');
    await page.keyboard.press('Enter');
    await row('Anna Müller').getByText('“Anna Mueller”, “Anna Miller”').waitFor();
    await untilHolds(page, focusedIs('Edit Anna Müller'));
    await edit.press('Enter');
    await form.getByRole('button', { name: 'Delete' }).press('Enter');
    await edit.waitFor({ state: 'detached' });
    await untilHolds(page, focusedIs('Edit Donaudampfschifffahrt'));
    await page.getByRole('button', { name: 'Undo', exact: true }).first().press('Enter');
    await edit.waitFor();
    assert.deepEqual((await listed('mine'))[0], ['Anna Müller', ['Anna Mueller', 'Anna Miller']]);
  });

  await t.test('those for everybody are seen by all and changed by administrators', async () => {
    await page.getByRole('button', { name: 'For everyone' }).press('Enter');
    await page.getByText('No words yet.').waitFor();
    await page.getByLabel('Written').fill('Mitschrift');
    await page.getByLabel('Often transcribed as').fill('mit schrift');
    assert.equal(await page.getByLabel('For', { exact: true }).count(), 0);
    await page.keyboard.press('Enter');
    await row('Mitschrift').getByText('“mit schrift”').waitFor();
    assert.deepEqual(await listed('house'), [['Mitschrift', ['mit schrift']]]);
    await checkLook(page, 'words-house');

    const theirs = await openPage(t, browser, {
      url: `${service.url}/organise?part=words`,
      session: ben,
      ...german320,
    });
    await theirs.getByRole('button', { name: 'Für alle' }).tap();
    await theirs.getByText('Mitschrift', { exact: true }).last().waitFor();
    await theirs.getByText('Administratoren ändern sie.').waitFor();
    assert.equal(await theirs.locator('.organise form').count(), 0);
    await screenshot(theirs, 'words-house-320-de');
    await checkLook(theirs, 'words-house-320-de');
  });

  await t.test('on a phone, in German at 320 pixels', async () => {
    const theirs = await openPage(t, browser, {
      url: `${service.url}/organise?part=words`,
      session,
      ...german320,
    });
    await theirs.getByText('Ordner Interviews').waitFor();
    await checkLook(theirs, 'words-320-de');
    await theirs.getByRole('button', { name: 'Grete Lindqvist bearbeiten' }).tap();
    await theirs.getByRole('button', { name: 'Löschen' }).waitFor();
    await checkLook(theirs, 'words-edit-320-de');
    await theirs.getByRole('button', { name: 'Importieren…' }).tap();
    await theirs.getByRole('heading', { name: 'Wörter importieren' }).waitFor();
    await checkLook(theirs, 'words-import-320-de');
  });
});

/** The meeting with a turn of which a word was put in place of another. */
function meetingWith(write: string, heard: string): ToldMeeting {
  const turns = readingRoom.turns.map((turn) => {
    const word = turn.words.find(({ text }) => text.replaceAll(/\P{L}/gu, '') === write);
    if (!word) return turn;
    return { ...turn, replaced: [{ start: word.start, end: word.end, write, heard }] };
  });
  return { ...readingRoom, turns };
}

/** A service with told meetings, and `ada` in a browser. */
async function withMeetings(t: TestContext, meetings: readonly ToldMeeting[]) {
  const { dataDir, session } = await dataWithAda(t);
  const ids = await tellMeetings(dataDir, meetings);
  const service = await startServiceProcess(dataDir);
  t.after(async () => await service.end('SIGTERM'));
  const browser = await startChromium(t);
  const api = apiOf(service.url, session.token);
  // Told up to their documents, which the service writes when it starts: until then nothing is corrected.
  for (const id of ids) {
    const isWritten = async () =>
      (await api.get<{ status: string }>(`/recordings/${id}`)).status === 'IDLE';
    await eventually('the note is written', isWritten);
  }
  const open = async (path: string, more: object = {}) => {
    const page = await openPage(t, browser, { url: `${service.url}${path}`, session, ...more });
    return page;
  };
  type Note = { utterances: { block: string; revision: string; text: string }[] };
  const textOf = async (id: string | undefined) =>
    (await api.get<Note>(`/recordings/${id}`)).utterances.map(({ text }) => text).join(' ');
  /** As a person corrects it on the note's page. */
  const correct = async (id: string | undefined, from: string, to: string) => {
    const { utterances } = await api.get<Note>(`/recordings/${id}`);
    const { block, revision, text } = utterances.find((one) => one.text.includes(from))!;
    const edits = [{ block, revision, text: text.replace(from, to) }];
    await api.patch(`/recordings/${id}/utterances`, { edits });
  };
  return { api, ids, open, textOf, correct };
}

test('what a word replaced is marked in the transcript; one press puts it back, and asks whether the word is to go', async (t) => {
  const { api, ids, open, textOf } = await withMeetings(t, [meetingWith('plaster', 'blaster')]);
  const word = await api.post<Word>('/words', { write: 'plaster', heard: ['blaster', 'pilaster'] });
  const page = await open(`/notes/${ids[0]}`);
  const marked = page.locator('.w.replaced');
  await marked.getByText('plaster').waitFor();
  assert.equal(await marked.count(), 1);
  assert.equal(await marked.getAttribute('title'), 'Heard: “blaster”');
  await marked.focus();
  await page.getByText('Heard: “blaster”').waitFor();
  await checkLook(page, 'words-heard');
  // A picture of the whole page lays it out anew, by which a turn may be drawn again.
  await marked.focus();
  await page.keyboard.press('Tab');
  await untilHolds(page, focusedIs('Put back'));
  await page.keyboard.press('Enter');
  await page.getByText('The blaster is dry').waitFor();
  await page.getByText('“blaster” put back').first().waitFor();
  await page.getByText('Also stop replacing “blaster”?').waitFor();
  await untilHolds(page, focusedIs('Stop replacing'));
  assert.match(await textOf(ids[0]), /The blaster is dry/u);
  await checkLook(page, 'words-put-back');
  await page.getByRole('button', { name: 'Stop replacing' }).press('Enter');
  await page.getByText('“blaster” is no longer replaced').first().waitFor();
  await untilHolds(page, "document.activeElement.getAttribute('role') === 'listitem'");
  const { words } = await api.get<{ words: Word[] }>('/words');
  assert.deepEqual(words, [{ ...words[0], id: word.id, heard: ['pilaster'] }]);
  assert.equal(await marked.count(), 0);
});

test('by touch, in German at 320 pixels: what was heard is said and put back, and goes on being replaced', async (t) => {
  const { api, ids, open, textOf } = await withMeetings(t, [meetingWith('plaster', 'blaster')]);
  await api.post('/words?of=house', { write: 'plaster', heard: ['blaster'] });
  const page = await open(`/notes/${ids[0]}`, german320);
  await page.getByRole('tab', { name: 'Transkript' }).tap();
  await page.locator('.w.replaced').waitFor();
  // In the middle, where nothing covers it, and at rest: while a list is scrolled it takes no presses.
  await page.evaluate("document.querySelector('.w.replaced').scrollIntoView({ block: 'center' })");
  const heard = page.getByText('Gehört: „blaster“');
  await eventually('what was heard is said', async () => {
    await untilHolds(
      page,
      "getComputedStyle(document.querySelector('.w.replaced')).pointerEvents !== 'none'",
    );
    // Forced: Playwright scrolls before it looks again, and the press is lost in a list that is scrolled.
    if (!(await heard.isVisible())) await page.locator('.w.replaced').tap({ force: true });
    return await heard.isVisible();
  });
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.getByRole('button', { name: 'Zurücksetzen' }).tap();
  await page.getByRole('button', { name: 'Weiter ersetzen' }).waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.getByRole('button', { name: 'Weiter ersetzen' }).tap();
  await page.getByRole('button', { name: 'Weiter ersetzen' }).waitFor({ state: 'detached' });
  assert.match(await textOf(ids[0]), /The blaster is dry/u);
  assert.deepEqual((await api.get<{ words: Word[] }>('/words?of=house')).words[0]?.heard, [
    'blaster',
  ]);
});

test('a pair that is corrected in a second note is offered at once, and what was offered before stands above the words', async (t) => {
  const { api, ids, open, correct } = await withMeetings(t, [readingRoom, readingRoom]);
  await correct(ids[0], 'joiner', 'carpenter');
  await correct(ids[0], 'carpet', 'parquet');
  await correct(ids[1], 'carpet', 'parquet');
  const page = await open(`/notes/${ids[1]}`);
  const turn = page.locator('.turn').filter({ hasText: 'The joiner needs' });
  await turn.focus();
  await page.keyboard.press('e');
  const area = page.getByLabel('Text of this passage');
  await area.fill((await area.inputValue()).replace('joiner', 'carpenter'));
  await page.keyboard.press('Control+Enter');
  await page.getByText('Write “carpenter” always?').waitFor();
  const always = page.getByRole('button', { name: 'Always write it so' });
  // With the focus on it, it stays.
  await always.focus();
  await checkLook(page, 'words-offered');
  await always.press('Enter');
  await page.getByText('“carpenter” is written so from now on').first().waitFor();
  const heard = async () =>
    (await api.get<{ words: Word[] }>('/words')).words.map((one) => [one.write, one.heard]);
  assert.deepEqual(await heard(), [['carpenter', ['joiner']]]);

  await page.goto(new URL('/organise?part=words', page.url()).href);
  await page.getByRole('heading', { name: 'From your corrections' }).waitFor();
  const row = page.getByRole('listitem').filter({ hasText: '“carpet” →' });
  await row.getByText('corrected in 2 notes').waitFor();
  assert.equal(
    await page.getByText('“joiner” →').count(),
    0,
    'what is taken over is no suggestion',
  );
  await checkLook(page, 'words-suggestions');
  await row.getByRole('button', { name: 'Always write it so: parquet' }).press('Enter');
  await row.waitFor({ state: 'detached' });
  await untilHolds(page, focusedIs('Words'));
  assert.deepEqual(await heard(), [
    ['parquet', ['carpet']],
    ['carpenter', ['joiner']],
  ]);
  await page.getByRole('button', { name: 'Undo', exact: true }).last().press('Enter');
  await row.waitFor();
  await row.getByRole('button', { name: 'Dismiss: parquet' }).press('Enter');
  await row.waitFor({ state: 'detached' });
  await page.reload();
  await page.getByRole('button', { name: 'Edit carpenter' }).waitFor();
  assert.equal(
    await page.getByText('From your corrections').count(),
    0,
    'dismissed in this browser',
  );
});

test('a word is found in older notes, and corrected where it is chosen, with a way back', async (t) => {
  const { api, ids, open, textOf } = await withMeetings(t, [readingRoom, readingRoom, readingRoom]);
  await api.post('/words', { write: 'parquet', heard: ['carpet'] });
  const page = await open('/organise?part=words');
  await page.getByRole('button', { name: 'Find in older notes… parquet' }).press('Enter');
  await untilHolds(page, focusedIs('parquet in older notes'));
  await page.getByText('in 3 notes.').waitFor();
  const places = page.getByRole('checkbox');
  const each = (await places.count()) / 3;
  assert.ok(each >= 1);
  await page.locator('del').first().getByText('carpet').waitFor();
  await page.locator('ins').first().getByText('parquet').waitFor();
  await checkLook(page, 'words-find');
  // The newest is left as it is.
  for (let at = 0; at < each; at += 1) await places.nth(at).press(' ');
  const button = page.getByRole('button', { name: 'Replace in 2 notes' });
  await button.press('Enter');
  await page.getByText('Replaced in 2 notes').first().waitFor();
  await untilHolds(page, focusedIs('Find in older notes… parquet'));
  const all = async () =>
    await Promise.all(ids.map(async (id) => /carpet/u.test(await textOf(id))));
  assert.equal((await all()).filter(Boolean).length, 1);
  await page.getByRole('button', { name: 'Recent changes' }).press('Enter');
  await page.getByRole('button', { name: 'Undo: Replaced in 2 notes' }).press('Enter');
  await page.getByText('2 notes are as they were before').first().waitFor();
  assert.deepEqual(await all(), [true, true, true]);

  const narrow = await open('/organise?part=words', german320);
  await narrow.getByRole('button', { name: 'In älteren Notizen suchen… parquet' }).tap();
  await narrow.getByText('in 3 Notizen gefunden.').waitFor();
  await checkLook(narrow, 'words-find-320-de');
});
