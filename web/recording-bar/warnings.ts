/** What is wrong with a recording that runs, as the service says it. */

export type Warning = { code: string; message: string; isDanger: boolean };

/** In these what is said now is not recorded. */
const dangers = new Set(['device-gone', 'device-failed', 'no-data', 'audio-server-gone']);

/** @param given `recording.warnings` of a status */
export function warningsOf(given: readonly unknown[]): Warning[] {
  return given.flatMap((one) => {
    if (typeof one !== 'object' || one === null || !('code' in one) || !('message' in one))
      return [];
    const { code, message } = one;
    return typeof code === 'string' && typeof message === 'string'
      ? [{ code, message, isDanger: dangers.has(code) }]
      : [];
  });
}
