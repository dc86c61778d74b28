import type { BusInterface, SessionBus } from './session-bus.ts';
import type { StatusView } from '../../projections/recordings.ts';

/** One line of a tray's menu; without an action it cannot be chosen, without a label it is a line. */
export type MenuEntry = { label?: string; action?: (() => void) | undefined };

/** Where the menu is on our connection. */
export const menuPath = '/MenuBar';

/** Serves a menu as `com.canonical.dbusmenu`, version 3 (libdbusmenu's XML). */
export function serveMenu(sessionBus: SessionBus): { show(entries: readonly MenuEntry[]): void } {
  let entries: readonly MenuEntry[] = [];
  let revision = 1;
  // Entry n has the id n + 1; 0 is the menu itself.
  const ids = () => [0, ...entries.map((_, index) => index + 1)];
  const item = (id: number): [number, Property[], unknown[]] => [id, propertiesOf(id), []];

  sessionBus.serve(menuPath, dbusmenu, {
    Version: 3,
    TextDirection: 'ltr',
    Status: 'normal',
    IconThemePath: [],
    GetLayout(parent: number, depth: number) {
      const children =
        parent === 0 && depth !== 0
          ? ids()
              .slice(1)
              .map((id) => ['(ia{sv}av)', item(id)])
          : [];
      return [revision, [parent, propertiesOf(parent), children]];
    },
    GetGroupProperties: (wanted: number[]) =>
      ids()
        .filter((id) => wanted.length === 0 || wanted.includes(id))
        .map((id) => [id, propertiesOf(id)]),
    GetProperty(id: number, name: string) {
      const found = propertiesOf(id).find(([key]) => key === name);
      return found?.[1] ?? new Error('There is no such property.');
    },
    Event: (id: number, event: string) => choose(id, event),
    EventGroup(events: [number, string][]) {
      for (const [id, event] of events) choose(id, event);
      return [];
    },
    AboutToShow: () => false,
    AboutToShowGroup: () => [[], []],
  });

  return {
    show(next) {
      entries = next;
      revision += 1;
      sessionBus.signal(menuPath, dbusmenu, 'LayoutUpdated', [revision, 0]);
    },
  };

  function choose(id: number, event: string): void {
    if (event === 'clicked') entries[id - 1]?.action?.();
  }

  function propertiesOf(id: number): Property[] {
    if (id === 0) return [['children-display', ['s', 'submenu']]];
    const entry = entries[id - 1];
    if (!entry) return [];
    if (entry.label === undefined) return [['type', ['s', 'separator']]];
    return [
      // An underscore would mark a key.
      ['label', ['s', entry.label.replaceAll('_', '__')]],
      ['enabled', ['b', entry.action !== undefined]],
    ];
  }
}

const dbusmenu: BusInterface = {
  name: 'com.canonical.dbusmenu',
  methods: {
    GetLayout: ['iias', 'u(ia{sv}av)'],
    GetGroupProperties: ['aias', 'a(ia{sv})'],
    GetProperty: ['is', 'v'],
    Event: ['isvu', ''],
    EventGroup: ['a(isvu)', 'ai'],
    AboutToShow: ['i', 'b'],
    AboutToShowGroup: ['ai', 'aiai'],
  },
  properties: { Version: 'u', TextDirection: 's', Status: 's', IconThemePath: 'as' },
  signals: { LayoutUpdated: ['ui'] },
};

/** What the service is at; `AWAY` when it does not answer. */
export type TrayState = StatusView['status'] | 'AWAY';

export type TrayLabels = {
  state: Record<TrayState, string>;
  /** Somebody else records a device of this machine. */
  heldBySomebody(device: string): string;
  /** What is asked about a call. @param program as it calls itself */
  recordCall(program: string): string;
  stopCall(program: string): string;
  record: string;
  notNow: string;
  never(program: string): string;
  goOn: string;
  solo: string;
  meeting: string;
  stop: string;
  reset: string;
  open: string;
  quit: string;
};

/** In the language of the desktop session. */
export const labelsFor = (env: NodeJS.ProcessEnv): TrayLabels =>
  (env['LC_ALL'] || env['LC_MESSAGES'] || env['LANG'] || '').startsWith('de') ? german : english;

/** Names of the freedesktop icon naming specification: every icon theme has them. */
export const icons: Record<TrayState, string> = {
  IDLE: 'audio-input-microphone',
  RECORDING: 'media-record',
  TRANSCRIBING: 'document-save',
  AWAITING_SPEAKERS: 'dialog-question',
  ERROR: 'dialog-error',
  AWAY: 'network-offline',
};

const english: TrayLabels = {
  state: {
    IDLE: 'Ready',
    RECORDING: 'Recording',
    TRANSCRIBING: 'Creating notes',
    AWAITING_SPEAKERS: 'Waiting for names',
    ERROR: 'Error',
    AWAY: 'Mitschrift isn’t running',
  },
  heldBySomebody: (device) => `Someone is recording with “${device}”`,
  recordCall: (program) => `${program} is using the microphone. Record this call?`,
  stopCall: (program) => `The call in ${program} seems to be over. Stop recording?`,
  record: 'Record call',
  notNow: 'Not now',
  never: (program) => `Never for ${program}`,
  goOn: 'Keep recording',
  solo: 'Record',
  meeting: 'Record meeting',
  stop: 'Stop and create note',
  reset: 'Dismiss errors',
  open: 'Open Mitschrift',
  quit: 'Hide this icon',
};

const german: TrayLabels = {
  state: {
    IDLE: 'Bereit',
    RECORDING: 'Aufnahme läuft',
    TRANSCRIBING: 'Notizen werden erstellt',
    AWAITING_SPEAKERS: 'Wartet auf Namen',
    ERROR: 'Fehler',
    AWAY: 'Mitschrift läuft nicht',
  },
  heldBySomebody: (device) => `Jemand nimmt mit „${device}“ auf`,
  recordCall: (program) => `${program} verwendet das Mikrofon. Diesen Anruf aufnehmen?`,
  stopCall: (program) => `Der Anruf in ${program} scheint vorbei zu sein. Aufnahme beenden?`,
  record: 'Anruf aufnehmen',
  notNow: 'Nicht jetzt',
  never: (program) => `Nie bei ${program}`,
  goOn: 'Weiter aufnehmen',
  solo: 'Aufnehmen',
  meeting: 'Besprechung aufnehmen',
  stop: 'Beenden und Notiz erstellen',
  reset: 'Fehler ausblenden',
  open: 'Mitschrift öffnen',
  quit: 'Dieses Symbol ausblenden',
};

type Property = [name: string, value: [signature: string, value: unknown]];
