/** What a recording from a browser's microphone is limited to. */
export type BrowserLimits = {
  /** Seconds of audio. */
  secondsMax: number;
  /** Free bytes on the disk below which a recording ends cleanly. */
  freeBytesMin: number;
  /** Milliseconds a recording waits for its browser to come back. */
  graceMs: number;
  /** Milliseconds it waits at least after a start of the service, however long that was away. */
  restartGraceMs: number;
  /** Milliseconds between two acknowledgements, and so between two syncs. */
  acknowledgeEveryMs: number;
  /** Bytes in memory beyond which the connection is not read from. */
  pendingBytesMax: number;
  /** Milliseconds between two looks at the disk, and between two headers. */
  upkeepMs: number;
};

export const browserLimits: Omit<BrowserLimits, 'secondsMax'> = {
  freeBytesMin: 500_000_000,
  graceMs: 600_000,
  restartGraceMs: 60_000,
  acknowledgeEveryMs: 250,
  pendingBytesMax: 1024 * 1024,
  upkeepMs: 5000,
};
