import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StatusView } from '../../projections/recordings.ts';
import { type Host, hostFrom } from '../shared/data-directory.ts';
import { type MenuEntry, type TrayState, icons, labelsFor, serveMenu } from '../tray/menu.ts';
import { type Notifications, openNotifications } from '../tray/notification.ts';
import { openSessionBus } from '../tray/session-bus.ts';
import { type Shown, type StatusItem, serveStatusItem } from '../tray/status-item.ts';
import { askService } from '../service/control/socket.ts';
import { inTime } from '../shared/abort.ts';

/** How often the service is asked for its state, and how long an answer may take, in milliseconds. */
const askEveryMs = 1000;
const answerWithinMs = 3000;

/**
 * An icon in the desktop's tray: shows the state, and starts and stops as the guest through the trigger
 * socket. Runs until it is quit, or the session ends.
 * @throws {Error} in words for a person when there is no session bus.
 */
export async function tray(): Promise<void> {
  const { env } = process;
  const host = hostFrom(env);
  const over = new AbortController();
  const bus = await openSessionBus(env);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => over.abort());
  const busEnded = bus.ended.then((error) => {
    if (over.signal.aborted) return;
    process.exitCode = 1;
    console.error(`The desktop session has ended${error === null ? '' : ` (${error.message})`}.`);
    over.abort();
  });
  const icon = new TrayIcon(host, labelsFor(env), serveMenu(bus), () => over.abort());
  await icon.look();
  const item = await serveStatusItem(bus, { shown: icon.shown(), onActivate: () => open(host) });
  icon.attach(item, await openNotifications(bus));
  if (!item.hasTray)
    console.error(
      'This desktop shows no tray icons. On GNOME, install the extension AppIndicator. Waiting…',
    );

  while (!over.signal.aborted) {
    await icon.look();
    await sleep(askEveryMs, undefined, { signal: over.signal }).catch(() => undefined);
  }
  bus.close();
  await busEnded;
}

/** Holds the icon and its menu on the session bus. */
class TrayIcon {
  readonly #host: Host;
  readonly #labels: Labels;
  readonly #menu: ReturnType<typeof serveMenu>;
  readonly #quit: () => void;
  #item: StatusItem | null = null;
  #notifications: Notifications | null = null;
  #state: TrayState | null = null;
  #isRecording = false;
  /** A device of this machine that somebody else records. */
  #held: string | null = null;
  /** What is asked about a call. */
  #call: Call | null = null;
  /** Why the last command was refused; shown in the icon's title until the next command. */
  #trouble: string | null = null;

  constructor(host: Host, labels: Labels, menu: ReturnType<typeof serveMenu>, quit: () => void) {
    this.#host = host;
    this.#labels = labels;
    this.#menu = menu;
    this.#quit = quit;
  }

  attach(item: StatusItem, notifications: Notifications): void {
    this.#item = item;
    this.#notifications = notifications;
    this.#ask();
  }

  shown(): Shown {
    const state = this.#state ?? 'AWAY';
    const icon = this.#held === null ? icons[state] : icons.RECORDING;
    if (this.#call !== null)
      return { icon: callIcon, title: this.#trouble ?? this.#asked(this.#call) };
    return { icon, title: this.#trouble ?? this.#said() };
  }

  #said(): string {
    if (this.#held !== null) return this.#labels.heldBySomebody(this.#held);
    return this.#labels.state[this.#state ?? 'AWAY'];
  }

  #asked({ ask, program }: Call): string {
    return ask === 'record' ? this.#labels.recordCall(program) : this.#labels.stopCall(program);
  }

  /** Asks the service for its state, and shows it if it has changed. */
  async look(): Promise<void> {
    const status = await ask<StatusView & { held?: string[]; call?: Call | null }>(
      this.#host,
      'status',
    ).catch(() => null);
    const state = status?.status ?? 'AWAY';
    const isRecording = status?.recordings.some(({ device }) => device !== null) ?? false;
    // Of the guest's own recording the state tells.
    const [held = null] = isRecording ? [] : (status?.held ?? []);
    const call = status?.call ?? null;
    const isSameCall = call?.id === this.#call?.id && call?.ask === this.#call?.ask;
    const isSame = state === this.#state && isRecording === this.#isRecording;
    if (isSame && held === this.#held && isSameCall) return;
    this.#call = call;
    if (!isSameCall) this.#ask();
    this.#held = held;
    this.#state = state;
    this.#isRecording = isRecording;
    this.#show();
  }

  #show(): void {
    this.#item?.show(this.shown());
    this.#menu.show(this.#entries());
  }

  #entries(): MenuEntry[] {
    const labels = this.#labels;
    const state = this.#state ?? 'AWAY';
    const isFree = state !== 'AWAY' && !this.#isRecording;
    const toggles = (possible: boolean, request: object) =>
      possible ? () => this.#toggle(request) : undefined;
    return [
      { label: this.#trouble ?? this.#said() },
      ...this.#callEntries(),
      {},
      { label: labels.solo, action: toggles(isFree, { action: 'start' }) },
      { label: labels.meeting, action: toggles(isFree, { action: 'start', kind: 'meeting' }) },
      { label: labels.stop, action: toggles(this.#isRecording, { action: 'stop' }) },
      ...(state === 'ERROR'
        ? [{ label: labels.reset, action: toggles(true, { action: 'reset' }) }]
        : []),
      {},
      { label: labels.open, action: () => open(this.#host) },
      { label: labels.quit, action: this.#quit },
    ];
  }

  #callEntries(): MenuEntry[] {
    const call = this.#call;
    if (call === null) return [];
    const answers = this.#answers(call).map(({ key, label }) => ({
      label,
      action: () => this.#answer(call, key),
    }));
    return [{}, { label: this.#asked(call) }, ...answers];
  }

  /** Asks on the desktop what the menu asks. */
  #ask(): void {
    const call = this.#call;
    if (call === null) return this.#notifications?.withdraw();
    this.#notifications?.ask(
      { text: this.#asked(call), icon: callIcon, answers: this.#answers(call) },
      (key) => this.#answer(call, key),
    );
  }

  #answers({ ask, program }: Call): { key: string; label: string }[] {
    const labels = this.#labels;
    return ask === 'record'
      ? [
          { key: 'record', label: labels.record },
          { key: 'not-now', label: labels.notNow },
          { key: 'never', label: labels.never(program) },
        ]
      : [
          { key: 'stop', label: labels.stop },
          { key: 'continue', label: labels.goOn },
        ];
  }

  #answer({ id }: Call, answer: string): void {
    this.#send('answer-call', { id, answer });
  }

  #toggle(request: object): void {
    this.#send('toggle', request);
  }

  #send(command: string, request: object): void {
    ask(this.#host, command, request)
      .then(
        () => (this.#trouble = null),
        (error: Error) => (this.#trouble = error.message),
      )
      .then(() => {
        this.#show();
        return this.look();
      })
      .catch((error: Error) => console.error(error.message));
  }
}

type Labels = ReturnType<typeof labelsFor>;
type Call = { id: string; ask: 'record' | 'stop'; program: string };
const callIcon = icons.AWAITING_SPEAKERS;

async function ask<T>({ data }: Host, name: string, body: unknown = null): Promise<T | null> {
  const answer = askService<T>(data.triggerSocket, name, body);
  // Starting and stopping take as long as the device does.
  if (name !== 'status') return await answer;
  return await inTime(answerWithinMs, answer, () => null);
}

/** The service says where it is: its port and https may be set where it was started alone. */
function open({ data }: Host): void {
  askService<string>(data.controlSocket, 'url')
    .then((url) => {
      if (url === null) throw new Error('Mitschrift isn’t running, so there is no page to open.');
      const opener = spawn('xdg-open', [`${url}/`], { detached: true, stdio: 'ignore' });
      opener.on('error', (error) => console.error(`xdg-open: ${error.message}`));
      opener.unref();
    })
    .catch((error: Error) => console.error(error.message));
}
