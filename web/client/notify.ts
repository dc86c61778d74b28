/** Says that a meeting waits for names while the app's tab is not seen. Asked for on a press, never at load. */
import { status } from './feed.ts';

export const canAskToNotify = (): boolean =>
  'Notification' in globalThis && Notification.permission === 'default';

export async function askToNotify(): Promise<void> {
  await Notification.requestPermission();
}

/**
 * Notifies of meetings that begin to wait from now on.
 * @param say what is shown of a meeting, by its title
 * @param open shows where it is named
 */
export function notifyOfWaiting(
  say: (title: string | null) => { title: string; body: string },
  open: (recordingId: string) => void,
): () => void {
  let known: Set<string> | null = null;
  const pressed = ({ data }: MessageEvent<{ pressed: string }>) => open(data.pressed);
  const { serviceWorker: workers } = navigator as Partial<Navigator>;
  workers?.addEventListener('message', pressed);
  const stop = status.subscribe((now) => {
    if (now === null) {
      known = null;
      return;
    }
    for (const { recording_id: id, title, source } of now.speakers_pending) {
      if (known === null || known.has(id) || !document.hidden) continue;
      if (!('Notification' in globalThis) || Notification.permission !== 'granted') continue;
      void show(say(title ?? source), id, open);
    }
    known = new Set(now.speakers_pending.map(({ recording_id: id }) => id));
  });
  return () => {
    stop();
    workers?.removeEventListener('message', pressed);
  };
}

async function show(
  { title, body }: { title: string; body: string },
  id: string,
  open: (recordingId: string) => void,
): Promise<void> {
  const options = { body, tag: id, icon: '/mitschrift.svg' };
  let notification: Notification;
  try {
    notification = new Notification(title, options);
  } catch {
    // Browsers of phones let only their worker notify, which says here when it is pressed (`sw.js`).
    const worker = await navigator.serviceWorker?.getRegistration();
    await worker?.showNotification(title, { ...options, data: { recordingId: id } });
    return;
  }
  notification.addEventListener('click', () => {
    focus();
    open(id);
    notification.close();
  });
}
