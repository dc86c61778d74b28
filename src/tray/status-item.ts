import { menuPath } from './menu.ts';
import type { BusInterface, SessionBus } from './session-bus.ts';

/** What the icon shows. `icon`: a name of the freedesktop icon naming specification. */
export type Shown = { icon: string; title: string };

export type StatusItem = {
  /** Whether there was a tray when it was served. */
  hasTray: boolean;
  show(next: Shown): void;
};

const watcher = 'org.kde.StatusNotifierWatcher';
const itemPath = '/StatusNotifierItem';

/**
 * An icon in the desktop's tray, as `org.kde.StatusNotifierItem` (freedesktop's StatusNotifierItem draft).
 * Registers again whenever the desktop's tray comes back.
 */
export async function serveStatusItem(
  sessionBus: SessionBus,
  options: { shown: Shown; onActivate(): void },
): Promise<StatusItem> {
  let { shown } = options;
  sessionBus.serve(itemPath, item, {
    Category: 'ApplicationStatus',
    Id: 'mitschrift',
    Status: 'Active',
    WindowId: 0,
    IconThemePath: '',
    IconPixmap: [],
    OverlayIconName: '',
    OverlayIconPixmap: [],
    AttentionIconName: '',
    AttentionIconPixmap: [],
    AttentionMovieName: '',
    ItemIsMenu: true,
    Menu: menuPath,
    get Title() {
      return shown.title;
    },
    get IconName() {
      return shown.icon;
    },
    get ToolTip() {
      return [shown.icon, [], 'Mitschrift', shown.title];
    },
    Activate: () => options.onActivate(),
    SecondaryActivate: () => undefined,
    ContextMenu: () => undefined,
    Scroll: () => undefined,
  });
  const name = `org.kde.StatusNotifierItem-${process.pid}-1`;
  await sessionBus.call({
    destination: 'org.freedesktop.DBus',
    path: '/org/freedesktop/DBus',
    interface: 'org.freedesktop.DBus',
    member: 'RequestName',
    signature: 'su',
    body: [name, 0],
  });
  const register = () =>
    sessionBus
      .call({
        destination: watcher,
        path: '/StatusNotifierWatcher',
        interface: watcher,
        member: 'RegisterStatusNotifierItem',
        signature: 's',
        body: [name],
      })
      .then(
        () => true,
        // No tray at present; it is watched for.
        () => false,
      );
  await sessionBus.onOwner(watcher, () => void register());
  return {
    hasTray: await register(),
    show(next) {
      if (next.icon === shown.icon && next.title === shown.title) return;
      shown = next;
      for (const signal of ['NewIcon', 'NewTitle', 'NewToolTip'])
        sessionBus.signal(itemPath, item, signal, []);
    },
  };
}

const pixmaps = 'a(iiay)';
const item: BusInterface = {
  name: 'org.kde.StatusNotifierItem',
  methods: {
    Activate: ['ii', ''],
    SecondaryActivate: ['ii', ''],
    ContextMenu: ['ii', ''],
    Scroll: ['is', ''],
  },
  properties: {
    Category: 's',
    Id: 's',
    Title: 's',
    Status: 's',
    WindowId: 'i',
    IconThemePath: 's',
    IconName: 's',
    IconPixmap: pixmaps,
    OverlayIconName: 's',
    OverlayIconPixmap: pixmaps,
    AttentionIconName: 's',
    AttentionIconPixmap: pixmaps,
    AttentionMovieName: 's',
    ToolTip: `(s${pixmaps}ss)`,
    ItemIsMenu: 'b',
    Menu: 'o',
  },
  signals: { NewIcon: [''], NewTitle: [''], NewToolTip: [''] },
};
