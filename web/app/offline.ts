/** The app stays on this device, so that it opens and says what is the matter while the service is away. */

/** Browsers allow it on https and on localhost only. Without it everything works while the service answers. */
export function keepFrame(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  const keep = () => {
    navigator.serviceWorker.register('/sw.js').catch((failure: unknown) => {
      console.warn('The app is not kept on this device.', failure);
    });
  };
  // Behind what the page needs itself, which may have come before the app began.
  if (document.readyState === 'complete') keep();
  else addEventListener('load', keep);
}
