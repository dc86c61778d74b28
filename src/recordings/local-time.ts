/** A moment on the server's wall clock, RFC 3339 with its offset: `2026-11-21T06:14:00+01:00`. */
export function localTime(moment: Date): string {
  const offset = -moment.getTimezoneOffset();
  const shifted = new Date(moment.getTime() + offset * 60_000);
  const sign = offset < 0 ? '-' : '+';
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const zone = `${sign}${two(Math.abs(offset) / 60)}:${two(Math.abs(offset) % 60)}`;
  return `${shifted.toISOString().slice(0, 19)}${zone}`;
}
