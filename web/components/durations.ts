/** `12:41`, `1:02:03`. @param seconds rounded down */
export function clock(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const two = (value: number) => String(value).padStart(2, '0');
  const minutes = Math.floor(whole / 60);
  const rest = two(whole % 60);
  return minutes < 60
    ? `${two(minutes)}:${rest}`
    : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${rest}`;
}

/** `41 s`, `5 min`, `1 h 12 min`: how long something is, for people. @param seconds rounded to minutes; below one as `exactly` says them */
export function briefly(seconds: number): string {
  if (seconds < 60) return exactly(seconds);
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  return minutes % 60 === 0
    ? `${minutes / 60} h`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** `41 s`, `12 min 41 s`, `1 h 2 min 3 s`: to the second, rounded down. */
export function exactly(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const parts = [
    [Math.floor(whole / 3600), 'h'],
    [Math.floor(whole / 60) % 60, 'min'],
    [whole % 60, 's'],
  ] as const;
  const first = parts.findIndex(([count]) => count > 0);
  return (first < 0 ? parts.slice(2) : parts.slice(first))
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ');
}
