import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StatusView } from '../../projections/recordings.ts';
import { hostFrom } from '../shared/data-directory.ts';
import { type MenuEntry, type TrayState, icons, labelsFor, serveMenu } from '../tray/menu.ts';
import { openSessionBus } from '../tray/session-bus.ts';
import { type Shown, type StatusItem, serveStatusItem } from '../tray/status-item.ts';
import { askService } from '../control/socket.ts';

/** Between two questions how the service is, milliseconds; and how long it may take to answer. */
const askEveryMs = 1000;
const answerWithinMs = 3000;

/**
 * An icon in the desktop's tray: shows the state, and starts and stops as the guest through the trigger
 * socket. Runs until it is told to go, or the session ends.
 * @throws {Error} in words for a person when there is no session bus.
 */
export async function tray(): Promise<void> {
  const { env } = process;
  const host = hostFrom(env);
  const labels = labelsFor(env);
  const over = new AbortController();
  const sessionBus = await openSessionBus(env);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => over.abort());
  const bus = sessionBus.ended.then((error) => {
    if (over.signal.aborted) return;
    process.exitCode = 1;
    console.error(error?.message ?? 'The desktop session has ended.');
    over.abort();
  });

  let state: TrayState | null = null;
  let recording = false;
  let trouble: string | null = null;
  const menu = serveMenu(sessionBus);
  let item: StatusItem | null = null;
  await look();
  item = await serveStatusItem(sessionBus, { shown: shown(), onActivate: open });
  if (!item.hasTray)
    console.error(
      'This desktop shows no tray at present (GNOME: extension AppIndicator). Waiting.',
    );

  while (!over.signal.aborted) {
    await look();
    await sleep(askEveryMs, undefined, { signal: over.signal }).catch(() => undefined);
  }
  sessionBus.close();
  await bus;

  async function look(): Promise<void> {
    const status = await ask<StatusView>('status').catch(() => null);
    const next = status?.status ?? 'AWAY';
    const records = status?.recordings.some(({ device }) => device !== null) ?? false;
    if (next === state && records === recording) return;
    state = next;
    recording = records;
    show();
  }

  function shown(): Shown {
    const present = state ?? 'AWAY';
    return { icon: icons[present], title: trouble ?? labels.state[present] };
  }

  function show(): void {
    const present = state ?? 'AWAY';
    item?.show(shown());
    const free = present !== 'AWAY' && !recording;
    const entries: MenuEntry[] = [
      { label: trouble ?? labels.state[present] },
      {},
      { label: labels.solo, action: free ? () => toggle({ action: 'start' }) : undefined },
      {
        label: labels.meeting,
        action: free ? () => toggle({ action: 'start', kind: 'meeting' }) : undefined,
      },
      { label: labels.stop, action: recording ? () => toggle({ action: 'stop' }) : undefined },
      ...(present === 'ERROR'
        ? [{ label: labels.reset, action: () => toggle({ action: 'reset' }) }]
        : []),
      {},
      { label: labels.open, action: open },
      { label: labels.quit, action: () => over.abort() },
    ];
    menu.show(entries);
  }

  /** What is refused is said in the icon's title until the next thing happens. */
  function toggle(request: object): void {
    ask('toggle', request)
      .then(
        () => (trouble = null),
        (error: Error) => (trouble = error.message),
      )
      .then(() => {
        show();
        return look();
      })
      .catch((error: Error) => console.error(error.message));
  }

  async function ask<T>(name: string, body: unknown = null): Promise<T | null> {
    const answer = askService<T>(host.data.triggerSocket, name, body);
    // Starting and stopping take as long as the device does.
    if (name !== 'status') return await answer;
    const late = new AbortController();
    const nothing = sleep(answerWithinMs, null, { signal: late.signal }).catch(() => null);
    return await Promise.race([answer, nothing]).finally(() => late.abort());
  }

  function open(): void {
    const address = /^(0\.0\.0\.0|::)$/.test(host.address) ? 'localhost' : host.address;
    const url = `http://${address.includes(':') ? `[${address}]` : address}:${host.port}/`;
    const opener = spawn('xdg-open', [url], { detached: true, stdio: 'ignore' });
    opener.on('error', (error) => console.error(`xdg-open: ${error.message}`));
    opener.unref();
  }
}
