/** What is to be said of a recording of this desk. */
export type DeskState = {
  id: string;
  phase: 'starting' | 'recording' | 'paused' | 'sending';
  /** Of audio on this disk, and of that what the service has not acknowledged. */
  seconds: number;
  unsentSeconds: number;
  /** Of the last 100 ms, 0 to 1; null while nothing comes. */
  level: number | null;
  /** What is wrong with the device, in words. */
  device: string | null;
  /** Why nothing is sent, in words. */
  away: string | null;
};
