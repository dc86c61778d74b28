import type { SessionBus } from './session-bus.ts';

/** A question with its answers, on the desktop until somebody answers or it is withdrawn. */
export type Asked = {
  text: string;
  icon: string;
  /** The first is the default. */
  answers: readonly { key: string; label: string }[];
};

export type Notifications = {
  /** Shows a question in the place of the last one. */
  ask(asked: Asked, onAnswer: (key: string) => void): void;
  withdraw(): void;
};

const service = {
  destination: 'org.freedesktop.Notifications',
  path: '/org/freedesktop/Notifications',
  interface: 'org.freedesktop.Notifications',
};

/** Questions by the Desktop Notifications Specification 1.2. Where no program shows any, the menu asks alone. */
export async function openNotifications(sessionBus: SessionBus): Promise<Notifications> {
  let shown = 0;
  let answered: ((key: string) => void) | null = null;
  await sessionBus.onSignal({ ...service, member: 'ActionInvoked' }, ([id, key]) => {
    if (id === shown && typeof key === 'string') answered?.(key);
  });
  /** One after the other: the id of a question is known when it is shown. */
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = (work: () => Promise<unknown>) => {
    last = last.then(work).catch(() => undefined);
  };
  return {
    ask({ text, icon, answers }, onAnswer) {
      answered = onAnswer;
      inTurn(async () => {
        const actions = answers.flatMap(({ key, label }) => [key, label]);
        // Urgency 1: normal. It stays (0) until it is answered.
        const hints = [['urgency', ['y', 1]]];
        shown = (await sessionBus.call({
          ...service,
          member: 'Notify',
          signature: 'susssasa{sv}i',
          body: ['Mitschrift', shown, icon, text, '', actions, hints, 0],
        })) as number;
      });
    },
    withdraw() {
      answered = null;
      inTurn(async () => {
        if (shown === 0) return;
        const id = shown;
        shown = 0;
        await sessionBus.call({
          ...service,
          member: 'CloseNotification',
          signature: 'u',
          body: [id],
        });
      });
    },
  };
}
