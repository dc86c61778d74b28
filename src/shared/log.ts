import pino, { type DestinationStream, type Logger } from 'pino';

export type Log = Logger;

/** A log of JSON lines, on stdout unless told. Ids, codes and tracebacks go in; text and tokens never. */
export const openLogger = (level: string, destination?: DestinationStream): Log =>
  pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);

/** The service's log: a readable line for each entry on a terminal, JSON lines everywhere else. */
export async function openServiceLogger(level: string): Promise<Log> {
  if (!process.stdout.isTTY) return openLogger(level);
  const { default: pretty } = await import('pino-pretty');
  // At once, as everything a person watches: the last line before an end is the one that matters.
  return openLogger(level, pretty({ sync: true, singleLine: true, translateTime: 'SYS:HH:MM:ss' }));
}
