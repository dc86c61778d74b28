import assert from 'node:assert/strict';
import { openAsBlob } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { speak } from '../support/espeak.ts';
import { eventually } from '../support/eventually.ts';
import { apiOf } from '../support/service-process.ts';
import {
  noteAnnouncements,
  openPage,
  record,
  recordedFor,
  saidIn,
  startChromium,
  startWebService,
} from './browser.ts';

test('who sees nothing hears it: a meeting waits for names, a note is there, one failed; each once, on any page', async (t) => {
  const service = await startWebService(t);
  const session = await service.login();
  const api = apiOf(service.url, session.token);
  const browser = await startChromium(t);
  const spoken = join(service.dataDir, 'spoken.wav');
  await speak('The door is painted in the spring.', spoken);
  const upload = async (name: string, fields: Record<string, string>): Promise<string> => {
    const form = new FormData();
    for (const [key, value] of Object.entries(fields)) form.set(key, value);
    form.set('file', await openAsBlob(spoken), name);
    const { recording_id } = await api.post<{ recording_id: string }>('/recordings', form);
    return recording_id;
  };
  const page = await openPage(t, browser, {
    url: `${service.url}/account`,
    session,
    prepare: async (opened) => void (await opened.context().addInitScript(noteAnnouncements)),
  });
  await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
  const told = (text: string) =>
    eventually(text, async () => (await saidIn(page)).includes(`status: ${text}`));

  await t.test(
    'a meeting that waits is called by its file, and is there when it is named',
    async () => {
      const id = await upload('Choir board.wav', { kind: 'meeting' });
      await told('A meeting is waiting for names: Choir board.wav');
      type Pending = { speakers_pending: { speakers: { label: string }[] }[] };
      const { speakers_pending: pending } = await api.get<Pending>('/status');
      const speakers = Object.fromEntries(pending[0]!.speakers.map(({ label }) => [label, 'Ada']));
      await api.post('/speakers', { recording_id: id, speakers });
      await eventually('the note is there', async () =>
        (await saidIn(page)).some((text) => /^status: The note is ready: (?!untitled)/.test(text)),
      );
      // What is only corrected is written again, and is no news; said until the next news, it would be heard by then.
      const path = `/recordings/${id}/utterances/0`;
      const corrected = await fetch(service.url + path, {
        method: 'PATCH',
        headers: { Authorization: `Bearer ${session.token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ text: 'The door is green.' }),
      });
      assert.equal(corrected.status, 200);
      await eventually('it is written', async () => {
        type Status = { processing: object[] };
        return (await api.get<Status>('/status')).processing.length === 0;
      });
    },
  );

  await t.test('one that fails is named, too', async () => {
    await upload('Chorvorstand.wav', { kind: 'solo', language: 'de' });
    await told('A recording could not be processed: Chorvorstand.wav');
    const said = await saidIn(page);
    assert.equal(said.length, 3, JSON.stringify(said));
  });
});

test('closing or reloading the tab asks while its microphone is open, and not in a pause', async (t) => {
  const service = await startWebService(t);
  const session = await service.login();
  const browser = await startChromium(t, [
    '--use-fake-device-for-media-stream',
    '--use-fake-ui-for-media-stream',
  ]);
  const page = await openPage(t, browser, {
    url: service.url,
    session,
    permissions: ['microphone'],
    // The page that went had told of the pause, and had not read the answer: the next one tells it again.
    expected: /status of 409/,
  });
  const asked: string[] = [];
  page.on('dialog', (dialog) => {
    asked.push(dialog.type());
    void dialog.dismiss();
  });
  await record(page, 'This device’s microphone');
  await page.close({ runBeforeUnload: true });
  await eventually('closing asks', () => asked.length === 1);
  await page.evaluate('void location.reload()');
  await eventually('reloading asks', () => asked.length === 2);
  assert.deepEqual(asked, ['beforeunload', 'beforeunload']);
  await recordedFor(page, 2);
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await page.getByText('Paused for').waitFor();
  await page.goto(`${service.url}/account`);
  const bar = page.getByRole('region', { name: 'Current recording' });
  await bar.getByRole('button', { name: /^Stop/ }).click();
  await bar.waitFor({ state: 'detached' });
  assert.equal(asked.length, 2);
});
