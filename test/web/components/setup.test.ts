import { show } from './dom.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { flushSync } from 'svelte';
import FailedDownloads from '../../../web/pages/setup/FailedDownloads.svelte';
import { settingOf } from '../../../src/config/schema.ts';
import { settingGroups } from '../../../src/config/settings-page.ts';
import german from '../../../web/pages/setup/words.de.ts';
import { models as listed, refresh } from '../../../web/client/models.ts';
import SpeechStep from '../../../web/pages/setup/SpeechStep.svelte';
import { draftsOf } from '../../../web/pages/setup/drafts.ts';
import { outcomesIn, outcomesNow } from '../../../web/pages/setup/steps.ts';
import { eventually } from '../../support/eventually.ts';

test('what was set before the page was loaded is done, what was not is still to come', () => {
  const nothing = {
    stt: { base_url: null },
    llm: { base_url: null },
    audio: { device: null },
  };
  assert.deepEqual(outcomesIn(nothing, null, null), {});
  assert.deepEqual(outcomesIn(nothing, 'Parakeet', '/home/ada/Vault'), {
    speech: { result: 'done', detail: 'Parakeet' },
    notesFolder: { result: 'done', detail: '/home/ada/Vault' },
  });
});

test('speech recognition is not done while its model could not be downloaded', () => {
  const administrator = { result: 'done', detail: 'ada' } as const;
  const speech = { result: 'done', detail: 'Parakeet, on this computer' } as const;
  const ended = { administrator, speech };
  assert.deepEqual(outcomesNow(ended, false), ended);
  assert.deepEqual(outcomesNow(ended, true), { administrator });
  const skipped = { administrator, speech: { result: 'skipped' } } as const;
  assert.deepEqual(outcomesNow(skipped, true), skipped);
  assert.deepEqual(outcomesNow({ administrator }, true), { administrator });
});

/** What a model of `GET /models` has in these tests, unless it says otherwise. */
const model = {
  id: 'p',
  title: 'Parakeet',
  purpose: 'speech-to-text',
  size: 640_100_000,
  installed: false,
  progress: null as object | null,
  error: null as string | null,
  downloads: [{ url: 'https://models.example/p.tar.bz2', size: null, sha256: null }],
};

test('a download that failed is said until another model, a server or an import takes its place', async (t) => {
  const before = globalThis.fetch;
  t.after(() => (globalThis.fetch = before));
  let models: object[] = [];
  globalThis.fetch = async () => Response.json({ models, broken: [], command_line: 'node m.js' });
  const failed = { ...model, error: 'no internet' };
  const voices = { ...failed, id: 'v', title: 'TitaNet', purpose: 'speaker-embedding' };
  const other = { ...model, id: 'own', title: 'Own' };
  for (const [what, list, hasServer, said] of [
    ['nothing else', [failed, other], false, ['Parakeet']],
    ['another is there', [failed, { ...other, installed: true }], false, []],
    ['another comes', [failed, { ...other, progress: { phase: 'waiting' } }], false, []],
    ['a server was chosen', [failed, other], true, []],
    ['it was imported', [{ ...failed, installed: true }], false, []],
    ['of another purpose', [voices, { ...other, installed: true }], true, ['TitaNet']],
  ] as const) {
    models = [...list];
    const shown = show(t, FailedDownloads, { ofSpeech: false, hasServer });
    await eventually(what, async () => {
      await refresh();
      return JSON.stringify(listed.get()) === JSON.stringify(list);
    });
    flushSync();
    const text = shown.querySelector('[role=alert]')?.textContent ?? '';
    assert.deepEqual(
      ['Parakeet', 'TitaNet'].filter((title) => text.includes(`${title} could not be`)),
      said,
      what,
    );
  }
});

test('the model that is chosen is the one that is used, also where another one is there', async (t) => {
  const before = globalThis.fetch;
  t.after(() => (globalThis.fetch = before));
  const own = { ...model, id: 'own', title: 'Own', languages: [], recommended: null, about: null };
  const parakeet = { ...own, ...model, recommended: 'It fits.' };
  for (const [other, sent] of [
    [own, null],
    [{ ...own, installed: true }, 'p'],
  ] as const) {
    const models = [parakeet, other];
    const put: unknown[] = [];
    globalThis.fetch = async (input) => {
      const request = input as Request;
      if (request.method === 'PUT') put.push(await request.json());
      return Response.json({ models, broken: [], config: {}, overridden: [] });
    };
    await refresh();
    let ended = '';
    const shown = show(t, SpeechStep, {
      draft: { ...draftsOf(null, null).speech, choice: 'p', meetings: false },
      onend: (_result: string, detail?: string) => (ended = detail ?? ''),
    });
    [...shown.querySelectorAll('button')].find((one) => one.textContent === 'Continue')!.click();
    await eventually('it goes on', () => ended !== '');
    assert.equal(ended, 'Parakeet, on this server');
    assert.deepEqual(put, [{ stt: { base_url: null, local_model: sent } }]);
  }
});

test('without internet, the addresses of what failed are shown, and the command that brings it in', async (t) => {
  const before = globalThis.fetch;
  t.after(() => (globalThis.fetch = before));
  const failed = { ...model, error: 'no internet' };
  const [file] = model.downloads;
  const known = { ...file!, size: 2_000_000, sha256: 'ab12' };
  const models = [{ ...failed, downloads: [known] }];
  globalThis.fetch = async () => Response.json({ models, broken: [], command_line: 'node m.js' });
  const shown = show(t, FailedDownloads, { ofSpeech: true, hasServer: false });
  await refresh();
  await eventually('the command is there', () =>
    shown.textContent.includes('node m.js models import FILE'),
  );
  assert.ok(shown.querySelector(`details a[href="${known.url}"]`));
  for (const part of ['Parakeet (about 640 MB)', known.url, '(2 MB)', 'SHA-256 ab12'])
    assert.ok(shown.textContent.includes(part), part);
});

test('the setup leads to the field by which models come from another place, under its name', async (t) => {
  const { title } = settingOf('models.mirror');
  const groups = settingGroups('de');
  const group = groups.find(({ settings }) => settings.some(({ key }) => key === 'models.mirror'))!;
  assert.equal(german.mirrorSetting, `${group.title}, „${title.de}“`);
  const before = globalThis.fetch;
  t.after(() => (globalThis.fetch = before));
  const models = [{ ...model, error: 'no internet' }];
  globalThis.fetch = async () => Response.json({ models, broken: [], command_line: 'node m.js' });
  const shown = show(t, FailedDownloads, { ofSpeech: true, hasServer: false });
  await refresh();
  const link = () => shown.querySelector(`a[href="/settings?part=${group.id}"]`);
  await eventually(
    'the link names the field',
    () => link()?.textContent.includes(title.en) === true,
  );
});

test('a download that failed is said on every step, with what can be done', async (t) => {
  const before = globalThis.fetch;
  const asked: string[] = [];
  const failed = 'github.com: its name is unknown.';
  globalThis.fetch = async (input) => {
    const { method, url } = input as Request;
    asked.push(`${method} ${new URL(url).pathname}`);
    const error = asked.some((one) => one.startsWith('POST')) ? null : failed;
    return Response.json({ models: [{ ...model, error }], broken: [] });
  };
  t.after(() => (globalThis.fetch = before));
  const shown = show(t, FailedDownloads, { ofSpeech: false, hasServer: false });
  await refresh();
  await eventually('it is said', () => shown.textContent.includes(failed));
  const text = shown.textContent ?? '';
  for (const part of ['Parakeet could not be downloaded.', 'internet', 'models.example/p.tar.bz2'])
    assert.ok(text.includes(part), part);
  assert.equal(shown.querySelectorAll('a[href="/setup?step=speech"]').length, 1);
  [...shown.querySelectorAll('button')].find((one) => one.textContent === 'Try again')!.click();
  await eventually('it is gone when it is tried again', () => {
    flushSync();
    return !shown.textContent?.includes('could not be downloaded');
  });
  assert.ok(asked.includes('POST /models/p/install'));
});

test('what happens to a model while an answer is on its way is asked for again: it may be of before', async (t) => {
  const before = globalThis.fetch;
  t.after(() => (globalThis.fetch = before));
  const answers: ((models: unknown[]) => void)[] = [];
  globalThis.fetch = async () =>
    await new Promise<Response>((resolve) =>
      answers.push((all) =>
        resolve(Response.json({ models: all, broken: [], command_line: 'node m.js' })),
      ),
    );
  const first = refresh();
  await eventually('it is asked for', () => answers.length === 1);
  const second = refresh();
  answers[0]!([{ id: 'a', error: null }]);
  await eventually('it is asked for again', () => answers.length === 2);
  answers[1]!([{ id: 'a', error: 'no network' }]);
  await Promise.all([first, second]);
  assert.equal(listed.get()?.[0]?.error, 'no network');
  assert.equal(answers.length, 2);
});
