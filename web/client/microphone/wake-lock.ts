/** Keeps the screen, and with it the microphone of a phone, awake. @returns how to let it sleep */
export function keepAwake(): () => void {
  let lock: WakeLockSentinel | null = null;
  let isOver = false;
  const take = async () => {
    if (isOver || document.visibilityState !== 'visible' || !('wakeLock' in navigator)) return;
    // Refused when the battery is low: recording goes on as long as the system lets it.
    const taken = await navigator.wakeLock.request('screen').catch(() => null);
    // Another was asked for meanwhile, or none is wanted any more.
    const former = isOver ? taken : lock;
    lock = taken;
    void former?.release();
  };
  // A page that was hidden has lost it.
  const again = () => void take();
  document.addEventListener('visibilitychange', again);
  again();
  return () => {
    isOver = true;
    document.removeEventListener('visibilitychange', again);
    void lock?.release();
  };
}
