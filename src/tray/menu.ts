import type { BusInterface, SessionBus } from './session-bus.ts';

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

type Property = [name: string, value: [signature: string, value: unknown]];

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
