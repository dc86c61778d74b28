/** As a field for a moment has it, in the browser's time zone: `2026-11-23T09:30`. */
export const localMinute = (at: Date): string =>
  new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);

/** As a field for a day has it: `2026-11-23`. */
export const localDay = (at: Date): string => localMinute(at).slice(0, 10);
