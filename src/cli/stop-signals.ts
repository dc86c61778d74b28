const numbers = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;
export type StopSignal = keyof typeof numbers;

/** What the shell says of a process that a signal ended. */
export const codeOfSignal = (signal: StopSignal): number => 128 + numbers[signal];

/** Under npm a Ctrl-C comes from the terminal and from npm: within so many milliseconds it is one. */
const oneMs = 500;

/**
 * Hears signals that end a command.
 * @param stop is called once, by the first
 * @param again by each further one; by default it ends the process at once
 * @returns what makes it hear no more
 */
export function onStopSignals(
  signals: readonly StopSignal[],
  stop: (signal: StopSignal) => void,
  again: (signal: StopSignal) => void = (signal) => process.exit(codeOfSignal(signal)),
): () => void {
  let last: number | undefined;
  const heard = (signal: StopSignal): void => {
    const now = performance.now();
    if (last !== undefined && now - last < oneMs) return;
    const isFirst = last === undefined;
    last = now;
    if (isFirst) stop(signal);
    else again(signal);
  };
  for (const signal of signals) process.on(signal, heard);
  return () => {
    for (const signal of signals) process.off(signal, heard);
  };
}
