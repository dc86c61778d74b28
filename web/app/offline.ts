/** The app stays on this device, so that it opens and says what is the matter while the service is away. */

/** Browsers allow it on https and on localhost only. Without it everything works while the service answers. */
export function keepFrame(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  addEventListener('load', () => {
    navigator.serviceWorker.register('/sw.js').catch((failure: unknown) => {
      console.warn('The app is not kept on this device.', failure);
    });
  });
}
