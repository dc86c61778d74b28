import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { waveformStyle } from '../../src/http/middleware/security.ts';
import { eventually } from '../support/eventually.ts';
import { apiOf, startServiceProcess } from '../support/service-process.ts';
import { tempDir } from '../support/temp-dir.ts';
import {
  checkLook,
  dataWithAda,
  openPage,
  phone,
  recordingBar,
  startChromium,
  untilHolds,
} from './browser.ts';
import { choirBoard, longMeeting, readingRoom, tellMeetings } from './told-meetings.ts';

/** Answers that the pages expect and handle; Chromium says them on its console. */
const expected = /status of (?:404|409|412)/;
/** Sound plays without a press, as it does for who presses. */
const args = ['--autoplay-policy=no-user-gesture-required'];
const hasFocus = (label: string) =>
  `document.activeElement.getAttribute('aria-label') === '${label}'`;

test('a meeting: voices get names by the keyboard alone; its note is heard, corrected, compared and deleted', async (t) => {
  const { dataDir, session } = await dataWithAda(t);
  const [read, waiting, long] = await tellMeetings(dataDir, [
    readingRoom,
    choirBoard,
    longMeeting({ turns: 600 }),
  ]);
  const programs = await standIns(t);
  const vault = await tempDir(t);
  const service = await startServiceProcess(dataDir, {
    PATH: `${programs}:${process.env['PATH']}`,
    DISPLAY: ':0',
    MITSCHRIFT_NOTES_VAULT: vault,
  });
  t.after(async () => await service.end('SIGTERM'));
  const browser = await startChromium(t, args);
  const opened = async (path: string, more: object = {}) =>
    await openPage(t, browser, { url: service.url + path, session, expected, ...more });

  const correctElsewhere = async (turn: number, said: string) =>
    await fetch(`${service.url}/recordings/${read}/utterances/${turn}`, {
      method: 'PATCH',
      headers: { Authorization: `Bearer ${session.token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ text: said }),
    });

  await t.test('names', async () => {
    const other = await opened(`/speakers?recording=${waiting}`);
    const page = await opened('/speakers');
    const field = (number: number) => page.getByLabel(`Name of Speaker ${number}`);
    await field(1).waitFor();
    assert.equal(await field(1).inputValue(), 'Ada Muster', 'as suggested');
    await page.getByText('From the recording: “Ben, you were at the town hall”').waitFor();
    await checkLook(page, 'speakers');
    // A number plays that voice, and stops it.
    await page.keyboard.press('2');
    await page.getByRole('button', { name: /Stop/ }).waitFor();
    await page.keyboard.press('2');
    await page.getByRole('button', { name: /Stop/ }).waitFor({ state: 'detached' });
    await field(3).focus();
    await page.keyboard.type('Cl');
    await page.getByRole('option', { name: 'Cleo Sample' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    assert.equal(await field(3).inputValue(), 'Cleo Sample');
    await page.keyboard.press('Enter');
    await page.keyboard.type('Ben Beispiel');
    await page.getByText('Same name as Speaker 2: both will be merged.').waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${service.url}/notes/${waiting}`);
    await page.getByRole('button', { name: 'Change names' }).waitFor();
    const names = await page.locator('.turn .who').allTextContents();
    assert.deepEqual(
      new Set(names.map((name) => name.slice(1))),
      new Set(['Ada Muster', 'Ben Beispiel', 'Cleo Sample']),
    );
    // The other tab was slower.
    await other.getByText('This meeting is no longer waiting for names.').waitFor();
    await page.context().close();
  });

  await t.test('which of two is chosen is seen in the colours of the system, too', async () => {
    const page = await opened('/speakers', { forcedColors: 'active' });
    await page.locator('.seg').waitFor();
    const borders = await page.evaluate<string[]>(
      `[...document.querySelectorAll('.seg button')].map((one) => getComputedStyle(one).border)`,
    );
    assert.notEqual(borders[0], borders[1]);
    await page.context().close();
  });

  await t.test('a known voice is renamed and deleted; the focus stays where one is', async () => {
    const page = await opened('/speakers');
    // An address that differs in its end alone is followed in the page that is open.
    await page.goto(`${service.url}/speakers#known`);
    await page.getByRole('heading', { name: 'Cleo Sample' }).waitFor();
    await page.getByText('Based on these meetings').first().click();
    await checkLook(page, 'speakers-known');
    const rename = (name: string) => page.getByRole('button', { name: `Rename ${name}` });
    await rename('Cleo Sample').click();
    // Each letter is the field's: R of the page would record.
    await page.keyboard.type('Peter');
    const renamed = page.getByLabel('New name for Cleo Sample');
    assert.equal(await renamed.inputValue(), 'Peter');
    assert.equal(await recordingBar(page).count(), 0);
    // The way past the navigation keeps the address, and what is typed.
    await page.locator('.skip').focus();
    await page.keyboard.press('Enter');
    assert.equal(page.url(), `${service.url}/speakers#known`);
    await untilHolds(page, "document.activeElement.id === 'main'");
    assert.equal(await renamed.inputValue(), 'Peter');
    await renamed.focus();
    await page.keyboard.press('Escape');
    await untilHolds(page, hasFocus('Rename Cleo Sample'));
    await rename('Cleo Sample').click();
    await page.keyboard.type('Cleo Example');
    await page.keyboard.press('Enter');
    await untilHolds(page, hasFocus('Rename Cleo Example'));
    await rename('Cleo Example').click();
    await page.keyboard.type('Cleo Sample');
    await page.keyboard.press('Enter');
    await untilHolds(page, hasFocus('Rename Cleo Sample'));
    await page.getByRole('button', { name: 'Delete the voice of Cleo Sample' }).click();
    await page.getByRole('button', { name: 'Delete permanently', exact: true }).click();
    await page.getByRole('heading', { name: 'Cleo Sample' }).waitFor({ state: 'detached' });
  });

  const page = await opened(`/notes/${read}`);
  await t.test('hears', async () => {
    await page.getByRole('heading', { level: 1, name: readingRoom.title }).waitFor();
    await checkLook(page, 'note');
    const style = await page.evaluate<string>(
      `document.querySelector('.wave > div').shadowRoot.querySelector('.wrapper').computedStyleMap().get('position').value`,
    );
    assert.equal(style, 'relative', `the waveform’s style sheet is not allowed: ${waveformStyle}`);
    await untilHolds(page, waveformHasColoursOfMarks);
    // What the page gives to the system is what a lock screen calls.
    await page.evaluate(`globalThis.acts = {}; {
      const own = navigator.mediaSession.setActionHandler.bind(navigator.mediaSession);
      navigator.mediaSession.setActionHandler = (action, act) => { acts[action] = act; own(action, act); };
    }`);
    await page.locator('.doc').getByRole('button', { name: 'Play from 01:12' }).click();
    await turn(page, 8).locator('.w.on').waitFor();
    await page.keyboard.press('k');
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
    // The page may still be scrolling to what was played, away from under the pointer.
    await eventually('the word is pressed', async () => {
      await turn(page, 4).hover();
      const word = turn(page, 4).locator('[data-word="5"]');
      return await word.click({ timeout: 2000 }).then(
        () => true,
        () => false,
      );
    });
    await page.locator('[data-turn="4"].playing .w.on').waitFor();
    await page.keyboard.press('k');
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
    const at = () => page.evaluate<number>(`Number(document.querySelector('.scrub input').value)`);
    const before = await at();
    assert.ok(before > 40 && before < 48, String(before));
    await page.keyboard.press('l');
    await untilHolds(page, `Number(document.querySelector('.scrub input').value) >= ${before + 9}`);
    await page.keyboard.press('>');
    assert.equal(await page.getByLabel('Speed').inputValue(), '1.25');

    const shown = await page.evaluate<object>(
      `(({ metadata: { title, artist }, playbackState }) => ({ title, artist, playbackState }))(navigator.mediaSession)`,
    );
    const artist = Object.values(readingRoom.names).join(', ');
    assert.deepEqual(shown, { title: readingRoom.title, artist, playbackState: 'paused' });
    const pressed = async (action: string, details = {}) =>
      await page.evaluate(`acts['${action}'](${JSON.stringify(details)})`);
    await pressed('seekto', { seekTime: 42 });
    await untilHolds(page, `Number(document.querySelector('.scrub input').value) === 42`);
    await pressed('previoustrack');
    await untilHolds(page, `Number(document.querySelector('.scrub input').value) === 30`);
    await pressed('nexttrack');
    await untilHolds(page, `Number(document.querySelector('.scrub input').value) === 40`);
    await pressed('seekbackward');
    await untilHolds(page, `Number(document.querySelector('.scrub input').value) === 30`);
    await pressed('play');
    await page.getByRole('button', { name: 'Pause', exact: true }).waitFor();
    await pressed('pause');
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
  });

  await t.test('corrects, with a way back', async () => {
    await turn(page, 1).focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('e');
    await page.getByLabel('Text of this passage').fill('Gladly. The plaster is bone dry.');
    await checkLook(page, 'note-editing');
    await page.keyboard.press('Control+Enter');
    await turn(page, 1).getByText('bone dry').waitFor();
    assert.equal(await page.evaluate('document.activeElement.dataset.turn'), '1');
    await page.keyboard.press('Control+z');
    await turn(page, 1).getByText('measured it again').waitFor();

    // Changed elsewhere while it is corrected here: both are shown.
    await page.keyboard.press('e');
    const area = page.getByLabel('Text of this passage');
    await area.fill('Mine.');
    const reread = page.waitForResponse((answer) => answer.url().endsWith(`/recordings/${read}`));
    await correctElsewhere(1, 'Theirs.');
    await reread;
    await page.keyboard.press('Control+Enter');
    await page.getByText('This passage was changed in the meantime.').waitFor();
    await page.getByText('Theirs.').waitFor();
    await page.getByRole('button', { name: 'Save mine' }).click();
    await turn(page, 1).getByText('Mine.').waitFor();

    await page.keyboard.press('e');
    await area.waitFor();
    await page.getByRole('button', { name: 'Merge with next' }).click();
    await turn(page, 1).getByText('Mine. All of it, or only the rolls for the front?').waitFor();
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await turn(page, 2).getByText('All of it, or only').waitFor();
    assert.match((await turn(page, 2).locator('.who').textContent()) ?? '', /Cleo Sample/);

    await page.keyboard.press('Control+f');
    await page.getByLabel('Find in transcript').fill('LIFT');
    await page.getByText('1 of 2').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('2 of 2').waitFor({ timeout: 20_000 });
    await page.getByLabel('Replace with').fill('elevator');
    const replaceOne = page.getByRole('button', { name: 'Replace', exact: true });
    await replaceOne.press('Enter');
    await page.getByText('1 of 1').waitFor();
    await untilHolds(page, "document.activeElement?.textContent === 'Replace'");
    await page.getByRole('button', { name: 'Replace 1' }).press('Enter');
    await untilHolds(page, "document.activeElement?.id === 'find-what'");
    await turn(page, 4).getByText('And the elevator? Without the elevator').waitFor();
    await page.getByLabel('Find in transcript').press('Escape');
    await untilHolds(page, hasFocus('Find and replace'));
  });

  await t.test('compares versions and goes back to one', async () => {
    await page.getByLabel('More', { exact: true }).click();
    await page.getByRole('button', { name: 'Versions' }).click();
    await page.getByLabel('Compare').selectOption({ label: 'Version 1' });
    // Turns near the window are in the page.
    await page
      .locator('.diff .dh')
      .last()
      .evaluate((head) => head.scrollIntoView());
    await page.locator('.diff del', { hasText: 'lift' }).first().waitFor();
    await page.locator('.diff ins', { hasText: 'elevator' }).first().waitFor();
    await checkLook(page, 'note-versions');

    // What is newer by then takes the place of the newest; what was chosen stays.
    const newest = await page.getByLabel('with', { exact: true }).inputValue();
    await correctElsewhere(2, 'Everything.');
    await page.locator('.diff ins', { hasText: 'Everything' }).first().waitFor();
    assert.equal(await page.getByLabel('Compare').inputValue(), '1');
    assert.equal(await page.getByLabel('with', { exact: true }).inputValue(), `${+newest + 1}`);
    await page.getByRole('button', { name: 'Restore version 1', exact: true }).click();
    // The note is there again, and the way back.
    await page.getByRole('dialog', { name: 'Versions' }).waitFor({ state: 'detached' });
    await page.getByText('Version 1 restored.').first().waitFor();
    await turn(page, 4).getByText('And the lift?').waitFor();
  });

  await t.test(
    'a version that was restored is taken back only while nobody corrected it',
    async () => {
      const note = await opened(`/notes/${read}`);
      await turn(note, 2).waitFor();
      await correctElsewhere(2, 'Before it.');
      await turn(note, 2).getByText('Before it.').waitFor();
      await note.getByLabel('More', { exact: true }).click();
      await note.getByRole('button', { name: 'Versions' }).click();
      await note.getByRole('button', { name: 'Restore version 1', exact: true }).click();
      await note.getByText('Version 1 restored.').first().waitFor();
      await turn(note, 2).getByText('Before it.').waitFor({ state: 'detached' });
      await correctElsewhere(2, 'Since then.');
      await turn(note, 2).getByText('Since then.').waitFor();
      await note.getByRole('button', { name: 'Undo' }).last().click();
      const list = note.getByRole('dialog');
      await list.getByText('Changed again since').waitFor();
      await list.getByRole('button', { name: 'Close' }).click();
      await turn(note, 2).getByText('Since then.').waitFor();
      await note.context().close();
    },
  );

  await t.test('on a phone in German', async () => {
    const small = await opened(`/notes/${read}`, { ...phone, locale: 'de-DE' });
    await small.getByRole('tab', { name: 'Notiz', selected: true }).waitFor();
    await small.getByText('Entscheidungen').waitFor();
    await checkLook(small, 'note-phone');
  });

  await t.test('of a long talk few turns are in the page, and all is found', async () => {
    // As a hit of the search leads here.
    const other = await opened(`/notes/${long}?t=1800`);
    await turn(other, 500).waitFor();
    await other.keyboard.press('Control+f');
    await other.evaluate(`globalThis.most = 0; new MutationObserver(() => {
      const count = document.querySelectorAll('[data-turn]').length;
      globalThis.most = Math.max(globalThis.most, count);
    }).observe(document.querySelector('.turns'), { childList: true, subtree: true })`);
    const find = other.getByLabel('Find in transcript');
    // Near, far, and back: what is on the way is not put into the page.
    await find.fill('reading');
    await turn(other, 0).locator('mark, .text').first().waitFor();
    await find.fill('zwetschgenkuchen');
    await other.getByText('1 of 1').waitFor();
    await turn(other, 580).getByText('Zwetschgenkuchen').waitFor();
    await find.fill('today');
    await turn(other, 0).getByText('today').first().waitFor();
    const shown = await other.evaluate<number>('globalThis.most');
    assert.ok(shown < 100, `${shown} turns are in the page`);

    // A press while it scrolls counts.
    const reached = await other.evaluate<number[]>(`new Promise((resolve) => {
      const panel = document.querySelector('.panel-say');
      const { left, top, width, height } = panel.getBoundingClientRect();
      const reached = [];
      const look = () => {
        const under = document.elementFromPoint(left + width / 2, top + height / 2);
        reached.push(under.closest('[data-turn]') === null ? 0 : 1);
        if (reached.length === 30) return resolve(reached);
        panel.scrollBy({ top: 20, behavior: 'instant' });
        requestAnimationFrame(look);
      };
      // Not before the list has come to rest behind what was sought.
      let resting;
      const rest = () => {
        clearTimeout(resting);
        resting = setTimeout(() => (panel.removeEventListener('scroll', rest), look()), 300);
      };
      panel.addEventListener('scroll', rest);
      rest();
    })`);
    assert.ok(!reached.includes(0), reached.join());
  });

  await t.test('opens in the notes application, and in its folder', async () => {
    await page.getByRole('button', { name: 'Open in notes app' }).click();
    await page.getByText('Opened.').first().waitFor();
    const called = await readFile(join(programs, 'calls'), 'utf8');
    assert.match(called, /^xdg-open obsidian:\/\/open\?vault=\S+&file=\S+\n$/);
    await page.getByLabel('More', { exact: true }).click();
    await page.getByRole('button', { name: 'Show in folder' }).click();
    await eventually('the file manager shows all three', async () => {
      const text = await readFile(join(programs, 'calls'), 'utf8');
      return (text.match(/file:\/\/\S+\.md/g) ?? []).length === 3;
    });

    // A note that was changed in the vault stays, and the page names the one beside it.
    const note = await apiOf(service.url, session.token).get<{
      documents: { transcript: string };
    }>(`/recordings/${read}`);
    const copied = join(vault, note.documents.transcript);
    await writeFile(copied, 'Mine.');
    await correctElsewhere(2, 'Said otherwise.');
    await page.getByRole('button', { name: 'Open in notes app' }).click();
    await page
      .getByText(
        /^The note in your notes app had been changed and was kept\. .*\(Mitschrift \w+\)\.md$/,
      )
      .waitFor();
    assert.equal(await readFile(copied, 'utf8'), 'Mine.');

    // From another computer nothing is opened here: the page says where the files are.
    const calls = await readFile(join(programs, 'calls'), 'utf8');
    const afar = await opened(`/notes/${read}`, {
      extraHTTPHeaders: { 'X-Forwarded-For': '203.0.113.5' },
    });
    await afar.getByLabel('More', { exact: true }).click();
    await afar.getByRole('button', { name: 'Show in folder' }).click();
    await afar.getByText(/^The files are on the Mitschrift server: .*\.md$/).waitFor();
    // What is copied there is copied; no vault of this computer is named, and no program asked.
    await afar.getByRole('button', { name: 'Open in notes app' }).click();
    await afar
      .getByText(/^The note in your notes app had been changed|^Copied to the notes folder/)
      .waitFor();
    assert.equal(new URL(afar.url()).pathname, `/notes/${read}`);
    assert.equal(await readFile(join(programs, 'calls'), 'utf8'), calls);
    await afar.context().close();
  });

  await t.test('exports and deletes', async () => {
    await page.getByText('Export', { exact: true }).click();
    const file = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Plain text' }).click();
    assert.match((await file).suggestedFilename(), /The reading room.*\.txt$/);
    await page.getByLabel('More', { exact: true }).click();
    await page.getByRole('button', { name: 'Delete…' }).click();
    await page.getByRole('heading', { name: 'Delete this recording?' }).waitFor();
    assert.equal(await page.evaluate('document.activeElement.textContent.trim()'), 'Cancel');
    await checkLook(page, 'note-delete');
    await page.getByRole('button', { name: 'Delete permanently' }).click();
    await page.waitForURL(`${service.url}/`);
    await page.goto(`${service.url}/notes/${read}`);
    await page.getByRole('heading', { name: 'Note not found.' }).waitFor();
  });
});

/** Stand-ins for the desktop's programs; `calls` beside them has a line each time one is called. */
async function standIns(t: TestContext): Promise<string> {
  const folder = await tempDir(t);
  for (const name of ['gdbus', 'xdg-open']) {
    const script = `#!/bin/sh\necho ${name} "$@" >> '${folder}/calls'\n`;
    await writeFile(join(folder, name), script, { mode: 0o755 });
  }
  return folder;
}

/** Each speaker's colour, as it is beside the name, is in the waveform, too. */
const waveformHasColoursOfMarks = `(() => {
  const inked = (canvas) => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const pixels = new Set();
    for (let at = 0; at < data.length; at += 4)
      if (data[at + 3] === 255) pixels.add(data.slice(at, at + 3).join());
    return pixels;
  };
  const ofMark = (mark) => {
    const context = new OffscreenCanvas(1, 1).getContext('2d');
    context.fillStyle = getComputedStyle(mark).backgroundColor;
    context.fillRect(0, 0, 1, 1);
    return [...inked(context.canvas)][0];
  };
  const marks = new Set([...document.querySelectorAll('.turn .who .mark')].map(ofMark));
  const drawn = document.querySelector('.wave > div')?.shadowRoot.querySelector('canvas');
  return drawn && marks.size > 1 && marks.isSubsetOf(inked(drawn));
})()`;

const turn = (page: Page, at: number) => page.locator(`[data-turn="${at}"]`);
