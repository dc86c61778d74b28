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
