/** One thing looked at. `missing`: something is done without; `failed`: something cannot be done. */
export type Check = {
  name: string;
  state: 'ok' | 'missing' | 'failed';
  /** A sentence about it, for a person. */
  detail: string;
  /** What to do about it. */
  remedy?: string;
};

export const ok = (name: string, detail: string): Check => ({ name, state: 'ok', detail });
