import { show } from './dom.ts';
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { flushSync } from 'svelte';
import { chartJson } from '../../../machines/chart.ts';
import { openStreams } from '../../../web/client/microphone/streams.ts';
import { toasts } from '../../../web/app/toasts.ts';
import Others from '../../../web/recording-bar/Others.svelte';
import { actByKey } from '../../../web/recording-bar/by-key.ts';
import { surface } from '../../../web/recording-bar/surface.ts';
import { router } from '../../../web/app/routes.ts';
import { ApiError, answer, api } from '../../../web/client/api.ts';
import { connection, status } from '../../../web/client/feed.ts';
import { session } from '../../../web/client/session.ts';
import { namesOfKeys } from '../../../web/components/key-names.ts';
import { words as general } from '../../../web/components/words.ts';
import { surfacesOf } from '../../../web/client/microphone/recording-surface.ts';
import OptionsDialog from '../../../web/recording-bar/OptionsDialog.svelte';
import RecordingBar from '../../../web/recording-bar/RecordingBar.svelte';
import Meeting from '../../../web/pages/speakers/Meeting.svelte';
import Progress from '../../../web/pages/recording/Progress.svelte';
import ModelRow from '../../../web/pages/settings/ModelRow.svelte';
import SettingRow from '../../../web/pages/settings/SettingRow.svelte';
import SideNav from '../../../web/pages/settings/SideNav.svelte';
import SpeakersPage from '../../../web/pages/speakers/SpeakersPage.svelte';
import Voice from '../../../web/pages/speakers/Voice.svelte';
import { optionsShown } from '../../../web/recording-bar/options.ts';
import TryTemplate from '../../../web/pages/templates/TryTemplate.svelte';
import NextDays from '../../../web/retention/NextDays.svelte';
import { retention } from '../../../web/retention/retention.ts';
import Links from '../../../web/sharing/Links.svelte';
import ShareDrawer from '../../../web/sharing/ShareDrawer.svelte';
import { statesOf } from '../../../web/pages/statechart/moments.ts';
import { stateNames } from '../../../web/pages/statechart/state-names.ts';
import { chosenLanguage } from '../../../web/words/i18n.ts';
import { eventually } from '../../support/eventually.ts';
import { settled } from './sockets.ts';

/** The page in German until the test is over; `shown` becomes true once its words are there. */
async function inGerman(t: TestContext, shown: () => boolean): Promise<void> {
  t.after(() => chosenLanguage.set(undefined));
  chosenLanguage.set('de');
  await eventually('it is German', () => {
    flushSync();
    return shown();
  });
}

const refused = { type: '/problems/not-accepted', title: 'Not now', status: 409 };

test('every state of the machine, and every stage, has a name in both languages', async (t) => {
  const paths = statesOf(chartJson())
    .filter(({ type }) => type !== 'history')
    .map(({ path }) => path);
  assert.ok(paths.length > 20);
  const stop = stateNames.subscribe(() => {});
  t.after(stop);
  const unnamed = () => paths.filter((path) => stateNames.get().state(path) === undefined);
  const both = 'transcribing.attributing(diarize.running,identify.done)';
  assert.deepEqual(unnamed(), []);
  assert.equal(stateNames.get().states(both), 'Separating speakers');
  assert.equal(stateNames.get().states('idle.saved'), 'Note saved');
  assert.equal(stateNames.get().states('of.a.newer(release)'), 'of.a.newer.release');
  await inGerman(t, () => stateNames.get().states('idle.saved') === 'Notiz gespeichert');
  assert.deepEqual(unnamed(), []);
  assert.equal(stateNames.get().states(both), 'Sprecher werden unterschieden');
});

test('keys are called as they are labelled: in the language of the page, and on a Mac', async (t) => {
  const stop = general.subscribe(() => {});
  t.after(stop);
  const keys = ['Ctrl K', 'Ctrl Enter', 'Space', 'Esc', 'Shift S'];
  const names = (onMac: boolean) => keys.map((each) => namesOfKeys(each, general.get(), onMac));
  assert.deepEqual(names(false), keys);
  assert.deepEqual(names(true), ['⌘ K', '⌘ ↩', 'Space', 'Esc', '⇧ S']);
  await inGerman(t, () => names(false)[0] === 'Strg K');
  assert.deepEqual(names(false), ['Strg K', 'Strg Eingabe', 'Leertaste', 'Esc', 'Umschalt S']);
});

test('what was said is quoted with the quotation marks of the page', async (t) => {
  const speaker = {
    label: 'SPEAKER_00',
    suggested_name: 'Ben',
    reason: '“Ben, you were there”',
    quote: 'Ben, you were there',
    certainty: 0.9,
    seconds: 10,
    sample: null,
    samples: [],
  };
  const shown = show(t, Voice, {
    speaker,
    number: 1,
    name: 'Ben',
    people: [],
    twin: undefined,
    playing: false,
    disabled: false,
    onhear: () => {},
    onnext: () => {},
  } as never);
  assert.match(shown.textContent, /From the recording: “Ben, you were there”/);
  await inGerman(t, () => shown.textContent.includes('Aus der Aufnahme: „Ben, you were there“'));
});

test('a server that does not answer is named in the language of the page', async (t) => {
  const stop = general.subscribe(() => {});
  t.after(stop);
  const answers = t.mock.method(globalThis, 'fetch', () => Promise.reject(new TypeError()));
  const said = () =>
    answer(api.GET('/status')).then(
      () => '',
      (error: unknown) => (error as ApiError).problem.title,
    );
  assert.equal(await said(), 'The server isn’t responding.');
  await inGerman(t, () => general.get().away === 'Der Server antwortet nicht.');
  assert.equal(await said(), 'Der Server antwortet nicht.');
  answers.mock.mockImplementation(async () => new Response('<h1>Bad', { status: 502 }));
  assert.equal(await said(), 'Der Server hat mit einem Fehler geantwortet (502).');
});

test('who closes the question for a tab is told that none was chosen, not that a microphone was refused', async (t) => {
  const before = Object.getOwnPropertyDescriptor(navigator, 'mediaDevices');
  const getDisplayMedia = () => Promise.reject(new DOMException('', 'NotAllowedError'));
  Object.defineProperty(navigator, 'mediaDevices', {
    value: { getDisplayMedia },
    configurable: true,
  });
  t.after(() => Object.defineProperty(navigator, 'mediaDevices', before ?? { value: undefined }));
  await assert.rejects(openStreams('tab'), { code: 'no-tab' });
});

test('what the bar asks and is refused is said in the bar', async (t) => {
  t.mock.method(globalThis, 'fetch', async () => Response.json(refused, { status: 409 }));
  session.set({ token: 't', username: 'ada', is_admin: true } as never);
  t.after(() => session.set(null));
  const running = {
    recording_id: 'r1',
    kind: 'solo',
    title: null,
    started_at: '2026-01-01T00:00:00Z',
    device: 'Desk Mic',
    paused: false,
    seconds: 1,
    warning: null,
  } as const;
  const [now] = surfacesOf({
    here: null,
    running: [running],
    ended: new Set<string>(),
    trouble: null,
    login: { username: 'ada' },
    now: Date.now(),
  });
  const shown = show(t, RecordingBar, { now } as never);
  assert.match(shown.textContent, /Recording in Desk Mic/);
  for (const name of ['Pause', 'Stop']) {
    [...shown.querySelectorAll('button')].find((one) => one.textContent.includes(name))!.click();
    await eventually(name, () => {
      flushSync();
      return shown.querySelector('.more')?.textContent === 'Not now';
    });
  }
});

test('what is asked of a recording by a key or in the menu of others, and is refused, is said', async (t) => {
  t.mock.method(globalThis, 'fetch', async () => Response.json(refused, { status: 409 }));
  session.set({ token: 't', username: 'ada', is_admin: true } as never);
  const running = {
    recording_id: 'r1',
    kind: 'solo',
    title: 'Choir',
    started_at: '2026-01-01T00:00:00Z',
    device: 'Desk Mic',
    source: { name: null },
    paused: false,
    duration: 1,
    warnings: [],
  };
  status.set({ recording: running, recordings: [running], speakers_pending: [] } as never);
  t.after(() => (session.set(null), status.set(null), toasts.set([])));
  const menu = show(t, Others, { others: [surface.get()] } as never);
  const opening = document.createEvent('Event');
  opening.initEvent('beforetoggle');
  menu.querySelector('.menu-list')!.dispatchEvent(Object.assign(opening, { newState: 'open' }));
  flushSync();
  const stopOther = () =>
    [...menu.querySelectorAll('button')].find((one) => one.textContent.includes('Choir'))!.click();
  const ways = [() => actByKey('stop'), () => actByKey('pause'), stopOther];
  for (const [at, ask] of ways.entries()) {
    toasts.set([]);
    ask();
    const isSaid = () => toasts.get().some(({ text }) => text === 'Not now');
    await eventually(`${at} is said`, isSaid, 3000);
  }
});

test('names that no recording takes are said to be too long, or too many, before it begins', async (t) => {
  t.mock.method(globalThis, 'fetch', async () => Response.json({ people: [], folders: [] }));
  Object.defineProperty(globalThis, 'isSecureContext', { value: false, configurable: true });
  optionsShown.set(true);
  t.after(() => optionsShown.set(false));
  const shown = show(t, OptionsDialog, {});
  const field = shown.querySelector<HTMLInputElement>('[maxlength="2000"]')!;
  const record = (people: string) => {
    field.value = people;
    field.dispatchEvent(new window.Event('input', { bubbles: true }));
    shown.querySelector('form')!.requestSubmit();
    flushSync();
    return optionsShown.get();
  };
  const tooMany = Array.from({ length: 51 }, (_, k) => `Ben ${k}`).join(', ');
  for (const people of ['Ben; Cleo; '.repeat(9), tooMany]) {
    assert.equal(record(people), true, people);
    assert.match(shown.textContent, /Too many names, or .* 50 names of up to 60 characters/);
    assert.equal(field.getAttribute('aria-invalid'), 'true');
    assert.equal(field.closest('details')!.open, true);
    await eventually('the field has the focus', () => document.activeElement === field);
    field.blur();
  }
});

test('what an access, its links and a trial begin with is read when the service is back', async (t) => {
  let isAway = true;
  t.mock.method(globalThis, 'fetch', async () => {
    if (isAway) throw new TypeError('Failed to fetch');
    const all = { grants: [], links: [], seen: [], users: [], groups: [], transcripts: [] };
    return Response.json(all);
  });
  t.after(() => connection.set({ state: 'open' }));
  const parts = [
    show(t, ShareDrawer, {
      shared: { kind: 'folder', id: 'f' },
      title: 'Choir',
      onclose() {},
      onchanged() {},
    } as never),
    show(t, Links, { id: 'r', onchanged() {} }),
    show(t, TryTemplate, { template: {} } as never),
  ];
  const lack = () => {
    flushSync();
    return parts.filter((part) => part.textContent.includes('isn’t responding')).length;
  };
  await eventually('none is read', () => lack() === 3);
  isAway = false;
  connection.set({ state: 'away', since: 0, nextTry: 0 });
  connection.set({ state: 'open' });
  const isRead = ['form', '.none', 'p.soft'];
  await eventually('all are read', () => {
    flushSync();
    return isRead.every((selector, at) => parts[at]!.querySelector(selector) !== null);
  });
});

test('what goes within 30 days is what the last period says, whichever answer comes last', async (t) => {
  const answers: ((days: Response) => void)[] = [];
  t.mock.method(
    globalThis,
    'fetch',
    ({ url }: Request) =>
      new Promise<Response>((give) => {
        if (url.includes('/preview')) answers.push(give);
      }),
  );
  const target = show(t, NextDays, {});
  assert.equal(answers.length, 1);
  retention.set({} as never);
  assert.equal(answers.length, 2);
  const goes = (notes: number) =>
    Response.json({ notes, audio: 0, shared: 0, protected: 0, items: [] });
  answers[1]!(goes(7));
  await eventually('it is shown', () => (flushSync(), /\b7\b/.test(target.textContent)));
  answers[0]!(goes(3));
  await settled();
  await settled();
  flushSync();
  assert.doesNotMatch(target.textContent, /\b3\b/);
});

test('a key that plays a voice is a dialog’s while one is open', (t) => {
  t.mock.method(globalThis, 'fetch', () => new Promise(() => {}));
  const speaker = { label: 'SPEAKER_00', seconds: 10, sample: { start: 1, end: 5 }, samples: [] };
  const meeting = {
    recording_id: 'r',
    title: 'Choir',
    source: null,
    started_at: '2026-01-01T00:00:00Z',
    speakers: [speaker],
  };
  show(t, Meeting, { meeting, people: [], isWaiting: true, onended() {} } as never);
  const isTaken = () => {
    const event = new window.KeyboardEvent('keydown', {
      key: '1',
      cancelable: true,
      bubbles: true,
    });
    document.body.dispatchEvent(event);
    return event.defaultPrevented;
  };
  assert.equal(isTaken(), true);
  const dialog = document.createElement('dialog');
  dialog.open = true;
  document.body.append(dialog);
  t.after(() => dialog.remove());
  assert.equal(isTaken(), false);
});

test('a notification shows its meeting also where another one is open, or the voices are', async (t) => {
  t.mock.method(globalThis, 'fetch', () => new Promise(() => {}));
  const waits = (recording_id: string) => ({
    recording_id,
    title: `Meeting ${recording_id}`,
    source: null,
    started_at: '2026-01-01T00:00:00Z',
    speakers: [{ label: 'SPEAKER_00', seconds: 10, sample: { start: 1, end: 5 }, samples: [] }],
  });
  status.set({ speakers_pending: [waits('a'), waits('b')] } as never);
  t.after(() => (status.set(null), router.open('/')));
  router.open('/speakers');
  const page = show(t, SpeakersPage, {});
  const chosen = async () => {
    await settled();
    flushSync();
    return page.querySelector('.filters [aria-current]')?.textContent.trim();
  };
  assert.match((await chosen()) ?? '', /^Meeting a/);
  router.open('/speakers?recording=b');
  assert.match((await chosen()) ?? '', /^Meeting b/);
  const known = [...page.querySelectorAll('button')].find((one) => /voices/.test(one.textContent));
  known!.click();
  assert.equal(await chosen(), undefined);
  router.open('/speakers?recording=b');
  assert.match((await chosen()) ?? '', /^Meeting b/);
});

test('while only the page’s memory has some of it, each state says to keep the page open', (t) => {
  const here = {
    id: 'b',
    recordingId: 'r',
    kind: 'solo',
    source: 'microphone',
    user: 'ada',
    startedAt: '2026-01-01T00:00:00Z',
    seconds: 60,
    safe: 30,
    onDisk: 20,
    linked: false,
    inMemory: true,
    level: { rms: 0, peak: 0 },
    sides: null,
    lost: null,
    missed: null,
    sound: { state: 'heard', since: 0, blockAt: 0 },
    since: 0,
  } as const;
  const said = (state: 'paused' | 'held' | 'ending', inMemory = true) => {
    const given = {
      running: [],
      ended: new Set<string>(),
      trouble: null,
      login: { username: 'ada' },
      now: Date.now(),
    };
    const [now] = surfacesOf({ here: { ...here, state, inMemory }, ...given });
    return show(t, RecordingBar, { now } as never).querySelector('.rb-say')!.textContent;
  };
  for (const state of ['paused', 'held', 'ending'] as const) {
    assert.match(said(state), /no storage space left. Keep this page open./, state);
    assert.doesNotMatch(said(state), /Everything recorded so far is saved/, state);
  }
  assert.match(said('held', false), /Everything recorded so far is saved. Select “Continue/);
});

test('what a recording waits for, and where it is set, is said by the stage', (t) => {
  session.set({ token: 't', username: 'ada', is_admin: true } as never);
  t.after(() => session.set(null));
  const recording = {
    recording_id: 'r',
    access: null,
    status: 'TRANSCRIBING',
    kind: 'meeting',
    state: 'transcribing.finishing(punctuate.running,summarise.running)',
    stage: null,
    version: 0,
    fraction: null,
    error: null,
    waiting: { for: 'the language model', ahead: 2, since: '2026-01-01T00:00:00Z' },
    activities: [
      { stage: 'punctuate', waiting: { for: 'language-model', ahead: 2 }, seconds_left: null },
    ],
  };
  const said = (more: object) =>
    show(t, Progress, { recording: { ...recording, ...more }, onproblem: () => {} } as never);
  assert.match(said({}).textContent, /Waiting for the language model\.\s+2 requests ahead\./);
  const failed = (stage: string, version = 0, code = 'engine-failed') => {
    const error = { stage, code, retriable: true, message: 'No.' };
    return said({ status: 'ERROR', version, waiting: null, activities: [], error });
  };
  const settings = (shown: HTMLElement) => shown.querySelector('a.btn')?.getAttribute('href');
  assert.equal(settings(failed('summarise')), '/settings?part=language');
  assert.equal(settings(failed('transcribe')), '/settings?part=speech');
  assert.equal(settings(failed('transcribe', 0, 'no-engine')), '/settings?part=models');
  assert.match(failed('summarise').textContent, /Dismiss/);
  assert.match(failed('summarise', 2).textContent, /Keep version 2/);
});

test('a number beside a part of the settings is told with what it counts, once', (t) => {
  const groups = [{ id: 'speech', title: 'Speech', settings: [{ key: 'stt.model' }] }];
  const shown = show(t, SideNav, { groups, part: 'speech', changed: ['stt.model'] } as never);
  const chip = shown.querySelector('.chip')!;
  assert.equal(chip.querySelector('[aria-hidden=true]')?.textContent, '1');
  assert.equal(chip.querySelector('.vh')?.textContent, '1 unsaved change');
});

test('a choice that nobody made says which one holds, in words', (t) => {
  const field = {
    key: 'stt.live',
    type: 'choice',
    title: 'When',
    description: '',
    choices: [{ value: 'while-recording', label: 'While people talk' }],
    default: 'while-recording',
    default_text: 'while-recording; after-the-stop on one core',
  };
  const stored = field.default;
  const props = { field, value: stored, stored, overridden: [], fault: undefined };
  const shown = show(t, SettingRow, { ...props, onchange: () => {} } as never);
  assert.match(shown.querySelector('.src')!.textContent, /default: While people talk/);
});

test('a button that asks first ends in three dots; the one that acts does not', (t) => {
  const model = {
    id: 'm',
    title: 'Parakeet',
    purpose: 'speech-to-text',
    size: 1e6,
    languages: ['en'],
    memory_gb: null,
    license: 'MIT',
    installed: true,
    used_for: [],
    recommended: null,
    error: null,
    progress: null,
    about: null,
  };
  const shown = show(t, ModelRow, { model, onremoved: () => {} } as never);
  shown.querySelector('button')!.click();
  flushSync();
  const [opens, ...answers] = [...shown.querySelectorAll('button')].map((one) => one.textContent);
  assert.match(opens!, /^Remove…/);
  assert.deepEqual(
    answers.map((one) => one.trim()),
    ['Cancel', 'Remove'],
  );
});

test('without JavaScript the page says in both languages that it needs it', async () => {
  const html = await readFile(join(import.meta.dirname, '../../../web/index.html'), 'utf8');
  const noscript = /<noscript>.*<\/noscript>/s.exec(html)![0];
  assert.match(noscript, /lang="en">Mitschrift needs JavaScript/);
  assert.match(noscript, /lang="de">Mitschrift braucht JavaScript/);
});
