/** How many bars three seconds of level are drawn in. */
const count = 24;

/** Bars in a picture of 98 × 28, the newest at the right. @param shares of the last three seconds, oldest first */
export function barsPath(shares: readonly number[], heard = 30): string {
  const whole = [...Array<number>(Math.max(0, heard - shares.length)).fill(0), ...shares];
  return Array.from({ length: count }, (_, bar) => {
    const of = whole.slice(
      Math.floor((bar * heard) / count),
      Math.ceil(((bar + 1) * heard) / count),
    );
    const half = 0.85 + Math.max(0, ...of) * 12;
    return `M${2 + bar * 4} ${(14 - half).toFixed(2)}v${(half * 2).toFixed(2)}`;
  }).join('');
}
