import pino, { type DestinationStream, type Logger, type LoggerOptions } from 'pino';

export type Log = Logger;

/** A log of JSON lines, by default on stdout. Ids, codes and tracebacks go in; text and tokens never. */
export const openLogger = (
  level: string,
  destination?: DestinationStream,
  formatters: LoggerOptions['formatters'] = {},
): Log => pino({ level, base: null, timestamp: timeOfLines(), formatters }, destination);

/**
 * The service's log: a readable line for each entry on a terminal, JSON lines everywhere else.
 * @param userName the name of a user's id, for the terminal; JSON lines keep ids, which never change
 */
export async function openServiceLogger(
  level: string,
  userName: (id: string) => string | undefined,
): Promise<Log> {
  if (!process.stdout.isTTY) return openLogger(level, linesTogether());
  const { default: pretty } = await import('pino-pretty');
  // At once, as everything a person watches: the last line before an end is the one that matters.
  const stream = pretty({
    sync: true,
    singleLine: true,
    translateTime: 'SYS:HH:MM:ss',
    ignore: 'request',
  });
  return openLogger(level, stream, { log: (entry) => withNames(entry, userName) });
}

/** Fields that hold the id of a user. */
const userFields = ['user', 'user_id', 'by', 'owner'];

function withNames(
  entry: Record<string, unknown>,
  userName: (id: string) => string | undefined,
): Record<string, unknown> {
  const named = { ...entry };
  for (const field of userFields) {
    const id = entry[field];
    if (typeof id === 'string') named[field] = userName(id) ?? id;
  }
  return named;
}

/** Characters of lines that wait because they cannot be written; what comes behind them is lost. */
const waitingMax = 4_000_000;

/**
 * Standard output, written once for all lines of a turn of the event loop: a write of its own cost an answered request more
 * than the line. What was written when a process ends is written out first; a fatal line is written at once.
 */
function linesTogether(): DestinationStream {
  const output = pino.destination({ dest: 1, sync: true, maxLength: waitingMax });
  // A line that cannot be written, as on a full disk, is tried again with the next one; the service goes on.
  output.on('error', () => undefined);
  let waiting = '';
  const flushSync = (): void => {
    const lines = waiting;
    waiting = '';
    if (lines !== '') output.write(lines);
  };
  process.once('exit', flushSync);
  return Object.assign(
    {
      write(line: string) {
        if (waiting === '') setImmediate(flushSync);
        waiting += line;
      },
    },
    // By this name pino asks for it.
    { flushSync },
  );
}

/** `,"time":"2026-11-21T06:14:00.123Z"`, written out once a millisecond. */
function timeOfLines(): () => string {
  let at = NaN;
  let text = '';
  return () => {
    const now = Date.now();
    if (now !== at) [at, text] = [now, `,"time":"${new Date(now).toISOString()}"`];
    return text;
  };
}
