/** Waits between tries, in milliseconds: doubled from the first up to the longest. */
export type Pauses = {
  readonly first: number;
  readonly max: number;
  /** A quarter shorter or longer by chance: of many that lost one server, few come back in the same moment. */
  readonly isSpread?: boolean;
};

/** The wait after so many waits before it, in milliseconds. */
export function pauseAfter({ first, max, isSpread = false }: Pauses, waits: number): number {
  const pause = Math.min(max, first * 2 ** waits);
  return isSpread ? pause * (0.75 + Math.random() / 2) : pause;
}
