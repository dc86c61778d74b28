import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { openControl } from '../../src/service/control/socket.ts';
import type { BusInterface, SessionBus } from '../../src/tray/session-bus.ts';
import { type PrivateBus, privateBus } from '../support/private-bus.ts';
import { eventually } from '../support/eventually.ts';
import { tempDir } from '../support/temp-dir.ts';
import { program } from '../support/program.ts';

const root = join(import.meta.dirname, '../..');

const watcherName = 'org.kde.StatusNotifierWatcher';
const withinMs = 20_000;

test('the tray shows the state, and starts and stops through the trigger socket', async (t) => {
  const bus = await privateBus(t);
  const desktop = await bus.connect();
  const registered = await standInTray(desktop);
  const service = await standInService(t);
  await startTray(t, bus, service.dataDir);
  const item = await registered.next();

  assert.match(item, /^org\.kde\.StatusNotifierItem-\d+-1$/);
  const read = reader(desktop, item);
  assert.equal(await read.property('Id'), 'mitschrift');
  assert.equal(await read.property('Menu'), '/MenuBar');
  await read.until((icon) => icon === 'audio-input-microphone');
  assert.deepEqual(await read.menu(), [
    'Ready: off',
    'Record: on',
    'Record meeting: on',
    'Stop and create note: off',
    'Open Mitschrift: on',
    'Hide this icon: on',
  ]);

  await read.choose('Record meeting');
  assert.deepEqual(await service.request(), { action: 'start', kind: 'meeting' });
  await read.until((icon) => icon === 'media-record');
  assert.equal(await read.property('Title'), 'Recording');
  assert.ok((await read.menu()).includes('Record: off'));
  await read.choose('Stop and create note');
  assert.deepEqual(await service.request(), { action: 'stop' });
  await read.until((icon) => icon === 'audio-input-microphone');
  await read.choose('Record');
  assert.deepEqual(await service.request(), { action: 'start' });
  await read.until((icon) => icon === 'media-record');

  // Somebody elsewhere records the microphone of this machine: whoever is at the machine sees it.
  await read.choose('Stop and create note');
  await read.until((icon) => icon === 'audio-input-microphone');
  service.heldByAnother(true);
  await read.until((icon) => icon === 'media-record');
  assert.equal(await read.property('Title'), 'Someone is recording with “Desk Mic”');
  service.heldByAnother(false);
  await read.until((icon) => icon === 'audio-input-microphone');

  // A property that is not there is an error for who asks, and not the end of the tray.
  await assert.rejects(read.property('Nonsense'));
  await service.close();
  await read.until((icon) => icon === 'network-offline');
  assert.ok((await read.menu()).includes('Stop and create note: off'));
});

test('the tray asks about a call in its menu and on the desktop, and sends the answer', async (t) => {
  const bus = await privateBus(t);
  const desktop = await bus.connect();
  const registered = await standInTray(desktop);
  const notifications = await standInNotifications(desktop);
  const service = await standInService(t);
  await startTray(t, bus, service.dataDir);
  const read = reader(desktop, await registered.next());
  await read.until((icon) => icon === 'audio-input-microphone');

  service.call({ id: 'a', ask: 'record', program: 'Firefox' });
  const asked = await notifications.next();
  const text = 'Firefox is using the microphone. Record this call?';
  assert.equal(asked.text, text);
  assert.deepEqual(asked.actions, [
    'record',
    'Record call',
    'not-now',
    'Not now',
    'never',
    'Never for Firefox',
  ]);
  await read.until((icon) => icon === 'dialog-question');
  const menu = await read.menu();
  assert.ok(menu.includes(`${text}: off`) && menu.includes('Never for Firefox: on'), menu.join());
  await read.choose('Record call');
  assert.deepEqual(await service.request(), { id: 'a', answer: 'record' });

  service.call({ id: 'a', ask: 'stop', program: 'Firefox' });
  const end = await notifications.next();
  assert.equal(end.text, 'The call in Firefox seems to be over. Stop recording?');
  notifications.press(end.id, 'continue');
  assert.deepEqual(await service.request(), { id: 'a', answer: 'continue' });
  service.call(null);
  assert.equal(await notifications.closed(), end.id);
});

test('the web page that it opens is where the service says that it is', async (t) => {
  const bus = await privateBus(t);
  const desktop = await bus.connect();
  const registered = await standInTray(desktop);
  const { dataDir } = await standInService(t);
  const url = 'https://127.0.0.1:9443';
  const control = await openControl(join(dataDir, 'control.sock'), { url: async () => url });
  t.after(() => control.close());
  const programs = await tempDir(t);
  const opened = join(programs, 'opened');
  const opener = `#!/bin/sh\necho "$1" > '${opened}.part' && mv '${opened}.part' '${opened}'\n`;
  await writeFile(join(programs, 'xdg-open'), opener, { mode: 0o755 });
  await startTray(t, bus, dataDir, { PATH: `${programs}:${process.env['PATH']}` });
  const read = reader(desktop, await registered.next());
  await read.until((icon) => icon === 'audio-input-microphone');
  await read.choose('Open Mitschrift');
  await eventually('it is opened', () => existsSync(opened));
  assert.equal(await readFile(opened, 'utf8'), `${url}/\n`);
});

test('a tray that comes later, or again, gets the icon', async (t) => {
  const bus = await privateBus(t);
  const service = await standInService(t);
  const { said } = await startTray(t, bus, service.dataDir);
  assert.match(await said, /shows no tray/);
  for (let life = 0; life < 2; life += 1) {
    const desktop = await bus.connect();
    const registered = await standInTray(desktop);
    assert.match(await registered.next(), /^org\.kde\.StatusNotifierItem/);
    desktop.close();
  }
});

test('the icon is removed from its menu, and the end of the session is told', async (t) => {
  const bus = await privateBus(t);
  const desktop = await bus.connect();
  const registered = await standInTray(desktop);
  const service = await standInService(t);
  const first = await startTray(t, bus, service.dataDir);
  const read = reader(desktop, await registered.next());
  await read.until((icon) => icon === 'audio-input-microphone');
  await read.choose('Hide this icon');
  assert.equal(await first.exited, 0);
  const second = await startTray(t, bus, service.dataDir);
  await registered.next();
  await bus.end();
  assert.equal(await second.exited, 1);
  assert.match(await second.said, /session/);
});

test('without a session bus it says so', async (t) => {
  const env: NodeJS.ProcessEnv = { ...process.env, XDG_RUNTIME_DIR: await tempDir(t) };
  delete env['DBUS_SESSION_BUS_ADDRESS'];
  const run = promisify(execFile)(process.execPath, [program, 'tray'], { cwd: root, env });
  await assert.rejects(run, (error: Error & { code: number; stderr: string }) => {
    assert.equal(error.code, 1);
    assert.match(error.stderr, /^There is no desktop session .*DBUS_SESSION_BUS_ADDRESS/);
    return true;
  });
});

/** The program in a process of its own. */
async function startTray(t: TestContext, bus: PrivateBus, dataDir: string, more = {}) {
  const env = { ...bus.env, MITSCHRIFT_DATA: dataDir, LC_ALL: 'C', ...more };
  const child = spawn(process.execPath, [program, 'tray'], {
    cwd: root,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  t.after(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  const said = once(createInterface({ input: child.stderr }), 'line').then(
    ([line]) => line as string,
  );
  return { exited, said };
}

/** What a desktop's panel is to an icon: takes registrations. */
async function standInTray(desktop: SessionBus) {
  const items: string[] = [];
  const came = new EventEmitter();
  const description: BusInterface = {
    name: watcherName,
    methods: { RegisterStatusNotifierItem: ['s', ''] },
    properties: {},
    signals: {},
  };
  desktop.serve('/StatusNotifierWatcher', description, {
    RegisterStatusNotifierItem(name: string) {
      items.push(name);
      came.emit('item');
    },
  });
  await desktop.call({
    destination: 'org.freedesktop.DBus',
    path: '/org/freedesktop/DBus',
    interface: 'org.freedesktop.DBus',
    member: 'RequestName',
    signature: 'su',
    body: [watcherName, 0],
  });
  return {
    async next() {
      if (items.length === 0) await once(came, 'item', { signal: AbortSignal.timeout(withinMs) });
      return items.shift()!;
    },
  };
}

/** What shows questions on a desktop: takes them, and says which answer was pressed. */
async function standInNotifications(desktop: SessionBus) {
  const path = '/org/freedesktop/Notifications';
  const shown: { id: number; text: string; actions: string[] }[] = [];
  const closed: number[] = [];
  const came = new EventEmitter();
  const description: BusInterface = {
    name: 'org.freedesktop.Notifications',
    methods: { Notify: ['susssasa{sv}i', 'u'], CloseNotification: ['u', ''] },
    properties: {},
    signals: { ActionInvoked: ['us'] },
  };
  desktop.serve(path, description, {
    Notify(
      _app: string,
      replaced: number,
      _icon: string,
      text: string,
      _: string,
      actions: string[],
    ) {
      const id = replaced === 0 ? 7 : replaced;
      shown.push({ id, text, actions });
      came.emit('shown');
      return id;
    },
    CloseNotification(id: number) {
      closed.push(id);
      came.emit('closed');
    },
  });
  await desktop.call({
    destination: 'org.freedesktop.DBus',
    path: '/org/freedesktop/DBus',
    interface: 'org.freedesktop.DBus',
    member: 'RequestName',
    signature: 'su',
    body: [description.name, 0],
  });
  const wait = async (event: string) =>
    await once(came, event, { signal: AbortSignal.timeout(withinMs) });
  return {
    press: (id: number, key: string) =>
      desktop.signal(path, description, 'ActionInvoked', [id, key]),
    async next() {
      if (shown.length === 0) await wait('shown');
      return shown.shift()!;
    },
    async closed() {
      if (closed.length === 0) await wait('closed');
      return closed.shift();
    },
  };
}

/** The trigger socket, and what comes over it. */
async function standInService(t: TestContext) {
  const dataDir = await tempDir(t);
  const requests: object[] = [];
  const came = new EventEmitter();
  let recording = false;
  let isHeldByAnother = false;
  let call: object | null = null;
  const server = await openControl(join(dataDir, 'trigger.sock'), {
    status: async () => ({
      status: recording ? 'RECORDING' : 'IDLE',
      recordings: recording ? [{ device: 'Desk Mic' }] : [],
      held: recording || isHeldByAnother ? ['Desk Mic'] : [],
      call,
    }),
    async 'answer-call'(request) {
      requests.push(request as object);
      came.emit('request');
      return null;
    },
    async toggle(request) {
      recording = (request as { action: string }).action === 'start';
      requests.push(request as object);
      came.emit('request');
      return { action: 'start', recordingId: 'x', position: 1 };
    },
  });
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  t.after(close);
  return {
    dataDir,
    close,
    call: (next: object | null) => (call = next),
    heldByAnother: (isHeld: boolean) => (isHeldByAnother = isHeld),
    async request() {
      if (requests.length === 0)
        await once(came, 'request', { signal: AbortSignal.timeout(withinMs) });
      return requests.shift();
    },
  };
}

/** Reads an icon as a panel does. */
function reader(desktop: SessionBus, destination: string) {
  const ask = (path: string, iface: string, member: string, signature: string, body: unknown[]) =>
    desktop.call({ destination, path, interface: iface, member, signature, body });
  const property = async (name: string) => {
    const body = ['org.kde.StatusNotifierItem', name];
    const variant = await ask(
      '/StatusNotifierItem',
      'org.freedesktop.DBus.Properties',
      'Get',
      'ss',
      body,
    );
    return (variant as [unknown, [unknown]])[1][0];
  };
  const entries = async () => {
    const groups = (await ask('/MenuBar', 'com.canonical.dbusmenu', 'GetGroupProperties', 'aias', [
      [],
      [],
    ])) as [number, [string, [unknown, [unknown]]][]][];
    return groups.map(([id, properties]) => {
      const values = Object.fromEntries(properties.map(([name, variant]) => [name, variant[1][0]]));
      return { id, label: values['label'] as string | undefined, enabled: values['enabled'] };
    });
  };
  return {
    property,
    async menu() {
      return (await entries()).flatMap(({ label, enabled }) =>
        label === undefined ? [] : [`${label}: ${enabled ? 'on' : 'off'}`],
      );
    },
    async choose(label: string) {
      const id = (await entries()).find((entry) => entry.label === label)!.id;
      await ask('/MenuBar', 'com.canonical.dbusmenu', 'Event', 'isvu', [
        id,
        'clicked',
        ['s', ''],
        0,
      ]);
    },
    /** Looks again whenever an answer has come. */
    async until(is: (icon: unknown) => boolean) {
      const deadline = Date.now() + withinMs;
      let icon = await property('IconName');
      while (!is(icon)) {
        assert.ok(Date.now() < deadline, String(icon));
        icon = await property('IconName');
      }
    },
  };
}
