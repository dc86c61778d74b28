/**
 * A network that swallows everything, or a computer that slept, closes no WebSocket: it stays open, and nothing comes.
 * The service says something every 15 seconds (`heartbeatMs` of `src/http/limits.ts`).
 */

/** Without a word for so long a connection is none, in milliseconds. */
const silentMs = 35_000;

/** Closes a connection on which nothing comes any more, and then calls `leave`, once. */
export function leaveWhenSilent(socket: WebSocket, leave: () => void): void {
  const over = new AbortController();
  const { signal } = over;
  let heardAt = Date.now();
  const look = () => {
    if (signal.aborted || Date.now() - heardAt < silentMs) return;
    over.abort();
    leave();
    socket.close();
  };
  const timer = setInterval(look, silentMs / 4);
  signal.addEventListener('abort', () => clearInterval(timer));
  socket.addEventListener('message', () => (heardAt = Date.now()), { signal });
  socket.addEventListener('close', () => over.abort(), { signal });
  // Back from sleep, or in front again.
  addEventListener('online', look, { signal });
  document.addEventListener('visibilitychange', look, { signal });
}
