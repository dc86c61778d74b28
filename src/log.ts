import pino, { type Logger } from 'pino';

export type Log = Logger;

/** The service's log: JSON lines on stdout. Ids, codes and tracebacks go in; text and tokens never. */
export const openLogger = (level: string): Log =>
  pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime });
